// CompressionStream and DecompressionStream.
(function (native, internal) {
  'use strict';

  const { feedCoder, newCompressor, newDecompressor, stepCoder } = native;
  const { TransformStream } = globalThis;
  const SharedBuffer = SharedArrayBuffer;
  const NOTHING = new Uint8Array(0);
  const FORMATS = ['deflate', 'deflate-raw', 'gzip'];

  const readFormat = (given, count, name) => {
    internal.requireArguments(count, 1, `Failed to construct '${name}'`);
    const format = `${given}`;
    if (FORMATS.includes(format)) return format;
    throw internal.coded(
      new TypeError(`${name}: '${format}' is none of ${FORMATS.join(', ')}`),
      'ERR_INVALID_ARG_VALUE',
    );
  };

  const bytesOfChunk = (chunk) => {
    const bytes = internal.bytesOf(chunk);
    // Shared memory may change while it is read.
    if (bytes !== undefined && !(bytes.buffer instanceof SharedBuffer)) return bytes;
    throw internal.wrongType('chunk', 'an ArrayBuffer or a view of one', chunk);
  };

  // The coder has hundreds of kilobytes that the collector does not count: it is made for the
  // first chunk, and let go with the end or the failure of the stream.
  const transformOver = (makeCoder, format) => {
    let coder;
    const end = () => {
      coder = undefined;
    };
    const run = (bytes, controller, isLast) => {
      coder ??= makeCoder(format);
      try {
        feedCoder(coder, bytes);
        for (;;) {
          const piece = stepCoder(coder, isLast);
          if (piece === undefined || piece === null) {
            throw new TypeError('The compressed data is not valid, or ends too early or too late');
          }
          if (piece.byteLength === 0) break;
          controller.enqueue(piece);
        }
      } catch (error) {
        end();
        throw error;
      }
      if (isLast) end();
    };
    return new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => run(bytesOfChunk(chunk), controller, false),
      flush: (controller) => run(NOTHING, controller, true),
      cancel: end,
    });
  };

  class CompressionStream {
    #transform;

    constructor(format) {
      const name = readFormat(format, arguments.length, 'CompressionStream');
      this.#transform = transformOver(newCompressor, name);
    }

    get readable() {
      return this.#transform.readable;
    }
    get writable() {
      return this.#transform.writable;
    }
  }

  class DecompressionStream {
    #transform;

    constructor(format) {
      const name = readFormat(format, arguments.length, 'DecompressionStream');
      this.#transform = transformOver(newDecompressor, name);
    }

    get readable() {
      return this.#transform.readable;
    }
    get writable() {
      return this.#transform.writable;
    }
  }

  internal.exposeClass(CompressionStream);
  internal.exposeClass(DecompressionStream);
});
