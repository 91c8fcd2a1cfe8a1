// Byte streams as programs see them: sources of `type: 'bytes'`, and readers that bring their own
// buffer.
(function (native, internal) {
  'use strict';

  const { coded, token } = internal;
  const {
    acquire,
    attempt,
    ByteControl,
    cancel,
    deferred,
    highWaterMark,
    invalidState,
    method,
    recordOf,
    release,
  } = internal.streams;
  let wrapController;

  const requireView = (view, what) => {
    if (!ArrayBuffer.isView(view)) {
      throw internal.wrongType(what, 'an instance of Buffer, TypedArray, or DataView', view);
    }
    if (view.byteLength === 0 || view.buffer.byteLength === 0) {
      throw invalidState('chunk ArrayBuffer is zero-length or detached');
    }
  };

  class ReadableStreamBYOBRequest {
    #control;
    #view;

    static {
      internal.streams.wrapRequest = (control, view) => {
        const request = new ReadableStreamBYOBRequest(token);
        request.#control = control;
        request.#view = view;
        return request;
      };
      internal.streams.endRequest = (request) => {
        request.#control = undefined;
        request.#view = null;
      };
    }

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get view() {
      return this.#view;
    }

    respond(bytesWritten) {
      if (this.#control === undefined) throw invalidState('This BYOB request has been invalidated');
      this.#control.respond(Number(bytesWritten));
    }

    respondWithNewView(view) {
      if (this.#control === undefined) throw invalidState('This BYOB request has been invalidated');
      const shown = this.#view;
      if (view.byteOffset !== shown.byteOffset) {
        throw coded(
          new RangeError('The property "view.byteOffset" is invalid'),
          'ERR_INVALID_ARG_VALUE',
        );
      }
      if (view.buffer !== shown.buffer) {
        new Uint8Array(shown.buffer).set(
          new Uint8Array(view.buffer).subarray(0, shown.buffer.byteLength),
        );
      }
      this.#control.respond(view.byteLength);
    }
  }

  class ReadableByteStreamController {
    #control;

    static {
      wrapController = (control) => {
        const controller = new ReadableByteStreamController(token);
        controller.#control = control;
        return controller;
      };
    }

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get byobRequest() {
      return this.#control.byobRequest;
    }
    get desiredSize() {
      return this.#control.desired;
    }

    close() {
      if (!this.#control.open) throw invalidState('Controller is already closed');
      this.#control.close();
    }

    enqueue(chunk) {
      requireView(chunk, 'chunk');
      if (!this.#control.open) throw invalidState('Controller is already closed');
      this.#control.enqueue(chunk);
    }

    error(error = undefined) {
      this.#control.fail(error);
    }
  }

  class ReadableStreamBYOBReader {
    #reader;

    constructor(stream) {
      const record = recordOf(stream);
      if (!(record.controller instanceof ByteControl)) {
        throw coded(
          new TypeError(
            "The argument 'stream' must be a byte stream. Received an instance of ReadableStream",
          ),
          'ERR_INVALID_ARG_VALUE',
        );
      }
      this.#reader = acquire(record, true);
    }

    get closed() {
      return this.#reader.closed.promise;
    }

    read(view, options = undefined) {
      const result = deferred();
      try {
        requireView(view, 'view');
        const { stream } = this.#reader;
        if (stream === null) throw invalidState('The reader is not attached to a stream');
        const least = options?.min === undefined ? 1 : Number(options.min);
        if (!(least >= 1) || least > (view.length ?? view.byteLength)) {
          throw coded(
            new RangeError('The value of "options.min" is out of range'),
            'ERR_OUT_OF_RANGE',
          );
        }
        stream.disturbed = true;
        stream.controller.pullInto(view, least, {
          chunk: (value) => result.resolve({ value, done: false }),
          close: (value) => result.resolve({ value, done: true }),
          error: result.reject,
        });
      } catch (error) {
        result.reject(error);
      }
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

  internal.byteSource = (record, source, strategy) => {
    if (strategy?.size !== undefined) {
      throw coded(
        new RangeError("The property 'strategy.size' is invalid for a byte stream"),
        'ERR_INVALID_ARG_VALUE',
      );
    }
    const { autoAllocateChunkSize } = source;
    if (autoAllocateChunkSize !== undefined && !(autoAllocateChunkSize > 0)) {
      throw coded(
        new TypeError("The property 'source.autoAllocateChunkSize' is invalid"),
        'ERR_INVALID_ARG_VALUE',
      );
    }
    const start = method(source, 'start');
    const pull = method(source, 'pull');
    const onCancel = method(source, 'cancel');
    const control = new ByteControl(record, {
      pull:
        pull === undefined ? () => Promise.resolve() : () => attempt(pull, source, [controller]),
      cancel:
        onCancel === undefined
          ? () => Promise.resolve()
          : (reason) => attempt(onCancel, source, [reason]),
      mark: highWaterMark(strategy, 0),
      chunkSize: autoAllocateChunkSize,
    });
    const controller = wrapController(control);
    control.begin(start === undefined ? undefined : Reflect.apply(start, source, [controller]));
  };

  // A byte stream over functions of ours.
  internal.streams.createBytes = ({
    pull,
    cancel: onCancel = () => Promise.resolve(),
    mark = 0,
  }) => {
    const record = internal.streams.newRecord();
    const control = new ByteControl(record, { pull: () => pull(control), cancel: onCancel, mark });
    control.begin(undefined);
    return internal.streams.objectOf(record);
  };
  internal.streams.isByteStream = (record) => record.controller instanceof ByteControl;

  for (const Class of [
    ReadableStreamBYOBReader,
    ReadableStreamBYOBRequest,
    ReadableByteStreamController,
  ]) {
    internal.exposeClass(Class);
  }
  internal.ReadableStreamBYOBReader = ReadableStreamBYOBReader;
});
