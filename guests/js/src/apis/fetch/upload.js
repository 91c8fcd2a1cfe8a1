// Request bodies that are sent in pieces, each made when the connection wants it.
(function (native, internal) {
  'use strict';

  const { addAlgorithm, DOMException, hostCall, hostCallNow, removeAlgorithm } = internal;
  const { acquire, cancel, deferred, read, recordOf, then } = internal.streams;
  const open = hostCallNow('fetch.body', 'bu', 'v');
  const send = hostCall('fetch.send', 'ubr', 'r');
  const drop = hostCall('fetch.drop', 'u', '');
  const NOTHING = new Uint8Array(0);
  const PIECE = 65536;
  // The host's answers: what it wants next.
  const [CLOSED, , AGAIN] = [0, 1, 2];

  const ofBytes = (bytes) => {
    let at = 0;
    return {
      length: bytes.byteLength,
      async next() {
        if (at >= bytes.byteLength) return undefined;
        const piece = bytes.subarray(at, at + PIECE);
        at += PIECE;
        return piece;
      },
      again() {
        at = 0;
      },
      cancel() {},
    };
  };

  const ofStream = (stream) => {
    const record = recordOf(stream);
    const reader = acquire(record);
    let left = NOTHING;
    const take = () => {
      const piece = left.subarray(0, PIECE);
      left = left.subarray(PIECE);
      return piece;
    };
    const next = () => {
      if (left.byteLength > 0) return Promise.resolve(take());
      const result = deferred();
      read(reader, {
        chunk: (chunk) => {
          if (!(chunk instanceof Uint8Array)) {
            result.reject(new TypeError('Received non-Uint8Array chunk'));
            return;
          }
          // A copy: the memory is the program's, which may do with it what it likes.
          left = chunk.slice();
          result.resolve(left.byteLength > 0 ? take() : next());
        },
        close: () => result.resolve(undefined),
        error: result.reject,
      });
      return result.promise;
    };
    return {
      length: undefined,
      next,
      // Only what has a length is asked for again.
      again() {},
      cancel(reason) {
        const ignore = () => {};
        then(cancel(record, reason), ignore, ignore);
      },
    };
  };

  // True for a body that is too long, or of unknown length, for one call.
  internal.isLong = (body) =>
    body !== null && (body.bytes === null || body.bytes.byteLength > PIECE);

  // Begins to send a body. The number is for the request; `failed` rejects where the stream does;
  // `settle` receives the outcome of the request.
  internal.upload = (body, signal) => {
    const source = body.bytes === null ? ofStream(body.stream) : ofBytes(body.bytes);
    body.used = true;
    const number = open(source.length === undefined ? 0 : 1, source.length ?? 0);
    const failed = deferred();
    const settled = deferred();
    let over = false;

    const end = (reason) => {
      if (over) return;
      over = true;
      removeAlgorithm(signal, end);
      drop(number).catch(() => {});
      source.cancel(reason);
    };
    addAlgorithm(signal, end);

    const work = async () => {
      let [wanted] = await send(number, 0, NOTHING);
      while (wanted !== CLOSED && !over) {
        if (wanted === AGAIN) source.again();
        const piece = await source.next();
        if (over) return;
        [wanted] = await send(number, piece === undefined ? 1 : 0, piece ?? NOTHING);
      }
      const reason = await settled.promise;
      end(reason ?? new DOMException('The request ended before its body did', 'AbortError'));
    };
    work().catch((error) => {
      failed.reject(error);
      end(error);
    });
    then(failed.promise, undefined, () => {});
    return {
      number,
      failed: failed.promise,
      settle(error) {
        if (error !== undefined) end(error);
        settled.resolve(error);
      },
    };
  };
});
