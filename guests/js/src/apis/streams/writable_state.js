// The state behind a WritableStream: its stages, its queue, and the side of its writer.
(function (native, internal) {
  'use strict';

  const { AbortController, signalAbort } = internal;
  const {
    checkSize,
    deferred,
    Fifo,
    handled,
    invalidState,
    nothing,
    rejectedWith,
    resolvedWith,
    settled,
    then,
    whenDone,
  } = internal.streams;
  const CLOSE = Symbol('close');

  // A promise of a writer: the same object until it is settled.
  class Pending {
    isPending = true;
    promise;
    #parts = deferred();

    constructor() {
      this.promise = this.#parts.promise;
    }

    resolve(value) {
      this.isPending = false;
      this.#parts.resolve(value);
    }

    reject(error) {
      this.isPending = false;
      handled(this.promise);
      this.#parts.reject(error);
    }
  }
  const resolved = () => ({
    __proto__: null,
    isPending: false,
    promise: resolvedWith(undefined),
    resolve: nothing,
    reject: nothing,
  });
  const rejected = (error) => {
    const parts = new Pending();
    parts.reject(error);
    return parts;
  };

  class WritableRecord {
    // 'writable' → 'erroring' → 'errored', or 'closed'
    status = 'writable';
    error = undefined;
    writer = null;
    writes = new Fifo();
    inFlightWrite = null;
    closeRequest = null;
    inFlightClose = null;
    pendingAbort = null;
    backpressure = false;
    control = null;
    object = null;

    get closing() {
      return this.closeRequest !== null || this.inFlightClose !== null;
    }

    get inFlight() {
      return this.inFlightWrite !== null || this.inFlightClose !== null;
    }

    setBackpressure(backpressure) {
      const { writer } = this;
      if (writer !== null && backpressure !== this.backpressure) {
        if (backpressure) writer.ready = new Pending();
        else writer.ready.resolve(undefined);
      }
      this.backpressure = backpressure;
    }

    abort(reason) {
      if (this.status === 'closed' || this.status === 'errored') return resolvedWith(undefined);
      signalAbort(this.control.abortController.signal, reason);
      if (this.status === 'closed' || this.status === 'errored') return resolvedWith(undefined);
      if (this.pendingAbort !== null) return this.pendingAbort.done.promise;
      const wasErroring = this.status === 'erroring';
      const done = deferred();
      const given = wasErroring ? undefined : reason;
      this.pendingAbort = { __proto__: null, done, reason: given, wasErroring };
      if (!wasErroring) this.startErroring(reason);
      return done.promise;
    }

    close() {
      const { status } = this;
      if (status === 'closed' || status === 'errored') {
        return rejectedWith(
          invalidState(`Stream is ${status === 'closed' ? 'closed' : 'errored'}`),
        );
      }
      if (this.closing) return rejectedWith(invalidState('Stream is closing'));
      const { promise } = (this.closeRequest = deferred());
      const { writer } = this;
      if (writer !== null && this.backpressure && status === 'writable')
        writer.ready.resolve(undefined);
      this.control.close();
      return promise;
    }

    dealWithRejection(error) {
      if (this.status === 'writable') this.startErroring(error);
      else this.finishErroring();
    }

    startErroring(reason) {
      this.status = 'erroring';
      this.error = reason;
      if (this.writer !== null) this.writer.rejectReady(reason);
      if (!this.inFlight && this.control.started) this.finishErroring();
    }

    finishErroring() {
      this.status = 'errored';
      this.control.errorSteps();
      for (const request of this.writes.clear()) request.reject(this.error);
      const abort = this.pendingAbort;
      if (abort === null) {
        this.rejectCloseAndClosed();
        return;
      }
      this.pendingAbort = null;
      if (abort.wasErroring) {
        abort.done.reject(this.error);
        this.rejectCloseAndClosed();
        return;
      }
      then(
        this.control.abortSteps(abort.reason),
        () => {
          abort.done.resolve(undefined);
          this.rejectCloseAndClosed();
        },
        (error) => {
          abort.done.reject(error);
          this.rejectCloseAndClosed();
        },
      );
    }

    rejectCloseAndClosed() {
      if (this.closeRequest !== null) {
        this.closeRequest.reject(this.error);
        this.closeRequest = null;
      }
      if (this.writer !== null) {
        this.writer.closed.reject(this.error);
      }
    }

    finishWrite() {
      this.inFlightWrite.resolve(undefined);
      this.inFlightWrite = null;
    }

    finishWriteWithError(error) {
      this.inFlightWrite.reject(error);
      this.inFlightWrite = null;
      this.dealWithRejection(error);
    }

    finishClose() {
      this.inFlightClose.resolve(undefined);
      this.inFlightClose = null;
      if (this.status === 'erroring') {
        this.error = undefined;
        if (this.pendingAbort !== null) {
          this.pendingAbort.done.resolve(undefined);
          this.pendingAbort = null;
        }
      }
      this.status = 'closed';
      if (this.writer !== null) this.writer.closed.resolve(undefined);
    }

    finishCloseWithError(error) {
      this.inFlightClose.reject(error);
      this.inFlightClose = null;
      if (this.pendingAbort !== null) {
        this.pendingAbort.done.reject(error);
        this.pendingAbort = null;
      }
      this.dealWithRejection(error);
    }
  }

  class Control {
    stream;
    writeSink;
    closeSink;
    abortSink;
    mark;
    size;
    queue = new Fifo();
    queued = 0;
    started = false;
    abortController = new AbortController();
    // Made once, not for every chunk.
    written = () => {
      const { stream } = this;
      stream.finishWrite();
      const left = this.queued - this.queue.shift().size;
      this.queued = left > 0 ? left : 0;
      if (!stream.closing && stream.status === 'writable')
        stream.setBackpressure(this.backpressure);
      this.advance();
    };
    writeFailed = (error) => {
      const { stream } = this;
      if (stream.status === 'writable') this.forget();
      stream.finishWriteWithError(error);
    };

    constructor(stream, { write, close, abort, mark, size }) {
      this.stream = stream;
      this.writeSink = write;
      this.closeSink = close;
      this.abortSink = abort;
      this.mark = mark;
      this.size = size;
      stream.control = this;
    }

    begin(start) {
      this.stream.setBackpressure(this.backpressure);
      then(
        resolvedWith(start),
        () => {
          this.started = true;
          this.advance();
        },
        (error) => {
          this.started = true;
          this.stream.dealWithRejection(error);
        },
      );
    }

    get desired() {
      return this.mark - this.queued;
    }

    get backpressure() {
      return this.desired <= 0;
    }

    sizeFor(chunk) {
      // A stream that fails has let go of its strategy.
      if (this.size === undefined) return 1;
      try {
        return this.size(chunk);
      } catch (error) {
        this.errorIfNeeded(error);
        return 1;
      }
    }

    push(chunk, size) {
      this.queue.push({ __proto__: null, chunk, size });
      this.queued += size;
    }

    close() {
      this.push(CLOSE, 0);
      this.advance();
    }

    write(chunk, size) {
      const { stream } = this;
      try {
        this.push(chunk, checkSize(size));
      } catch (error) {
        this.errorIfNeeded(error);
        return;
      }
      if (!stream.closing && stream.status === 'writable')
        stream.setBackpressure(this.backpressure);
      this.advance();
    }

    advance() {
      const { stream } = this;
      if (!this.started || stream.inFlightWrite !== null) return;
      if (stream.status === 'erroring') {
        stream.finishErroring();
        return;
      }
      if (this.queue.length === 0) return;
      if (this.queue.first.chunk === CLOSE) this.doClose();
      else this.doWrite(this.queue.first.chunk);
    }

    doClose() {
      const { stream } = this;
      stream.inFlightClose = stream.closeRequest;
      stream.closeRequest = null;
      this.queue.shift();
      const closing = this.closeSink();
      this.forget();
      then(
        closing,
        () => stream.finishClose(),
        (error) => stream.finishCloseWithError(error),
      );
    }

    doWrite(chunk) {
      const { stream } = this;
      stream.inFlightWrite = stream.writes.shift();
      whenDone(this.writeSink(chunk), this.written, this.writeFailed);
    }

    errorIfNeeded(error) {
      if (this.stream.status === 'writable') this.error(error);
    }

    error(error) {
      this.forget();
      this.stream.startErroring(error);
    }

    errorSteps() {
      this.queue.clear();
      this.queued = 0;
    }

    abortSteps(reason) {
      const aborting = this.abortSink(reason);
      this.forget();
      return aborting;
    }

    forget() {
      this.writeSink = this.closeSink = this.size = undefined;
      this.abortSink = settled;
    }
  }

  // State of a writer; also used by pipes without the public class.
  class WriterRecord {
    stream;
    ready;
    closed;

    constructor(stream) {
      if (stream.writer !== null) throw invalidState('WritableStream is locked');
      this.stream = stream;
      stream.writer = this;
      const { status } = stream;
      if (status === 'writable') {
        this.ready = !stream.closing && stream.backpressure ? new Pending() : resolved();
        this.closed = new Pending();
      } else if (status === 'erroring') {
        this.ready = rejected(stream.error);
        this.closed = new Pending();
      } else if (status === 'closed') {
        this.ready = resolved();
        this.closed = resolved();
      } else {
        this.ready = rejected(stream.error);
        this.closed = rejected(stream.error);
      }
    }

    rejectReady(error) {
      // One that is waited for is rejected; one that is settled already is replaced.
      if (this.ready.isPending) this.ready.reject(error);
      else this.ready = rejected(error);
    }

    rejectClosed(error) {
      if (this.closed.isPending) this.closed.reject(error);
      else this.closed = rejected(error);
    }

    get desired() {
      const { stream } = this;
      if (stream.status === 'errored' || stream.status === 'erroring') return null;
      return stream.status === 'closed' ? 0 : stream.control.desired;
    }

    write(chunk) {
      const request = deferred();
      this.send(chunk, request);
      return request.promise;
    }

    // Writes a chunk; `request` is resolved or rejected when that is done.
    send(chunk, request) {
      const { stream } = this;
      const size = stream.control.sizeFor(chunk);
      const { status } = stream;
      if (stream !== this.stream) {
        request.reject(invalidState('Writer is not bound to a WritableStream'));
      } else if (status === 'errored') {
        request.reject(stream.error);
      } else if (stream.closing || status === 'closed') {
        request.reject(invalidState('Stream is closed or closing'));
      } else if (status === 'erroring') {
        request.reject(stream.error);
      } else {
        stream.writes.push(request);
        stream.control.write(chunk, size);
      }
    }

    release() {
      const { stream } = this;
      if (stream === null) return;
      const error = invalidState('Writer has been released');
      this.rejectReady(error);
      this.rejectClosed(error);
      stream.writer = null;
      this.stream = null;
    }
  }

  Object.assign(internal.streams, { WritableRecord, WritableControl: Control, WriterRecord });
});
