// Standard streams of `process`: output that is written at once, input as an async iterable with
// the events that programs listen to.
(function (native, internal) {
  'use strict';

  const { decodeUtf8, hostCall, hostCallNow } = internal;
  const { queueMicrotask } = globalThis;
  const { toBuffer } = (internal.part('buffer'), internal);

  const emitter = (target) => {
    const listeners = new Map();
    const add = (event, listener, once) => {
      listeners.set(event, [...(listeners.get(event) ?? []), { listener, once }]);
      target.listening?.(event);
      return target;
    };
    return Object.assign(target, {
      on: (event, listener) => add(event, listener, false),
      addListener: (event, listener) => add(event, listener, false),
      once: (event, listener) => add(event, listener, true),
      off(event, listener) {
        const rest = (listeners.get(event) ?? []).filter((entry) => entry.listener !== listener);
        listeners.set(event, rest);
        return target;
      },
      removeListener: (event, listener) => target.off(event, listener),
      removeAllListeners(event) {
        listeners.delete(event);
        return target;
      },
      emit(event, ...args) {
        const called = listeners.get(event) ?? [];
        for (const { listener, once } of called) {
          if (once) target.off(event, listener);
          Reflect.apply(listener, target, args);
        }
        return called.length > 0;
      },
      listenerCount: (event) => (listeners.get(event) ?? []).length,
    });
  };

  const output = (write, fd) => {
    const put = (chunk, encoding) => {
      if (typeof chunk === 'string') {
        write(encoding === undefined || /^utf-?8$/i.test(encoding) ? chunk : decodeUtf8(Buffer.from(chunk, encoding)));
      } else {
        const bytes = internal.bytesOf(chunk);
        if (bytes === undefined) {
          throw internal.wrongType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk);
        }
        write(decodeUtf8(bytes));
      }
    };
    const { Buffer } = internal.part('buffer');
    return emitter({
      fd,
      isTTY: false,
      writable: true,
      writableEnded: false,
      writableLength: 0,
      write(chunk, encoding, callback) {
        if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
        put(chunk, encoding);
        if (callback !== undefined) queueMicrotask(() => callback(null));
        return true;
      },
      end(chunk, encoding, callback) {
        if (typeof chunk === 'function') [chunk, callback] = [undefined, chunk];
        if (chunk !== undefined && chunk !== null) put(chunk, typeof encoding === 'string' ? encoding : undefined);
        const done = typeof encoding === 'function' ? encoding : callback;
        if (done !== undefined) queueMicrotask(() => done());
        return this;
      },
      cork() {},
      uncork() {},
      destroy() {
        return this;
      },
    });
  };

  const readNow = hostCallNow('input.read', '', 'r');
  const read = hostCall('input.read', '', 'r');

  // The whole input, for `fs.readFileSync(0)`.
  internal.readInputNow = () => {
    const pieces = [];
    for (;;) {
      const piece = readNow();
      if (piece.length === 0) return internal.part('buffer').Buffer.concat(pieces);
      pieces.push(toBuffer(piece));
    }
  };

  const input = () => {
    let encoding;
    let decoder;
    let isFlowing = false;
    const decode = (bytes, last) => {
      if (encoding === undefined) return toBuffer(bytes);
      decoder ??= new TextDecoder(encoding);
      return decoder.decode(bytes, { stream: !last });
    };
    const stream = emitter({
      fd: 0,
      isTTY: false,
      readable: true,
      setEncoding(name = 'utf8') {
        encoding = name;
        return stream;
      },
      resume() {
        flow();
        return stream;
      },
      pause: () => stream,
      ref: () => stream,
      unref: () => stream,
      listening(event) {
        if (event === 'data' || event === 'readable') flow();
      },
      read: () => null,
      pipe(target) {
        stream.on('data', (chunk) => target.write(chunk));
        stream.on('end', () => target !== internal.part('process').stdout && target.end());
        return target;
      },
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const piece = await read();
          if (piece.length === 0) return;
          yield decode(piece, false);
        }
      },
    });
    const { TextDecoder } = globalThis;
    const flow = () => {
      if (isFlowing) return;
      isFlowing = true;
      (async () => {
        try {
          for await (const chunk of stream) stream.emit('data', chunk);
          stream.readable = false;
          stream.emit('end');
          stream.emit('close');
        } catch (error) {
          if (!stream.emit('error', error)) native.reportError(error);
        }
      })();
    };
    return stream;
  };

  return { output, input };
});
