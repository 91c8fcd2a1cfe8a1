// `CryptoKey`, and what all methods of `crypto.subtle` check in the same way.
import { internal } from 'host';

const { DOMException } = internal;

// Hashes by their names here: the names of the digests, and the sizes of their blocks in bytes.
export const HASHES = { __proto__: null, 'SHA-1': ['sha1', 64], 'SHA-256': ['sha256', 64], 'SHA-384': ['sha384', 128], 'SHA-512': ['sha512', 128] };

export const refused = (what) => new DOMException(what, 'NotSupportedError');
export const failed = (what = 'The operation failed for an operation-specific reason') => new DOMException(what, 'OperationError');
export const wrongData = (what = 'Invalid keyData') => new DOMException(what, 'DataError');
export const wrongUse = (what) => new DOMException(what, 'SyntaxError');
export const notAllowed = (what) => new DOMException(what, 'InvalidAccessError');

export const bytesOf = (value, name) => {
  // A buffer that was transferred while the algorithm was read is empty.
  if ((ArrayBuffer.isView(value) ? value.buffer : value)?.detached === true) return new Uint8Array(0);
  const bytes = internal.bytesOf(value);
  if (bytes === undefined) throw internal.wrongType(name, 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', value);
  return Uint8Array.from(bytes);
};
export const bare = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

// Throws for a member that the kind of parameters cannot do without.
export const requireMember = (algorithm, name, kind) => {
  if (algorithm?.[name] !== undefined) return;
  const message = `Failed to normalize algorithm: passed algorithm can not be converted to '${kind}' because '${name}' is required in '${kind}'.`;
  throw internal.coded(new TypeError(message), 'ERR_MISSING_OPTION');
};
export const hashOf = (hash) => {
  if (hash === undefined) throw internal.wrongType('algorithm.hash', 'of type string', hash);
  const given = `${typeof hash === 'object' && hash !== null ? hash.name : hash}`.toUpperCase();
  if (HASHES[given] === undefined) throw refused(`Unrecognized algorithm name: ${given}`);
  return given;
};

// Bytes of a secret key, or the key of a pair as `formats.js` has it.
export let materialOf;
let copyOf;

export class CryptoKey {
  #material;
  #about;
  constructor(token, material, about) {
    if (token !== internal.token) throw internal.coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    this.#material = material;
    this.#about = about;
  }
  static {
    materialOf = (key) => {
      if (typeof key !== 'object' || key === null || !(#material in key)) throw internal.wrongType('key', 'an instance of CryptoKey', key);
      return key.#material;
    };
    copyOf = (key) => (#material in key ? new CryptoKey(internal.token, key.#material, key.#about) : undefined);
  }
  get type() {
    const material = this.#material;
    return material instanceof Uint8Array ? 'secret' : material.isPrivate ? 'private' : 'public';
  }
  get extractable() {
    return this.#about.extractable;
  }
  get algorithm() {
    return this.#about.algorithm;
  }
  get usages() {
    return this.#about.usages;
  }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (depth < 0) return this;
    const { type, extractable, algorithm, usages } = this;
    const shown = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `CryptoKey ${internal.library('util').inspect({ type, extractable, algorithm, usages }, shown)}`;
  }
}
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { value: 'CryptoKey', configurable: true });

// `structuredClone` gives another key with the same material, also of one that cannot be exported.
internal.platform.set(CryptoKey.prototype, 'CryptoKey');
internal.copies.set(CryptoKey.prototype, copyOf);

const ORDER = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
export const makeKey = (material, algorithm, extractable, usages) => {
  const used = ORDER.filter((usage) => usages.includes(usage));
  return new CryptoKey(internal.token, material, { algorithm, extractable: Boolean(extractable), usages: used });
};

// Compares what a JWK says of itself with what it is to be used for.
export const checkJwk = (jwk, use, extractable, usages) => {
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw wrongData('Invalid JWK "use" Parameter');
  if (jwk.key_ops !== undefined && !usages.every((usage) => jwk.key_ops.includes(usage))) throw wrongData('Key operations and usage mismatch');
  if (jwk.ext === false && extractable) throw wrongData('JWK "ext" Parameter and extractable mismatch');
};
