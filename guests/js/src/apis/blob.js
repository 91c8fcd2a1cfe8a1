// Blob and File: bytes in memory with a type.
(function (native, internal) {
  'use strict';

  const { bytesOf, customInspect, scalar, token } = internal;

  const cleanType = (type) => {
    const text = `${type ?? ''}`;
    return /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : '';
  };

  // An index as Blob.slice reads it: from the end when negative, never outside.
  const clamp = (index, size, fallback) => {
    if (index === undefined) return fallback;
    const whole = Math.trunc(Number(index)) || 0;
    return whole < 0 ? Math.max(size + whole, 0) : Math.min(whole, size);
  };

  class Blob {
    #bytes;
    #type;

    static {
      // The memory itself, to be read and never written.
      internal.blobBytes = (blob) => blob.#bytes;
      internal.isBlob = (value) => value !== null && typeof value === 'object' && #bytes in value;
      internal.blobOf = (bytes, type) => new Blob(token, { bytes, type });
    }

    constructor(parts = [], options = {}) {
      if (parts === token) {
        this.#bytes = options.bytes;
        this.#type = options.type;
        return;
      }
      if (
        parts === null ||
        typeof parts !== 'object' ||
        typeof parts[Symbol.iterator] !== 'function'
      ) {
        throw internal.wrongType('sources', 'a sequence', parts);
      }
      const native = `${options?.endings ?? 'transparent'}` === 'native';
      const chunks = [];
      let total = 0;
      for (const part of parts) {
        let bytes = internal.isBlob(part) ? part.#bytes : bytesOf(part);
        if (bytes === undefined) {
          const text = `${part}`;
          bytes = internal.encodeUtf8(native ? text.replace(/\r\n?|\n/g, '\n') : text);
        }
        chunks.push(bytes);
        total += bytes.byteLength;
      }
      this.#bytes = internal.concatBytes(chunks, total);
      this.#type = cleanType(options?.type);
    }

    get size() {
      return this.#bytes.byteLength;
    }
    get type() {
      return this.#type;
    }

    slice(start = undefined, end = undefined, contentType = '') {
      const { size } = this;
      const from = clamp(start, size, 0);
      const to = Math.max(clamp(end, size, size), from);
      return new Blob(token, {
        bytes: this.#bytes.subarray(from, to),
        type: cleanType(contentType),
      });
    }

    async arrayBuffer() {
      return this.#bytes.slice().buffer;
    }

    async bytes() {
      return this.#bytes.slice();
    }

    async text() {
      return internal.decodeUtf8(this.#bytes);
    }

    stream() {
      return internal.streamOfBytes(this.#bytes);
    }

    [customInspect](depth, options, inspect) {
      const name = this.constructor.name;
      if (depth < 0) return name;
      const { size, type } = this;
      const shown = internal.isFile(this)
        ? { size, type, name: this.name, lastModified: this.lastModified }
        : { size, type };
      return `${name} ${inspect(shown, options)}`;
    }
  }

  class File extends Blob {
    #name;
    #lastModified;

    static {
      internal.isFile = (value) => value !== null && typeof value === 'object' && #name in value;
    }

    constructor(parts, name, options = {}) {
      internal.requireArguments(arguments.length, 2, "Failed to construct 'File'");
      super(parts, options);
      this.#name = scalar(name);
      const modified = options?.lastModified;
      this.#lastModified = modified === undefined ? Date.now() : Math.trunc(Number(modified)) || 0;
    }

    get name() {
      return this.#name;
    }
    get lastModified() {
      return this.#lastModified;
    }
    get webkitRelativePath() {
      this.#name;
      return '';
    }
  }

  const CHUNK = 65536;
  // A byte stream over a copy of the memory, in pieces.
  internal.streamOfBytes = (bytes) => {
    let at = 0;
    return internal.streams.createBytes({
      pull: async (control) => {
        if (at < bytes.byteLength) {
          control.enqueue(bytes.slice(at, at + CHUNK));
          at += CHUNK;
        }
        if (at >= bytes.byteLength) {
          control.close();
          // A reader with a buffer of its own waits for the answer to its request.
          control.byobRequest?.respond(0);
        }
      },
    });
  };

  internal.exposeClass(Blob);
  internal.exposeClass(File);
});
