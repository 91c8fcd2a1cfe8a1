// Byte streams: the queue of bytes, and the buffers that wait to be filled from it.
(function (native, internal) {
  'use strict';

  const { coded, streams } = internal;
  const { close, fail, Fifo, invalidState, then } = streams;

  class ByteControl {
    queue = new Fifo();
    queued = 0;
    // Buffers that wait to be filled, of readers or allocated for them.
    intos = new Fifo();
    started = false;
    closing = false;
    pulling = false;
    pullAgain = false;
    request = null;

    constructor(stream, { pull, cancel: cancelSource, mark, chunkSize }) {
      this.stream = stream;
      this.pullSource = pull;
      this.cancelSource = cancelSource;
      this.mark = mark;
      this.chunkSize = chunkSize;
      stream.controller = this;
    }

    begin(start) {
      then(
        Promise.resolve(start),
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
      if (!this.open || !this.started) return false;
      const { reader } = this.stream;
      return (
        (reader !== null && reader.reads.length > 0) || this.intos.length > 0 || this.desired > 0
      );
    }

    pullIfNeeded() {
      if (!this.wanted) return;
      if (this.pulling) {
        this.pullAgain = true;
        return;
      }
      this.pulling = true;
      then(
        this.pullSource(),
        () => {
          this.pulling = false;
          if (this.pullAgain) {
            this.pullAgain = false;
            this.pullIfNeeded();
          }
        },
        (error) => this.fail(error),
      );
    }

    forget() {
      this.pullSource = this.cancelSource = undefined;
    }

    close() {
      if (!this.open) return;
      if (this.queued > 0) {
        this.closing = true;
        return;
      }
      const into = this.intos.first;
      if (into !== undefined && into.filled % into.elementSize !== 0) {
        const error = coded(new TypeError('Invalid state: Partial read'), 'ERR_INVALID_STATE');
        this.fail(error);
        throw error;
      }
      this.closing = true;
      this.forget();
      close(this.stream);
    }

    enqueue(view) {
      if (!this.open) return;
      // The standard takes the memory away from the source, so that nobody writes to it later.
      const { byteOffset, byteLength } = view;
      const buffer = view.buffer.transfer();
      this.dropRequest();
      this.queue.push({ buffer, offset: byteOffset, length: byteLength });
      this.queued += byteLength;
      this.serve();
      this.pullIfNeeded();
    }

    // Hands queued bytes to whoever waits.
    serve() {
      const { reader } = this.stream;
      if (reader === null) return;
      if (reader.byob) {
        while (this.intos.length > 0 && this.queued > 0) {
          if (!this.fill(this.intos.first)) break;
          this.commit(this.intos.shift());
        }
        return;
      }
      while (reader.reads.length > 0 && this.queued > 0) {
        if (this.intos.length > 0) this.intos.shift();
        reader.reads.shift().chunk(this.take());
      }
    }

    take() {
      const { buffer, offset, length } = this.queue.shift();
      this.queued -= length;
      this.afterTaking();
      return new Uint8Array(buffer, offset, length);
    }

    afterTaking() {
      if (this.closing && this.queued === 0) {
        this.forget();
        close(this.stream);
      } else {
        this.pullIfNeeded();
      }
    }

    // Copies from the queue; true when the buffer has what its reader asked for.
    fill(into) {
      const aligned = (count) => count - (count % into.elementSize);
      let room = Math.min(this.queued, into.length - into.filled);
      const ready = aligned(into.filled + room) >= into.least;
      if (ready) room = aligned(into.filled + room) - into.filled;
      while (room > 0) {
        const head = this.queue.first;
        const count = Math.min(room, head.length);
        new Uint8Array(into.buffer, into.offset + into.filled, count).set(
          new Uint8Array(head.buffer, head.offset, count),
        );
        if (count === head.length) this.queue.shift();
        else {
          head.offset += count;
          head.length -= count;
        }
        this.queued -= count;
        into.filled += count;
        room -= count;
      }
      return ready;
    }

    viewOf(into) {
      return new into.View(into.buffer, into.offset, into.filled / into.elementSize);
    }

    commit(into) {
      const { reader } = this.stream;
      if (into.automatic) {
        if (reader !== null && reader.reads.length > 0)
          reader.reads.shift().chunk(this.viewOf(into));
        return;
      }
      const request = reader.reads.shift();
      if (this.stream.status === 'closed') request.close(this.viewOf(into));
      else request.chunk(this.viewOf(into));
    }

    fail(error) {
      if (this.stream.status !== 'readable') return;
      this.dropRequest();
      this.intos.clear();
      this.queue.clear();
      this.queued = 0;
      this.forget();
      fail(this.stream, error);
    }

    cancel(reason) {
      this.dropRequest();
      this.intos.clear();
      this.queue.clear();
      this.queued = 0;
      const result = this.cancelSource(reason);
      this.forget();
      return result;
    }

    pull(request) {
      if (this.queued > 0) {
        request.chunk(this.take());
        return;
      }
      if (this.chunkSize !== undefined) {
        this.intos.push({
          buffer: new ArrayBuffer(this.chunkSize),
          offset: 0,
          length: this.chunkSize,
          filled: 0,
          least: 1,
          elementSize: 1,
          View: Uint8Array,
          automatic: true,
        });
      }
      this.stream.reader.reads.push(request);
      this.pullIfNeeded();
    }

    pullInto(view, least, request) {
      const { stream } = this;
      const View = view instanceof DataView ? DataView : globalTyped(view);
      const elementSize = view instanceof DataView ? 1 : view.BYTES_PER_ELEMENT;
      const { byteOffset, byteLength } = view;
      const buffer = view.buffer.transfer();
      const into = {
        buffer,
        offset: byteOffset,
        length: byteLength,
        filled: 0,
        least: least * elementSize,
        elementSize,
        View,
        automatic: false,
      };
      if (stream.status === 'errored') {
        request.error(stream.error);
      } else if (stream.status === 'closed') {
        request.close(this.viewOf(into));
      } else if (this.intos.length === 0 && this.queued > 0 && this.fill(into)) {
        this.afterTaking();
        request.chunk(this.viewOf(into));
      } else if (this.closing) {
        const error = invalidState('Insufficient bytes to fill elements in the given buffer');
        this.fail(error);
        request.error(error);
      } else {
        this.intos.push(into);
        stream.reader.reads.push(request);
        this.pullIfNeeded();
      }
    }

    // The source has written `count` bytes into the buffer it was shown.
    respond(count) {
      const into = this.intos.first;
      if (this.stream.status === 'closed') {
        if (count !== 0) throw invalidState('Controller is already closed');
      } else {
        if (count === 0)
          throw invalidState('bytesWritten must not be zero while the stream is readable');
        if (into.filled + count > into.length) {
          throw coded(
            new RangeError('The value of "bytesWritten" is out of range'),
            'ERR_OUT_OF_RANGE',
          );
        }
      }
      this.dropRequest();
      into.buffer = into.buffer.transfer();
      into.filled += count;
      if (this.stream.status === 'closed') {
        while (this.intos.length > 0 && this.stream.reader?.byob) this.commit(this.intos.shift());
        return;
      }
      if (into.filled < into.least) return;
      this.intos.shift();
      const extra = into.filled % into.elementSize;
      if (extra > 0) {
        const end = into.offset + into.filled;
        this.queue.push({ buffer: into.buffer.slice(end - extra, end), offset: 0, length: extra });
        this.queued += extra;
        into.filled -= extra;
      }
      this.commit(into);
      this.serve();
      this.pullIfNeeded();
    }

    get byobRequest() {
      const into = this.intos.first;
      if (this.request === null && into !== undefined) {
        const view = new Uint8Array(
          into.buffer,
          into.offset + into.filled,
          into.length - into.filled,
        );
        this.request = streams.wrapRequest(this, view);
      }
      return this.request;
    }

    dropRequest() {
      if (this.request !== null) streams.endRequest(this.request);
      this.request = null;
    }

    release() {
      const into = this.intos.first;
      this.intos.clear();
      this.dropRequest();
      if (into !== undefined && into.filled > 0) {
        this.queue.push({ buffer: into.buffer, offset: into.offset, length: into.filled });
        this.queued += into.filled;
      }
    }
  }

  // The constructor by the view's own kind, whatever its `constructor` says.
  const typedTag = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype),
    Symbol.toStringTag,
  ).get;
  const globalTyped = (view) => typedClasses[Reflect.apply(typedTag, view, [])];
  const typedClasses = { __proto__: null };
  for (const name of [
    'Int8Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'Float16Array',
    'Float32Array',
    'Float64Array',
    'BigInt64Array',
    'BigUint64Array',
  ])
    typedClasses[name] = globalThis[name];

  streams.ByteControl = ByteControl;
});
