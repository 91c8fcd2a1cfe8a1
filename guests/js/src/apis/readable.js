// ReadableStream: the stream itself, its default controller, its default reader.
//
// The public classes are thin: each holds one record, and the algorithms of the standard work
// on records, so that they can be shared with pipes, tees, transforms and bodies.
(function (native, internal) {
  'use strict';

  const { customInspect, token } = internal;
  const {
    attempt, checkSize, deferred, Fifo, handled, highWaterMark, invalidState, method, sizeOf,
    then, wrongThis,
  } = internal.streams;
  let recordOf, objectOf, wrapController;

  const newRecord = () => ({
    status: 'readable', error: undefined, reader: null, disturbed: false, controller: null, object: null,
  });

  // --- the stream ---

  const close = (stream) => {
    stream.status = 'closed';
    const { reader } = stream;
    if (reader === null) return;
    reader.closed.resolve(undefined);
    if (!reader.byob) for (const request of reader.reads.clear()) request.close();
  };

  const fail = (stream, error) => {
    stream.status = 'errored';
    stream.error = error;
    const { reader } = stream;
    if (reader === null) return;
    handled(reader.closed.promise);
    reader.closed.reject(error);
    for (const request of reader.reads.clear()) request.error(error);
  };

  const cancel = (stream, reason) => {
    stream.disturbed = true;
    if (stream.status === 'closed') return Promise.resolve(undefined);
    if (stream.status === 'errored') return Promise.reject(stream.error);
    close(stream);
    const { reader } = stream;
    if (reader !== null && reader.byob) for (const request of reader.reads.clear()) request.close(undefined);
    return then(stream.controller.cancel(reason), () => undefined);
  };

  // Asks for one chunk; exactly one of the request's chunk, close, error is called.
  const read = (reader, request) => {
    const { stream } = reader;
    stream.disturbed = true;
    if (stream.status === 'closed') request.close();
    else if (stream.status === 'errored') request.error(stream.error);
    else stream.controller.pull(request);
  };

  const acquire = (stream, byob = false) => {
    if (stream.reader !== null) throw invalidState('ReadableStream is locked');
    const reader = { stream, byob, reads: new Fifo(), closed: deferred() };
    stream.reader = reader;
    if (stream.status === 'closed') reader.closed.resolve(undefined);
    if (stream.status === 'errored') {
      handled(reader.closed.promise);
      reader.closed.reject(stream.error);
    }
    return reader;
  };

  const release = (reader) => {
    const { stream } = reader;
    if (stream === null) return;
    const error = invalidState('Reader released');
    if (stream.status !== 'readable') reader.closed = deferred();
    handled(reader.closed.promise);
    reader.closed.reject(error);
    stream.controller.release();
    stream.reader = null;
    reader.stream = null;
    for (const request of reader.reads.clear()) request.error(error);
  };

  // --- the default controller ---

  class DefaultControl {
    queue = new Fifo();
    queued = 0;
    started = false;
    closing = false;
    pulling = false;
    pullAgain = false;

    constructor(stream, { pull, cancel: cancelSource, mark, size }) {
      this.stream = stream;
      this.pullSource = pull;
      this.cancelSource = cancelSource;
      this.mark = mark;
      this.size = size;
      stream.controller = this;
    }

    begin(start) {
      then(Promise.resolve(start), () => {
        this.started = true;
        this.pullIfNeeded();
      }, (error) => this.fail(error));
    }

    get desired() {
      const { status } = this.stream;
      return status === 'errored' ? null : status === 'closed' ? 0 : this.mark - this.queued;
    }

    get open() {
      return !this.closing && this.stream.status === 'readable';
    }

    get wanted() {
      if (!this.open || !this.started) return false;
      const { reader } = this.stream;
      return (reader !== null && reader.reads.length > 0) || this.desired > 0;
    }

    pullIfNeeded() {
      if (!this.wanted) return;
      if (this.pulling) {
        this.pullAgain = true;
        return;
      }
      this.pulling = true;
      then(this.pullSource(), () => {
        this.pulling = false;
        if (this.pullAgain) {
          this.pullAgain = false;
          this.pullIfNeeded();
        }
      }, (error) => this.fail(error));
    }

    forget() {
      this.pullSource = this.cancelSource = this.size = undefined;
    }

    close() {
      if (!this.open) return;
      this.closing = true;
      if (this.queue.length === 0) {
        this.forget();
        close(this.stream);
      }
    }

    enqueue(chunk) {
      if (!this.open) return;
      const { reader } = this.stream;
      if (reader !== null && reader.reads.length > 0) {
        reader.reads.shift().chunk(chunk);
      } else {
        try {
          const size = checkSize(this.size(chunk));
          this.queue.push({ chunk, size });
          this.queued += size;
        } catch (error) {
          this.fail(error);
          throw error;
        }
      }
      this.pullIfNeeded();
    }

    fail(error) {
      if (this.stream.status !== 'readable') return;
      this.queue.clear();
      this.queued = 0;
      this.forget();
      fail(this.stream, error);
    }

    cancel(reason) {
      this.queue.clear();
      this.queued = 0;
      const result = this.cancelSource(reason);
      this.forget();
      return result;
    }

    pull(request) {
      if (this.queue.length > 0) {
        const { chunk, size } = this.queue.shift();
        this.queued = Math.max(0, this.queued - size);
        if (this.closing && this.queue.length === 0) {
          this.forget();
          close(this.stream);
        } else {
          this.pullIfNeeded();
        }
        request.chunk(chunk);
      } else {
        this.stream.reader.reads.push(request);
        this.pullIfNeeded();
      }
    }

    release() {}
  }

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

    get desiredSize() { return this.#control.desired; }

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
  const create = ({ start, pull = () => Promise.resolve(), cancel: onCancel = () => Promise.resolve(), mark = 1, size = () => 1 }) => {
    const record = newRecord();
    const control = new DefaultControl(record, { pull: () => pull(control), cancel: onCancel, mark, size });
    control.begin(start === undefined ? undefined : start(control));
    return objectOf(record);
  };

  const fromSource = (record, source, strategy) => {
    const start = method(source, 'start');
    const pull = method(source, 'pull');
    const onCancel = method(source, 'cancel');
    const control = new DefaultControl(record, {
      pull: pull === undefined ? () => Promise.resolve() : () => attempt(pull, source, [controller]),
      cancel: onCancel === undefined ? () => Promise.resolve() : (reason) => attempt(onCancel, source, [reason]),
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
        if (value === null || typeof value !== 'object' || !(#record in value)) throw wrongThis('ReadableStream');
        return value.#record;
      };
      objectOf = (record) => {
        record.object ??= new ReadableStream(token, record);
        return record.object;
      };
      internal.isReadableStream = (value) => value !== null && typeof value === 'object' && #record in value;
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

    get locked() { return this.#record.reader !== null; }

    cancel(reason = undefined) {
      if (!internal.isReadableStream(this)) return Promise.reject(wrongThis('ReadableStream'));
      if (this.#record.reader !== null) return Promise.reject(invalidState('ReadableStream is locked'));
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
      const shown = { locked: reader !== null, state: status, supportsBYOB: controller instanceof DefaultControl === false };
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
      if (this.#reader.stream === null) return Promise.reject(invalidState('The reader is not attached to a stream'));
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
      if (stream === null) return Promise.reject(invalidState('The reader is not attached to a stream'));
      return cancel(stream, reason);
    }

    releaseLock() {
      release(this.#reader);
    }
  }

  for (const Class of [ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController]) {
    internal.exposeClass(Class);
  }
  Object.assign(internal.streams, {
    acquire, cancel, close, create, fail, newRecord, objectOf, read, recordOf, release,
  });
  internal.ReadableStream = ReadableStream;
})
