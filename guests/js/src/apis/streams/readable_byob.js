// Byte streams as programs see them: sources of `type: 'bytes'`, and readers that bring their own
// buffer.
(function (native, internal) {
  'use strict';

  const { coded, token } = internal;
  const {
    acquire,
    ByteControl,
    byteLengthOf,
    cancel,
    deferred,
    enforceRange,
    invalidState,
    isDetached,
    isObject,
    outOfRange,
    recordOf,
    rejectedWith,
    release,
    settled,
    viewParts,
    wrongThis,
  } = internal.streams;
  const { isView } = ArrayBuffer;
  const SharedBuffer = SharedArrayBuffer;
  let isReader;
  const wrongReader = () => rejectedWith(wrongThis('ReadableStreamBYOBReader'));

  const requireView = (view, what) => {
    if (!isView(view)) {
      throw internal.wrongType(what, 'an instance of Buffer, TypedArray, or DataView', view);
    }
    const parts = viewParts(view);
    // Memory that is shared cannot be taken away from anybody.
    if (parts.buffer instanceof SharedBuffer) {
      throw internal.wrongType(`${what}.buffer`, 'an instance of ArrayBuffer', parts.buffer);
    }
    return parts;
  };

  const requireContent = (view, what) => {
    const parts = requireView(view, what);
    if (parts.length === 0 || byteLengthOf(parts.buffer) === 0 || isDetached(parts.buffer)) {
      throw invalidState('chunk ArrayBuffer is zero-length or detached');
    }
    return parts;
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
      internal.streams.viewOfRequest = (request) => request.#view;
    }

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get view() {
      return this.#view;
    }

    #bound(view) {
      if (this.#control === undefined) throw invalidState('This BYOB request has been invalidated');
      if (isDetached(viewParts(view).buffer)) {
        throw invalidState('The buffer of the request is detached');
      }
      return this.#control;
    }

    respond(bytesWritten) {
      internal.requireArguments(
        arguments.length,
        1,
        "Failed to execute 'respond' on 'ReadableStreamBYOBRequest'",
      );
      const count = enforceRange(bytesWritten, 'bytesWritten');
      this.#bound(this.#view).respond(count);
    }

    respondWithNewView(view) {
      requireView(view, 'view');
      this.#bound(view).respondWith(view);
    }
  }

  class ReadableByteStreamController {
    #control;

    static {
      internal.streams.wrapBytes = (control) => {
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
      requireContent(chunk, 'chunk');
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

    static {
      isReader = (value) => isObject(value) && #reader in value;
    }

    get closed() {
      return isReader(this) ? this.#reader.closed.promise : wrongReader();
    }

    read(view, options = undefined) {
      if (!isReader(this)) return wrongReader();
      const result = deferred();
      try {
        requireView(view, 'view');
        const min = options?.min;
        const least = min === undefined ? 1 : enforceRange(min, 'options.min');
        const { length, elementSize } = requireContent(view, 'view');
        if (least === 0) throw internal.wrongValue('options.min', min);
        if (least > length / elementSize) throw outOfRange('options.min');
        const { stream } = this.#reader;
        if (stream === null) throw invalidState('The reader is not attached to a stream');
        stream.disturbed = true;
        stream.controller.pullInto(view, least, {
          __proto__: null,
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

  // A byte stream over internal functions.
  internal.streams.createBytes = ({ pull, cancel: onCancel }) => {
    const record = internal.streams.newRecord();
    const control = new ByteControl(record, {
      __proto__: null,
      pull: () => pull(control),
      cancel: onCancel ?? settled,
      mark: 0,
      chunkSize: undefined,
    });
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
