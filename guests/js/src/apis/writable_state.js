// What stands behind a WritableStream: its states, its queue, and the side of its writer.
(function (native, internal) {
  'use strict';

  const { AbortController, signalAbort } = internal;
  const { checkSize, deferred, Fifo, handled, invalidState, nothing, then } = internal.streams;
  const CLOSE = Symbol('close');

  const resolved = () => ({
    ...deferred(),
    promise: Promise.resolve(undefined),
    resolve: nothing,
    reject: nothing,
  });
  const rejected = (error) => {
    const parts = deferred();
    handled(parts.promise);
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
        if (backpressure) writer.ready = deferred();
        else writer.ready.resolve(undefined);
      }
      this.backpressure = backpressure;
    }

    abort(reason) {
      if (this.status === 'closed' || this.status === 'errored') return Promise.resolve(undefined);
      signalAbort(this.control.abortController.signal, reason);
      if (this.status === 'closed' || this.status === 'errored') return Promise.resolve(undefined);
      if (this.pendingAbort !== null) return this.pendingAbort.done.promise;
      const wasErroring = this.status === 'erroring';
      const done = deferred();
      this.pendingAbort = { done, reason: wasErroring ? undefined : reason, wasErroring };
      if (!wasErroring) this.startErroring(reason);
      return done.promise;
    }

    close() {
      const { status } = this;
      if (status === 'closed' || status === 'errored') {
        return Promise.reject(
          invalidState(`Stream is ${status === 'closed' ? 'closed' : 'errored'}`),
        );
      }
      if (this.closing) return Promise.reject(invalidState('Stream is closing'));
      const { promise } = (this.closeRequest = deferred());
      const { writer } = this;
      if (writer !== null && this.backpressure && status === 'writable')
        writer.ready.resolve(undefined);
      this.control.push(CLOSE, 0);
      return promise;
    }

    write(chunk) {
      const request = deferred();
      this.writes.push(request);
      return request.promise;
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
        handled(this.writer.closed.promise);
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
    queue = new Fifo();
    queued = 0;
    started = false;
    abortController = new AbortController();

    constructor(stream, { write, close, abort, mark, size }) {
      Object.assign(this, {
        stream,
        writeSink: write,
        closeSink: close,
        abortSink: abort,
        mark,
        size,
      });
      stream.control = this;
    }

    begin(start) {
      this.stream.setBackpressure(this.backpressure);
      then(
        Promise.resolve(start),
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
      try {
        return this.size === undefined ? 1 : checkSize(this.size(chunk));
      } catch (error) {
        this.errorIfNeeded(error);
        return 1;
      }
    }

    push(chunk, size) {
      this.queue.push({ chunk, size });
      this.queued += size;
      this.advance();
    }

    write(chunk, size) {
      const { stream } = this;
      this.queue.push({ chunk, size });
      this.queued += size;
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
      then(
        this.writeSink(chunk),
        () => {
          stream.finishWrite();
          this.queued = Math.max(0, this.queued - this.queue.shift().size);
          if (!stream.closing && stream.status === 'writable')
            stream.setBackpressure(this.backpressure);
          this.advance();
        },
        (error) => {
          if (stream.status === 'writable') this.forget();
          stream.finishWriteWithError(error);
        },
      );
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
      this.abortSink = () => Promise.resolve();
    }
  }

  // What a writer holds; also used by pipes without the public class.
  class WriterRecord {
    constructor(stream) {
      if (stream.writer !== null) throw invalidState('WritableStream is locked');
      this.stream = stream;
      stream.writer = this;
      const { status } = stream;
      if (status === 'writable') {
        this.ready = !stream.closing && stream.backpressure ? deferred() : resolved();
        this.closed = deferred();
      } else if (status === 'erroring') {
        this.ready = rejected(stream.error);
        this.closed = deferred();
      } else if (status === 'closed') {
        this.ready = resolved();
        this.closed = resolved();
      } else {
        this.ready = rejected(stream.error);
        this.closed = rejected(stream.error);
      }
    }

    rejectReady(error) {
      // One that is waited for is rejected; one that is settled already is only replaced.
      handled(this.ready.promise);
      this.ready.reject(error);
      this.ready = rejected(error);
    }

    get desired() {
      const { stream } = this;
      if (stream.status === 'errored' || stream.status === 'erroring') return null;
      return stream.status === 'closed' ? 0 : stream.control.desired;
    }

    write(chunk) {
      const { stream } = this;
      const size = stream.control.sizeFor(chunk);
      if (stream !== this.stream)
        return Promise.reject(invalidState('Writer is not bound to a WritableStream'));
      if (stream.status === 'errored') return Promise.reject(stream.error);
      if (stream.closing || stream.status === 'closed')
        return Promise.reject(invalidState('Stream is closed or closing'));
      if (stream.status === 'erroring') return Promise.reject(stream.error);
      const promise = stream.write(chunk);
      stream.control.write(chunk, size);
      return promise;
    }

    release() {
      const { stream } = this;
      if (stream === null) return;
      const error = invalidState('Writer has been released');
      this.rejectReady(error);
      if (stream.status !== 'writable' && stream.status !== 'erroring') this.closed = deferred();
      handled(this.closed.promise);
      this.closed.reject(error);
      stream.writer = null;
      this.stream = null;
    }
  }

  Object.assign(internal.streams, { WritableRecord, WritableControl: Control, WriterRecord });
});
