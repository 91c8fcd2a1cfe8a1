// Blob and File: bytes in memory with a type.
(function (native, internal) {
  'use strict';

  const { bytesOf, customInspect, scalar, token } = internal;

  const { apply } = Reflect;
  const { DONE, isObject } = internal.streams;

  const cleanType = (text) => (/^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : '');

  // A number as WebIDL clamps it: the nearest whole one, the even one of two.
  const clamped = (value) => {
    const most = Number.MAX_SAFE_INTEGER;
    const number = Math.min(Math.max(+value || 0, -most), most);
    const floor = Math.floor(number);
    const rest = number - floor;
    return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
  };

  // An index as Blob.slice reads it: from the end when negative, never outside.
  const indexIn = (size, index, fallback) => {
    if (index === undefined) return fallback;
    const whole = clamped(index);
    return whole < 0 ? Math.max(size + whole, 0) : Math.min(whole, size);
  };

  // Parts as bytes or text, each converted as soon as the iterator gives it.
  const readParts = (parts) => {
    const iterate = isObject(parts) ? parts[Symbol.iterator] : undefined;
    if (typeof iterate !== 'function') throw internal.wrongType('sources', 'a sequence', parts);
    const list = [];
    for (const part of { [Symbol.iterator]: () => apply(iterate, parts, []) }) {
      const bytes = internal.isBlob(part) ? internal.blobBytes(part) : bytesOf(part);
      list.push(bytes ?? `${part}`);
    }
    return list;
  };

  const readOptions = (options) => {
    if (options === undefined || options === null) return { isNative: false, type: '' };
    if (!isObject(options)) throw internal.wrongType('options', 'of type object', options);
    let { endings } = options;
    if (endings !== undefined) {
      endings = `${endings}`;
      if (endings !== 'native' && endings !== 'transparent')
        throw internal.wrongValue('options.endings', endings);
    }
    const { type } = options;
    return {
      isNative: endings === 'native',
      type: type === undefined ? '' : cleanType(`${type}`),
    };
  };

  const joined = (list, isNative) => {
    let total = 0;
    for (let i = 0; i < list.length; i++) {
      if (typeof list[i] === 'string') {
        const text = isNative ? list[i].replace(/\r\n?|\n/g, '\n') : list[i];
        list[i] = internal.encodeUtf8(text);
      }
      total += list[i].byteLength;
    }
    return internal.concatBytes(list, total);
  };

  class Blob {
    #bytes;
    #type;

    static {
      // The memory itself, to be read and never written.
      internal.blobBytes = (blob) => blob.#bytes;
      internal.isBlob = (value) => value !== null && typeof value === 'object' && #bytes in value;
      internal.blobOf = (bytes, type) => new Blob(token, { bytes, type });
      internal.blobType = (blob) => blob.#type;
      internal.cloneBlob = (blob) => new Blob(token, { bytes: blob.#bytes, type: blob.#type });
    }

    constructor(parts = undefined, options = undefined) {
      if (parts === token) {
        this.#bytes = options.bytes;
        this.#type = options.type;
        return;
      }
      const list = parts === undefined ? [] : readParts(parts);
      const { isNative, type } = readOptions(options);
      this.#bytes = joined(list, isNative);
      this.#type = type;
    }

    get size() {
      return this.#bytes.byteLength;
    }
    get type() {
      return this.#type;
    }

    slice(start = undefined, end = undefined, contentType = '') {
      const size = this.#bytes.byteLength;
      const from = indexIn(size, start, 0);
      const to = Math.max(indexIn(size, end, size), from);
      return new Blob(token, {
        bytes: this.#bytes.subarray(from, to),
        type: cleanType(`${contentType}`),
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
      internal.cloneFile = (file) => {
        const parts = { bytes: internal.blobBytes(file), type: internal.blobType(file) };
        return new File(token, file.#name, { parts, lastModified: file.#lastModified });
      };
    }

    constructor(parts, name, options = undefined) {
      internal.requireArguments(arguments.length, 2, "Failed to construct 'File'");
      if (parts === token) {
        super(token, options.parts);
        this.#name = name;
        this.#lastModified = options.lastModified;
        return;
      }
      const list = readParts(parts);
      const text = scalar(name);
      const { isNative, type } = readOptions(options);
      const modified = options?.lastModified;
      super(token, { bytes: joined(list, isNative), type });
      this.#name = text;
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
      __proto__: null,
      cancel: undefined,
      pull: (control) => {
        if (at < bytes.byteLength) {
          control.enqueue(bytes.slice(at, at + CHUNK));
          at += CHUNK;
        }
        if (at >= bytes.byteLength) {
          control.close();
          // A reader with a buffer of its own waits for the answer to its request.
          if (control.intos.length > 0) control.respond(0);
        }
        return DONE;
      },
    });
  };

  internal.exposeClass(Blob);
  internal.exposeClass(File);
  internal.copies.set(Blob.prototype, (value) =>
    internal.isBlob(value) ? internal.cloneBlob(value) : undefined,
  );
  internal.copies.set(File.prototype, (value) =>
    internal.isFile(value) ? internal.cloneFile(value) : undefined,
  );
});
