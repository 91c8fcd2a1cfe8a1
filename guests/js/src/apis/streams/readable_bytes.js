// Byte streams: the queue of bytes, and the buffers that wait to be filled from it.
(function (native, internal) {
  'use strict';

  const { coded, streams } = internal;
  const { uncurry } = internal.primordials;
  const { close, fail, Fifo, invalidState, NOTHING, resolvedWith, then, whenDone } = streams;
  const { min } = Math;
  const Bytes = Uint8Array;
  const Buffer = ArrayBuffer;
  const setBytes = uncurry(Uint8Array.prototype.set);
  const sliceBuffer = uncurry(ArrayBuffer.prototype.slice);
  const transferBuffer = uncurry(ArrayBuffer.prototype.transferToFixedLength);
  const outOfRange = (name) =>
    coded(new RangeError(`The value of "${name}" is out of range`), 'ERR_OUT_OF_RANGE');

  // Transfers the memory to a new buffer; holders of the old one now hold an empty buffer.
  const transfer = (buffer) => {
    if (isDetached(buffer)) throw invalidState('chunk ArrayBuffer is zero-length or detached');
    return transferBuffer(buffer);
  };

  class ByteControl {
    stream;
    pullSource;
    cancelSource;
    mark;
    chunkSize;
    queue = new Fifo();
    queued = 0;
    // Buffers that wait to be filled, of readers or allocated for them.
    intos = new Fifo();
    started = false;
    closing = false;
    pulling = false;
    pullAgain = false;
    request = null;
    // Made once, not for every chunk.
    pulled = () => {
      this.pulling = false;
      if (this.pullAgain) {
        this.pullAgain = false;
        this.pullIfNeeded();
      }
    };
    failed = (error) => this.fail(error);

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

    // True if readers of that kind have pending reads.
    waits(byob) {
      const { reader } = this.stream;
      return reader !== null && reader.byob === byob && reader.reads.length > 0;
    }

    get wanted() {
      if (!this.open || !this.started) return false;
      return this.waits(false) || this.waits(true) || this.desired > 0;
    }

    pullIfNeeded() {
      if (!this.wanted) return;
      if (this.pulling) {
        this.pullAgain = true;
        return;
      }
      this.pulling = true;
      whenDone(this.pullSource(), this.pulled, this.failed);
    }

    forget() {
      this.pullSource = this.cancelSource = undefined;
    }

    // Chunks are cut to what a request asks for: none is ready without one.
    take() {
      return NOTHING;
    }

    empty() {
      this.dropRequest();
      this.intos.clear();
      this.queue.clear();
      this.queued = 0;
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
      this.forget();
      close(this.stream);
    }

    enqueue(view) {
      if (!this.open) return;
      // The standard transfers the memory away from the source, so that it cannot be written to later.
      const { offset, length, buffer: given } = partsOf(view);
      const buffer = transfer(given);
      const into = this.intos.first;
      if (into !== undefined) {
        if (isDetached(into.buffer)) throw invalidState('The buffer of the request is detached');
        this.dropRequest();
        into.buffer = transfer(into.buffer);
        if (into.owner === 'none') this.keepFilled(into);
      }
      const { reader } = this.stream;
      if (reader !== null && !reader.byob) {
        while (this.waits(false) && this.queued > 0) this.answer(reader.reads.shift());
        if (this.waits(false)) {
          if (this.intos.length > 0) this.intos.shift();
          reader.reads.shift().chunk(new Bytes(buffer, offset, length));
        } else {
          this.add(buffer, offset, length);
        }
      } else {
        this.add(buffer, offset, length);
        this.commitAll(this.fillAll());
      }
      this.pullIfNeeded();
    }

    add(buffer, offset, length) {
      this.queue.push({ __proto__: null, buffer, offset, length });
      this.queued += length;
    }

    // Bytes that a released reader had filled already belong to the next one.
    keepFilled(into) {
      if (into.filled > 0) this.addCopy(into.buffer, into.offset, into.filled);
      this.intos.shift();
    }

    addCopy(buffer, offset, length) {
      this.add(sliceBuffer(buffer, offset, offset + length), 0, length);
    }

    answer(request) {
      const { buffer, offset, length } = this.queue.shift();
      this.queued -= length;
      this.afterTaking();
      request.chunk(new Bytes(buffer, offset, length));
    }

    afterTaking() {
      if (this.closing && this.queued === 0) {
        this.forget();
        close(this.stream);
      } else {
        this.pullIfNeeded();
      }
    }

    // Buffers that the queue could fill, taken off the list of those that wait.
    fillAll() {
      const done = new Fifo();
      while (this.intos.length > 0 && this.queued > 0 && this.fill(this.intos.first)) {
        done.push(this.intos.shift());
      }
      return done;
    }

    commitAll(intos) {
      while (intos.length > 0) this.commit(intos.shift());
    }

    // Copies from the queue; true when the buffer has what its reader asked for.
    fill(into) {
      const aligned = (count) => count - (count % into.elementSize);
      let room = min(this.queued, into.length - into.filled);
      const ready = aligned(into.filled + room) >= into.least;
      if (ready) room = aligned(into.filled + room) - into.filled;
      while (room > 0) {
        const head = this.queue.first;
        const count = min(room, head.length);
        setBytes(
          new Bytes(into.buffer, into.offset + into.filled, count),
          new Bytes(head.buffer, head.offset, count),
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
      const { View, elementSize, offset, filled } = into;
      return new View(transfer(into.buffer), offset, filled / elementSize);
    }

    commit(into) {
      const request = this.stream.reader.reads.shift();
      const view = this.viewOf(into);
      if (this.stream.status === 'closed') request.close(view);
      else request.chunk(view);
    }

    fail(error) {
      if (this.stream.status !== 'readable') return;
      this.empty();
      this.forget();
      fail(this.stream, error);
    }

    cancel(reason) {
      this.empty();
      const result = this.cancelSource(reason);
      this.forget();
      return result;
    }

    pull(request) {
      if (this.queued > 0) {
        this.answer(request);
        return;
      }
      if (this.chunkSize !== undefined) {
        let buffer;
        try {
          buffer = new Buffer(this.chunkSize);
        } catch (error) {
          request.error(error);
          return;
        }
        this.intos.push({
          __proto__: null,
          buffer,
          bufferLength: this.chunkSize,
          offset: 0,
          length: this.chunkSize,
          filled: 0,
          least: 1,
          elementSize: 1,
          View: Bytes,
          owner: 'default',
        });
      }
      this.stream.reader.reads.push(request);
      this.pullIfNeeded();
    }

    pullInto(view, least, request) {
      const { stream } = this;
      if (stream.status === 'errored') {
        request.error(stream.error);
        return;
      }
      const { buffer, offset, length, View, elementSize } = partsOf(view);
      const bufferLength = byteLengthOf(buffer);
      const into = {
        __proto__: null,
        buffer: undefined,
        bufferLength,
        offset,
        length,
        filled: 0,
        least: least * elementSize,
        elementSize,
        View,
        owner: 'byob',
      };
      try {
        into.buffer = transfer(buffer);
      } catch (error) {
        request.error(error);
        return;
      }
      if (this.intos.length > 0) {
        this.intos.push(into);
        stream.reader.reads.push(request);
      } else if (stream.status === 'closed') {
        request.close(this.viewOf(into));
      } else if (this.queued > 0 && this.fill(into)) {
        const filled = this.viewOf(into);
        this.afterTaking();
        request.chunk(filled);
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
      this.checkCount(into, count);
      into.buffer = transfer(into.buffer);
      this.afterResponse(into, count);
    }

    // Likewise, and the memory has come back as another buffer.
    respondWith(view) {
      const into = this.intos.first;
      const { buffer, offset, length } = partsOf(view);
      const isClosed = this.stream.status === 'closed';
      if (isClosed ? length !== 0 : length === 0) this.checkCount(into, length);
      if (into.offset + into.filled !== offset) throw outOfRange('view.byteOffset');
      if (into.bufferLength !== byteLengthOf(buffer)) throw outOfRange('view.buffer.byteLength');
      this.checkCount(into, length);
      into.buffer = transfer(buffer);
      this.afterResponse(into, length);
    }

    checkCount(into, count) {
      if (this.stream.status === 'closed') {
        if (count !== 0) throw invalidState('Controller is already closed');
        return;
      }
      if (count === 0)
        throw invalidState('bytesWritten must not be zero while the stream is readable');
      if (into.filled + count > into.length) throw outOfRange('bytesWritten');
    }

    afterResponse(into, count) {
      this.dropRequest();
      if (this.stream.status === 'closed') this.endIntos(into);
      else this.filledBySource(into, count);
      this.pullIfNeeded();
    }

    endIntos(into) {
      if (into.owner === 'none') this.intos.shift();
      while (this.waits(true)) this.commit(this.intos.shift());
    }

    filledBySource(into, count) {
      into.filled += count;
      if (into.owner === 'none') {
        this.keepFilled(into);
        this.commitAll(this.fillAll());
        return;
      }
      if (into.filled < into.least) return;
      this.intos.shift();
      const extra = into.filled % into.elementSize;
      if (extra > 0) {
        this.addCopy(into.buffer, into.offset + into.filled - extra, extra);
        into.filled -= extra;
      }
      const others = this.fillAll();
      this.commit(into);
      this.commitAll(others);
    }

    get byobRequest() {
      const into = this.intos.first;
      if (this.request === null && into !== undefined) {
        const { buffer, offset, length, filled } = into;
        const view = new Bytes(buffer, offset + filled, length - filled);
        this.request = streams.wrapRequest(this, view);
      }
      return this.request;
    }

    dropRequest() {
      if (this.request !== null) streams.endRequest(this.request);
      this.request = null;
    }

    // The reader leaves; the source may still be writing into the first of its buffers.
    release() {
      const into = this.intos.first;
      if (into === undefined) return;
      this.intos.clear();
      into.owner = 'none';
      this.intos.push(into);
    }
  }

  // The parts of a view by its own kind, whatever its properties say.
  const getter = (prototype, name) =>
    uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(typed, Symbol.toStringTag);
  const [typedParts, dataParts] = [typed, DataView.prototype].map((prototype) => ({
    __proto__: null,
    buffer: getter(prototype, 'buffer'),
    offset: getter(prototype, 'byteOffset'),
    length: getter(prototype, 'byteLength'),
  }));
  const isDetached = getter(ArrayBuffer.prototype, 'detached');
  const byteLengthOf = getter(ArrayBuffer.prototype, 'byteLength');
  const views = { __proto__: null };
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
  ]) {
    const View = globalThis[name];
    views[name] = { __proto__: null, View, elementSize: View.BYTES_PER_ELEMENT };
  }
  const dataView = { __proto__: null, View: DataView, elementSize: 1 };

  const partsOf = (view) => {
    const name = typedTag(view);
    const parts = name === undefined ? dataParts : typedParts;
    return {
      __proto__: null,
      ...(name === undefined ? dataView : views[name]),
      buffer: parts.buffer(view),
      offset: parts.offset(view),
      length: parts.length(view),
    };
  };

  Object.assign(streams, { ByteControl, byteLengthOf, isDetached, outOfRange, viewParts: partsOf });
});
