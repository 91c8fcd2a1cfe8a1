// WritableStream, its controller, its writer.
(function (native, internal) {
  'use strict';

  const { coded, customInspect, token } = internal;
  const {
    attempt,
    invalidState,
    isObject,
    markOf,
    method,
    readStrategy,
    rejectedWith,
    settled,
    sizeOf,
    WritableControl,
    WritableRecord,
    WriterRecord,
    wrongThis,
  } = internal.streams;
  let recordOf, objectOf, wrapController, isWriter;
  const unbound = () => invalidState('Writer is not bound to a WritableStream');

  const create = ({ start, write, close, abort, mark, size }) => {
    const record = new WritableRecord();
    const parts = { __proto__: null, write, close, abort, mark, size };
    const control = new WritableControl(record, parts);
    control.begin(start);
    return objectOf(record);
  };

  class WritableStreamDefaultController {
    #control;

    static {
      wrapController = (control) => {
        const controller = new WritableStreamDefaultController(token);
        controller.#control = control;
        return controller;
      };
    }

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get signal() {
      return this.#control.abortController.signal;
    }

    error(error = undefined) {
      this.#control.errorIfNeeded(error);
    }
  }

  class WritableStream {
    #record;

    static {
      recordOf = (value) => {
        if (value === null || typeof value !== 'object' || !(#record in value))
          throw wrongThis('WritableStream');
        return value.#record;
      };
      objectOf = (record) => {
        record.object ??= new WritableStream(token, record);
        return record.object;
      };
      internal.isWritableStream = (value) =>
        value !== null && typeof value === 'object' && #record in value;
      internal.isWritableLocked = (stream) => stream.#record.writer !== null;
    }

    constructor(sink = undefined, strategy = undefined) {
      if (sink === token) {
        this.#record = strategy;
        return;
      }
      if (sink !== undefined && !isObject(sink)) {
        throw internal.wrongType('sink', 'of type object', sink);
      }
      strategy = readStrategy(strategy);
      sink ??= { __proto__: null };
      const abort = method(sink, 'abort', 'sink');
      const close = method(sink, 'close', 'sink');
      const start = method(sink, 'start', 'sink');
      const { type } = sink;
      const write = method(sink, 'write', 'sink');
      if (type !== undefined) throw internal.wrongValue('sink.type', type, RangeError);
      const record = new WritableRecord();
      record.object = this;
      this.#record = record;
      const size = sizeOf(strategy);
      const control = new WritableControl(record, {
        __proto__: null,
        write:
          write === undefined ? settled : (chunk) => attempt(write, sink, [chunk, controller]),
        close: close === undefined ? settled : () => attempt(close, sink, []),
        abort: abort === undefined ? settled : (reason) => attempt(abort, sink, [reason]),
        mark: markOf(strategy, 1),
        size,
      });
      const controller = wrapController(control);
      control.begin(start === undefined ? undefined : Reflect.apply(start, sink, [controller]));
    }

    get locked() {
      return this.#record.writer !== null;
    }

    abort(reason = undefined) {
      if (!internal.isWritableStream(this)) return rejectedWith(wrongThis('WritableStream'));
      if (this.#record.writer !== null)
        return rejectedWith(invalidState('WritableStream is locked'));
      return this.#record.abort(reason);
    }

    close() {
      if (!internal.isWritableStream(this)) return rejectedWith(wrongThis('WritableStream'));
      if (this.#record.writer !== null)
        return rejectedWith(invalidState('WritableStream is locked'));
      return this.#record.close();
    }

    getWriter() {
      return new WritableStreamDefaultWriter(this);
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'WritableStream';
      return `WritableStream ${inspect({ locked: this.locked, state: this.#record.status }, options)}`;
    }
  }

  class WritableStreamDefaultWriter {
    #writer;

    static {
      isWriter = (value) => isObject(value) && #writer in value;
    }

    constructor(stream) {
      this.#writer = new WriterRecord(recordOf(stream));
    }

    get closed() {
      return isWriter(this) ? this.#writer.closed.promise : wrongWriter();
    }
    get ready() {
      return isWriter(this) ? this.#writer.ready.promise : wrongWriter();
    }

    get desiredSize() {
      if (this.#writer.stream === null) throw unbound();
      return this.#writer.desired;
    }

    abort(reason = undefined) {
      if (!isWriter(this)) return wrongWriter();
      const { stream } = this.#writer;
      return stream === null ? rejectedWith(unbound()) : stream.abort(reason);
    }

    close() {
      if (!isWriter(this)) return wrongWriter();
      const { stream } = this.#writer;
      return stream === null ? rejectedWith(unbound()) : stream.close();
    }

    releaseLock() {
      this.#writer.release();
    }

    write(chunk = undefined) {
      if (!isWriter(this)) return wrongWriter();
      return this.#writer.stream === null ? rejectedWith(unbound()) : this.#writer.write(chunk);
    }
  }
  const wrongWriter = () => rejectedWith(wrongThis('WritableStreamDefaultWriter'));

  for (const Class of [
    WritableStream,
    WritableStreamDefaultWriter,
    WritableStreamDefaultController,
  ]) {
    internal.exposeClass(Class);
  }
  Object.assign(internal.streams, { createWritable: create, writableRecordOf: recordOf });
});
