// ReadableStream, its default controller, its default reader.
(function (native, internal) {
  'use strict';

  const { customInspect, token } = internal;
  const {
    acquire,
    attempt,
    cancel,
    DefaultControl,
    deferred,
    handled,
    highWaterMark,
    invalidState,
    method,
    newRecord,
    read,
    release,
    sizeOf,
    wrongThis,
  } = internal.streams;
  let recordOf, objectOf, wrapController;

  class ReadableStreamDefaultController {
    #control;

    static {
      wrapController = (control) => {
        const controller = new ReadableStreamDefaultController(token);
        controller.#control = control;
        return controller;
      };
    }

    constructor(key) {
      if (key !== token) throw internal.coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get desiredSize() {
      return this.#control.desired;
    }

    close() {
      if (!this.#control.open) throw invalidState('Controller is already closed');
      this.#control.close();
    }

    enqueue(chunk = undefined) {
      if (!this.#control.open) throw invalidState('Controller is already closed');
      this.#control.enqueue(chunk);
    }

    error(error = undefined) {
      this.#control.fail(error);
    }
  }

  // A stream over functions of ours: pull and cancel return promises.
  const create = ({
    start,
    pull = () => Promise.resolve(),
    cancel: onCancel = () => Promise.resolve(),
    mark = 1,
    size = () => 1,
  }) => {
    const record = newRecord();
    const control = new DefaultControl(record, {
      pull: () => pull(control),
      cancel: onCancel,
      mark,
      size,
    });
    control.begin(start === undefined ? undefined : start(control));
    return objectOf(record);
  };

  const fromSource = (record, source, strategy) => {
    const start = method(source, 'start');
    const pull = method(source, 'pull');
    const onCancel = method(source, 'cancel');
    const control = new DefaultControl(record, {
      pull:
        pull === undefined ? () => Promise.resolve() : () => attempt(pull, source, [controller]),
      cancel:
        onCancel === undefined
          ? () => Promise.resolve()
          : (reason) => attempt(onCancel, source, [reason]),
      mark: highWaterMark(strategy, 1),
      size: sizeOf(strategy),
    });
    const controller = wrapController(control);
    control.begin(start === undefined ? undefined : Reflect.apply(start, source, [controller]));
  };

  class ReadableStream {
    #record;

    static {
      recordOf = (value) => {
        if (value === null || typeof value !== 'object' || !(#record in value))
          throw wrongThis('ReadableStream');
        return value.#record;
      };
      objectOf = (record) => {
        record.object ??= new ReadableStream(token, record);
        return record.object;
      };
      internal.isReadableStream = (value) =>
        value !== null && typeof value === 'object' && #record in value;
    }

    constructor(source = {}, strategy = {}) {
      if (source === token) {
        this.#record = strategy;
        return;
      }
      if (source === null || (typeof source !== 'object' && typeof source !== 'function')) {
        throw internal.wrongType('source', 'of type object', source);
      }
      const record = newRecord();
      record.object = this;
      this.#record = record;
      const { type } = source;
      if (type === undefined) fromSource(record, source, strategy);
      else if (`${type}` === 'bytes') internal.byteSource(record, source, strategy);
      else {
        throw internal.wrongValue('source.type', type);
      }
    }

    static from(iterable) {
      return internal.streamFrom(iterable);
    }

    get locked() {
      return this.#record.reader !== null;
    }

    cancel(reason = undefined) {
      if (!internal.isReadableStream(this)) return Promise.reject(wrongThis('ReadableStream'));
      if (this.#record.reader !== null)
        return Promise.reject(invalidState('ReadableStream is locked'));
      return cancel(this.#record, reason);
    }

    getReader(options = undefined) {
      const mode = options?.mode;
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (`${mode}` === 'byob') return new internal.ReadableStreamBYOBReader(this);
      throw internal.wrongValue('options.mode', mode);
    }

    pipeThrough(transform, options = undefined) {
      const source = this.#record;
      const { readable, writable } = transform;
      if (!internal.isReadableStream(readable)) throw wrongThis('ReadableStream');
      if (!internal.isWritableStream(writable)) throw wrongThis('WritableStream');
      if (source.reader !== null) throw invalidState('The ReadableStream is locked');
      if (writable.locked) throw invalidState('The WritableStream is locked');
      handled(internal.pipe(source, writable, options));
      return readable;
    }

    pipeTo(destination, options = undefined) {
      try {
        const source = recordOf(this);
        if (!internal.isWritableStream(destination)) throw wrongThis('WritableStream');
        if (source.reader !== null) throw invalidState('The ReadableStream is locked');
        if (destination.locked) throw invalidState('The WritableStream is locked');
        return internal.pipe(source, destination, options);
      } catch (error) {
        return Promise.reject(error);
      }
    }

    tee() {
      return internal.tee(this.#record);
    }

    values(options = undefined) {
      return internal.iterate(this.#record, Boolean(options?.preventCancel));
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'ReadableStream';
      const { status, reader, controller } = this.#record;
      const shown = {
        locked: reader !== null,
        state: status,
        supportsBYOB: controller instanceof DefaultControl === false,
      };
      return `ReadableStream ${inspect(shown, options)}`;
    }
  }
  internal.hidden(ReadableStream.prototype, Symbol.asyncIterator, ReadableStream.prototype.values);

  class ReadableStreamDefaultReader {
    #reader;

    constructor(stream) {
      this.#reader = acquire(recordOf(stream));
    }

    get closed() {
      return this.#reader.closed.promise;
    }

    read() {
      if (this.#reader.stream === null)
        return Promise.reject(invalidState('The reader is not attached to a stream'));
      const result = deferred();
      read(this.#reader, {
        chunk: (value) => result.resolve({ value, done: false }),
        close: () => result.resolve({ value: undefined, done: true }),
        error: result.reject,
      });
      return result.promise;
    }

    cancel(reason = undefined) {
      const { stream } = this.#reader;
      if (stream === null)
        return Promise.reject(invalidState('The reader is not attached to a stream'));
      return cancel(stream, reason);
    }

    releaseLock() {
      release(this.#reader);
    }
  }

  for (const Class of [
    ReadableStream,
    ReadableStreamDefaultReader,
    ReadableStreamDefaultController,
  ]) {
    internal.exposeClass(Class);
  }
  Object.assign(internal.streams, { create, objectOf, recordOf });
  internal.ReadableStream = ReadableStream;
});
