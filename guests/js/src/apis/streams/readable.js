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
    invalidState,
    isObject,
    markOf,
    method,
    newRecord,
    NOTHING,
    read,
    readNow,
    readStrategy,
    rejectedWith,
    release,
    resultOf,
    settled,
    sizeOf,
    wrongThis,
  } = internal.streams;
  let recordOf, objectOf, wrapController, isReader;
  const wrongReader = () => rejectedWith(wrongThis('ReadableStreamDefaultReader'));

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
      const control = this.#control;
      if (!control.open) throw invalidState('Controller is already closed');
      control.enqueue(chunk);
    }

    error(error = undefined) {
      this.#control.fail(error);
    }
  }

  // A stream over internal functions: pull and cancel return promises.
  const create = ({ start, pull, cancel: onCancel, mark, size }) => {
    const record = newRecord();
    const control = new DefaultControl(record, {
      __proto__: null,
      pull: () => pull(control),
      cancel: onCancel,
      mark,
      size,
    });
    control.begin(start === undefined ? undefined : start(control));
    return objectOf(record);
  };

  // The members of a source, each read once and in the standard's order.
  const readSource = (source) => {
    const chunkSize = source.autoAllocateChunkSize;
    const parts = {
      __proto__: null,
      chunkSize:
        chunkSize === undefined
          ? undefined
          : internal.streams.enforceRange(chunkSize, 'source.autoAllocateChunkSize'),
      cancel: method(source, 'cancel'),
      pull: method(source, 'pull'),
      start: method(source, 'start'),
      isBytes: false,
    };
    const { type } = source;
    if (type !== undefined) {
      if (`${type}` !== 'bytes') throw internal.wrongValue('source.type', type);
      parts.isBytes = true;
    }
    return parts;
  };

  const fromSource = (record, source, strategy) => {
    const { start, pull, cancel: onCancel, isBytes, chunkSize } = readSource(source);
    if (isBytes && strategy.size !== undefined) {
      throw internal.wrongValue('strategy.size', strategy.size, RangeError);
    }
    const mark = markOf(strategy, isBytes ? 0 : 1);
    if (chunkSize === 0) throw internal.wrongValue('source.autoAllocateChunkSize', chunkSize);
    const parts = {
      __proto__: null,
      pull: pull === undefined ? settled : () => attempt(pull, source, [controller]),
      cancel:
        onCancel === undefined ? settled : (reason) => attempt(onCancel, source, [reason]),
      mark,
      size: sizeOf(strategy),
      chunkSize,
    };
    const control = isBytes
      ? new internal.streams.ByteControl(record, parts)
      : new DefaultControl(record, parts);
    const controller = isBytes ? internal.streams.wrapBytes(control) : wrapController(control);
    control.begin(start === undefined ? undefined : Reflect.apply(start, source, [controller]));
  };

  // A transform or the options of a pipe, which WebIDL reads before it looks at any stream.
  const readPair = (transform) => {
    if (!isObject(transform)) throw internal.wrongType('transform', 'of type object', transform);
    const { readable } = transform;
    if (!internal.isReadableStream(readable)) throw wrongThis('ReadableStream');
    const { writable } = transform;
    if (!internal.isWritableStream(writable)) throw wrongThis('WritableStream');
    return { __proto__: null, readable, writable };
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

    constructor(source = undefined, strategy = undefined) {
      if (source === token) {
        this.#record = strategy;
        return;
      }
      if (source !== undefined && !isObject(source)) {
        throw internal.wrongType('source', 'of type object', source);
      }
      strategy = readStrategy(strategy);
      const record = newRecord();
      record.object = this;
      this.#record = record;
      fromSource(record, source ?? { __proto__: null }, strategy);
    }

    static from(iterable) {
      return internal.streamFrom(iterable);
    }

    get locked() {
      return this.#record.reader !== null;
    }

    cancel(reason = undefined) {
      if (!internal.isReadableStream(this)) return rejectedWith(wrongThis('ReadableStream'));
      if (this.#record.reader !== null)
        return rejectedWith(invalidState('ReadableStream is locked'));
      return cancel(this.#record, reason);
    }

    getReader(options = undefined) {
      if (options !== undefined && options !== null && !isObject(options)) {
        throw internal.wrongType('options', 'of type object', options);
      }
      const mode = options?.mode;
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (`${mode}` === 'byob') return new internal.ReadableStreamBYOBReader(this);
      throw internal.wrongValue('options.mode', mode);
    }

    pipeThrough(transform, options = undefined) {
      const source = this.#record;
      const { readable, writable } = readPair(transform);
      options = internal.pipeOptions(options);
      if (source.reader !== null) throw invalidState('The ReadableStream is locked');
      if (internal.isWritableLocked(writable)) throw invalidState('The WritableStream is locked');
      handled(internal.pipe(source, writable, options));
      return readable;
    }

    pipeTo(destination, options = undefined) {
      try {
        const source = recordOf(this);
        if (!internal.isWritableStream(destination)) throw wrongThis('WritableStream');
        options = internal.pipeOptions(options);
        if (source.reader !== null) throw invalidState('The ReadableStream is locked');
        if (internal.isWritableLocked(destination))
          throw invalidState('The WritableStream is locked');
        return internal.pipe(source, destination, options);
      } catch (error) {
        return rejectedWith(error);
      }
    }

    tee() {
      return internal.tee(this.#record, false);
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

  // A read of a program: cheaper than three functions for each.
  class Request {
    constructor(result) {
      this.result = result;
    }
    chunk(value) {
      this.result.resolve({ value, done: false });
    }
    close() {
      this.result.resolve({ value: undefined, done: true });
    }
    error(error) {
      this.result.reject(error);
    }
  }

  class ReadableStreamDefaultReader {
    #reader;

    static {
      isReader = (value) => isObject(value) && #reader in value;
    }

    constructor(stream) {
      this.#reader = acquire(recordOf(stream));
    }

    get closed() {
      return isReader(this) ? this.#reader.closed.promise : wrongReader();
    }

    read() {
      if (!isReader(this)) return wrongReader();
      const reader = this.#reader;
      if (reader.stream === null)
        return rejectedWith(invalidState('The reader is not attached to a stream'));
      const chunk = readNow(reader);
      if (chunk !== NOTHING) return resultOf({ value: chunk, done: false });
      const result = deferred();
      read(reader, new Request(result));
      return result.promise;
    }

    cancel(reason = undefined) {
      if (!isReader(this)) return wrongReader();
      const { stream } = this.#reader;
      if (stream === null)
        return rejectedWith(invalidState('The reader is not attached to a stream'));
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
