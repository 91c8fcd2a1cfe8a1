// The state behind a ReadableStream: its stages, its readers, its default queue.
//
// The public classes are thin: each holds one record, and the algorithms of the standard work
// on records, so that they can be shared with pipes, tees, transforms and bodies.
(function (native, internal) {
  'use strict';

  const {
    checkSize,
    deferred,
    Fifo,
    handled,
    invalidState,
    NOTHING,
    rejectedWith,
    resolvedWith,
    then,
    whenDone,
  } = internal.streams;

  const newRecord = () => ({
    __proto__: null,
    status: 'readable',
    error: undefined,
    reader: null,
    disturbed: false,
    controller: null,
    object: null,
  });

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
    if (stream.status === 'closed') return resolvedWith(undefined);
    if (stream.status === 'errored') return rejectedWith(stream.error);
    close(stream);
    const { reader } = stream;
    if (reader !== null && reader.byob)
      for (const request of reader.reads.clear()) request.close(undefined);
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

  // Returns a chunk that needs no waiting for, or NOTHING: what a request would get at once.
  const readNow = (reader) => {
    const { stream } = reader;
    stream.disturbed = true;
    return stream.status === 'readable' ? stream.controller.take() : NOTHING;
  };

  const acquire = (stream, byob = false) => {
    if (stream.reader !== null) throw invalidState('ReadableStream is locked');
    const reader = { __proto__: null, stream, byob, reads: new Fifo(), closed: deferred() };
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

  class DefaultControl {
    stream;
    pullSource;
    cancelSource;
    mark;
    size;
    queue = new Fifo();
    // Sizes of the chunks in the queue, if a strategy measures them.
    sizes;
    queued = 0;
    started = false;
    closing = false;
    pulling = false;
    pullAgain = false;
    // Made once, not for every chunk.
    pulled = () => {
      this.pulling = false;
      if (this.pullAgain) {
        this.pullAgain = false;
        this.pullIfNeeded();
      }
    };
    failed = (error) => this.fail(error);

    constructor(stream, { pull, cancel: cancelSource, mark, size }) {
      this.stream = stream;
      this.pullSource = pull;
      this.cancelSource = cancelSource;
      this.mark = mark;
      this.size = size;
      this.sizes = size === undefined ? undefined : new Fifo();
      stream.controller = this;
    }

    begin(start) {
      then(
        resolvedWith(start),
        () => {
          this.started = true;
          this.pullIfNeeded();
        },
        (error) => this.fail(error),
      );
    }

    get desired() {
      const { status } = this.stream;
      return status === 'errored' ? null : status === 'closed' ? 0 : this.mark - this.queued;
    }

    get open() {
      return !this.closing && this.stream.status === 'readable';
    }

    get wanted() {
      const { reader, status } = this.stream;
      if (this.closing || !this.started || status !== 'readable') return false;
      return this.mark > this.queued || (reader !== null && reader.reads.length > 0);
    }

    pullIfNeeded() {
      const { reader, status } = this.stream;
      if (this.closing || !this.started || status !== 'readable') return;
      if (this.mark <= this.queued && (reader === null || reader.reads.length === 0)) return;
      if (this.pulling) {
        this.pullAgain = true;
        return;
      }
      this.pulling = true;
      whenDone(this.pullSource(), this.pulled, this.failed);
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
      const { reader, status } = this.stream;
      if (this.closing || status !== 'readable') return;
      if (reader !== null && reader.reads.length > 0) {
        reader.reads.shift().chunk(chunk);
      } else if (this.sizes === undefined) {
        this.queue.push(chunk);
        this.queued++;
      } else {
        this.measure(chunk);
      }
      this.pullIfNeeded();
    }

    measure(chunk) {
      try {
        const size = checkSize(this.size(chunk));
        this.queue.push(chunk);
        this.sizes.push(size);
        this.queued += size;
      } catch (error) {
        this.fail(error);
        throw error;
      }
    }

    clear() {
      this.queue.clear();
      this.sizes?.clear();
      this.queued = 0;
    }

    fail(error) {
      if (this.stream.status !== 'readable') return;
      this.clear();
      this.forget();
      fail(this.stream, error);
    }

    cancel(reason) {
      this.clear();
      const result = this.cancelSource(reason);
      this.forget();
      return result;
    }

    // Returns the next chunk of the queue, or NOTHING.
    take() {
      const { queue, sizes } = this;
      if (queue.length === 0) return NOTHING;
      const chunk = queue.shift();
      const left = this.queued - (sizes === undefined ? 1 : sizes.shift());
      this.queued = left > 0 ? left : 0;
      if (this.closing && queue.length === 0) {
        this.forget();
        close(this.stream);
      } else {
        this.pullIfNeeded();
      }
      return chunk;
    }

    pull(request) {
      const chunk = this.take();
      if (chunk !== NOTHING) {
        request.chunk(chunk);
      } else {
        this.stream.reader.reads.push(request);
        this.pullIfNeeded();
      }
    }

    release() {}
  }

  Object.assign(internal.streams, {
    acquire,
    cancel,
    close,
    DefaultControl,
    fail,
    newRecord,
    read,
    readNow,
    release,
  });
});
