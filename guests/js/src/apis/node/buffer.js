// The part of Node's Buffer that programs around files and processes use.
(function (native, internal) {
  'use strict';

  const { bytesOf, decodeUtf8, encodeUtf8 } = internal;
  const { atob, btoa } = globalThis;

  const latin1 = (bytes) => {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return text;
  };
  const fromLatin1 = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0) & 255);
  const toUrlSafe = (text) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const fromUrlSafe = (text) => text.replaceAll('-', '+').replaceAll('_', '/').replace(/[^A-Za-z0-9+/]/g, '');

  const ENCODINGS = {
    __proto__: null,
    utf8: [encodeUtf8, decodeUtf8],
    latin1: [fromLatin1, latin1],
    ascii: [fromLatin1, (bytes) => latin1(bytes.map((byte) => byte & 127))],
    base64: [(text) => fromLatin1(atob(fromUrlSafe(text))), (bytes) => btoa(latin1(bytes))],
    base64url: [(text) => fromLatin1(atob(fromUrlSafe(text))), (bytes) => toUrlSafe(btoa(latin1(bytes)))],
    hex: [
      (text) => Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16)),
      (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    ],
  };
  ENCODINGS['utf-8'] = ENCODINGS.utf8;
  ENCODINGS.binary = ENCODINGS.latin1;

  const codec = (encoding = 'utf8') => {
    const found = ENCODINGS[`${encoding}`.toLowerCase()];
    if (found === undefined) {
      throw internal.coded(new TypeError(`Unknown encoding: ${encoding}`), 'ERR_UNKNOWN_ENCODING');
    }
    return found;
  };

  const wrap = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  class Buffer extends Uint8Array {
    static from(value, encoding, length) {
      if (typeof value === 'string') return wrap(codec(encoding)[0](value));
      if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length);
      if (Array.isArray(value) || bytesOf(value) !== undefined) return wrap(Uint8Array.from(value));
      throw internal.wrongType('value', 'a string, an array or bytes', value);
    }
    static alloc(size, fill = 0, encoding = undefined) {
      const buffer = new Buffer(size);
      const pattern = typeof fill === 'string' ? codec(encoding)[0](fill) : [fill];
      for (let at = 0; fill !== 0 && at < size; at++) buffer[at] = pattern[at % pattern.length];
      return buffer;
    }
    static allocUnsafe(size) {
      return new Buffer(size);
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? codec(encoding)[0](value).length : value.byteLength;
    }
    static concat(list, total = list.reduce((sum, part) => sum + part.length, 0)) {
      const buffer = new Buffer(total);
      let at = 0;
      for (const part of list) {
        buffer.set(part.subarray(0, total - at), at);
        at += Math.min(part.length, total - at);
      }
      return buffer;
    }
    toString(encoding, from = 0, to = this.length) {
      return codec(encoding)[1](new Uint8Array(this.buffer, this.byteOffset, this.length).subarray(from, to));
    }
    toJSON() {
      return { type: 'Buffer', data: Array.from(this) };
    }
    equals(other) {
      return this.length === other.length && this.every((byte, at) => byte === other[at]);
    }
  }
  internal.hidden(globalThis, 'Buffer', Buffer);
  internal.toBuffer = wrap;
});
