// WritableStream, its controller, its writer.
(function (native, internal) {
  'use strict';

  const { coded, customInspect, token } = internal;
  const {
    attempt,
    highWaterMark,
    invalidState,
    method,
    sizeOf,
    WritableControl,
    WritableRecord,
    WriterRecord,
    wrongThis,
  } = internal.streams;
  let recordOf, objectOf, wrapController;

  const create = ({ start, write, close, abort, mark = 1, size }) => {
    const record = new WritableRecord();
    const control = new WritableControl(record, { write, close, abort, mark, size });
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
    }

    constructor(sink = {}, strategy = {}) {
      if (sink === token) {
        this.#record = strategy;
        return;
      }
      if (sink === null) sink = {};
      if (sink.type !== undefined) {
        throw internal.wrongValue('sink.type', sink.type, RangeError);
      }
      const record = new WritableRecord();
      record.object = this;
      this.#record = record;
      const start = method(sink, 'start');
      const write = method(sink, 'write');
      const close = method(sink, 'close');
      const abort = method(sink, 'abort');
      const control = new WritableControl(record, {
        write:
          write === undefined
            ? () => Promise.resolve()
            : (chunk) => attempt(write, sink, [chunk, controller]),
        close: close === undefined ? () => Promise.resolve() : () => attempt(close, sink, []),
        abort:
          abort === undefined
            ? () => Promise.resolve()
            : (reason) => attempt(abort, sink, [reason]),
        mark: highWaterMark(strategy, 1),
        size: sizeOf(strategy),
      });
      const controller = wrapController(control);
      control.begin(start === undefined ? undefined : Reflect.apply(start, sink, [controller]));
    }

    get locked() {
      return this.#record.writer !== null;
    }

    abort(reason = undefined) {
      if (!internal.isWritableStream(this)) return Promise.reject(wrongThis('WritableStream'));
      if (this.#record.writer !== null)
        return Promise.reject(invalidState('WritableStream is locked'));
      return this.#record.abort(reason);
    }

    close() {
      if (!internal.isWritableStream(this)) return Promise.reject(wrongThis('WritableStream'));
      if (this.#record.writer !== null)
        return Promise.reject(invalidState('WritableStream is locked'));
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

    constructor(stream) {
      this.#writer = new WriterRecord(recordOf(stream));
    }

    get closed() {
      return this.#writer.closed.promise;
    }
    get ready() {
      return this.#writer.ready.promise;
    }

    get desiredSize() {
      if (this.#writer.stream === null)
        throw invalidState('Writer is not bound to a WritableStream');
      return this.#writer.desired;
    }

    #bound() {
      const { stream } = this.#writer;
      if (stream === null) throw invalidState('Writer is not bound to a WritableStream');
      return stream;
    }

    async #with(action) {
      return action(this.#bound());
    }

    abort(reason = undefined) {
      return this.#with((stream) => stream.abort(reason));
    }

    close() {
      return this.#with((stream) => stream.close());
    }

    releaseLock() {
      this.#writer.release();
    }

    write(chunk = undefined) {
      if (this.#writer.stream === null) {
        return Promise.reject(invalidState('Writer is not bound to a WritableStream'));
      }
      return this.#writer.write(chunk);
    }
  }

  for (const Class of [
    WritableStream,
    WritableStreamDefaultWriter,
    WritableStreamDefaultController,
  ]) {
    internal.exposeClass(Class);
  }
  Object.assign(internal.streams, { createWritable: create, writableRecordOf: recordOf });
});
