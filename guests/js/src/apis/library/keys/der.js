// The encoding of keys and signatures: DER, the strict form of ASN.1.
import { concat, fromBytes, toBytes } from 'internal/keys/numbers';

// Thrown for bytes that are not the expected encoding.
export class Malformed extends Error {}

const CLASS_CONTEXT = 0xa0;

const sized = (size) => (size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]);
export const wrap = (tag, ...pieces) => {
  const content = concat(...pieces);
  return concat([tag, ...sized(content.length)], content);
};
export const sequence = (...pieces) => wrap(0x30, ...pieces);
export const octets = (bytes) => wrap(0x04, bytes);
export const bits = (bytes) => wrap(0x03, [0], bytes);
export const context = (number, ...pieces) => wrap(CLASS_CONTEXT + number, ...pieces);
export const nothing = Uint8Array.of(5, 0);
export const integer = (value) => {
  const bytes = toBytes(BigInt(value));
  return wrap(0x02, bytes[0] > 127 ? [0] : [], bytes);
};
export const oid = (text) => {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = [];
  for (const part of [first * 40 + second, ...rest]) {
    const groups = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) + 128);
    bytes.push(...groups);
  }
  return wrap(0x06, bytes);
};

export class Reader {
  #bytes;
  #at = 0;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  // The next tag; undefined at the end.
  get tag() {
    return this.#bytes[this.#at];
  }
  take(tag) {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== tag) throw new Malformed('another tag');
    let size = bytes[this.#at + 1];
    let at = this.#at + 2;
    if (size === undefined || size === 0x80 || size > 0x83) throw new Malformed('a length');
    if (size > 0x80) {
      const count = size - 0x80;
      size = Number(fromBytes(bytes.subarray(at, at + count)));
      at += count;
      if (size < 128 || sized(size).length !== count + 1) throw new Malformed('a length that is too long');
    }
    if (at + size > bytes.length) throw new Malformed('an end');
    this.#at = at + size;
    return bytes.subarray(at, at + size);
  }
  sequence() {
    return new Reader(this.take(0x30));
  }
  octets() {
    return this.take(0x04);
  }
  bits() {
    const bytes = this.take(0x03);
    if (bytes[0] !== 0) throw new Malformed('unused bits');
    return bytes.subarray(1);
  }
  integer() {
    const bytes = this.take(0x02);
    const isLong = bytes.length > 1 && bytes[0] === 0 && bytes[1] < 128;
    if (bytes.length === 0 || bytes[0] > 127 || isLong) throw new Malformed('a number');
    return fromBytes(bytes);
  }
  oid() {
    const bytes = this.take(0x06);
    const parts = [];
    let part = 0;
    for (const byte of bytes) {
      part = part * 128 + (byte & 127);
      if (byte > 127) continue;
      parts.push(part);
      part = 0;
    }
    if (parts.length === 0 || bytes.at(-1) > 127) throw new Malformed('an identifier');
    const first = Math.min(2, Math.floor(parts[0] / 40));
    return [first, parts[0] - first * 40, ...parts.slice(1)].join('.');
  }
  // Returns the content of the tag with this number; undefined if another one follows.
  context(number, isPlain = false) {
    const tag = CLASS_CONTEXT + number - (isPlain ? 0x20 : 0);
    return this.tag === tag ? new Reader(this.take(tag)) : undefined;
  }
  rest() {
    return this.#bytes.subarray(this.#at);
  }
  end() {
    if (this.#at !== this.#bytes.length) throw new Malformed('bytes that remain');
  }
}

// Returns the result of `read` for the only sequence of `bytes`.
export const readWhole = (bytes, read) => {
  const outer = new Reader(bytes);
  const inner = outer.sequence();
  outer.end();
  const result = read(inner);
  inner.end();
  return result;
};
