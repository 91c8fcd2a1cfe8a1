// The keys of `crypto.subtle`: HMAC, PBKDF2, HKDF and AES (CBC, CTR, GCM). Other algorithms are refused
// by name.
import { native, internal } from 'host';

const { DOMException } = internal;
const USAGES = {
  __proto__: null,
  HMAC: ['sign', 'verify'],
  PBKDF2: ['deriveKey', 'deriveBits'],
  HKDF: ['deriveKey', 'deriveBits'],
  'AES-CBC': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-CTR': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-GCM': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
};
const HASHES = { __proto__: null, 'SHA-1': ['sha1', 64], 'SHA-256': ['sha256', 64], 'SHA-384': ['sha384', 128], 'SHA-512': ['sha512', 128] };

const refused = (what) => new DOMException(what, 'NotSupportedError');
const failed = (what = 'The operation failed for an operation-specific reason') => new DOMException(what, 'OperationError');
const bytesOf = (value, name) => {
  const bytes = internal.bytesOf(value);
  if (bytes === undefined) throw internal.wrongType(name, 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', value);
  return Uint8Array.from(bytes);
};
const nameOf = (algorithm) => {
  const given = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
  const name = Object.keys(USAGES).find((known) => known === `${given}`.toUpperCase());
  if (name === undefined) throw refused(`Unrecognized algorithm name: ${given}`);
  return name;
};
const hashOf = (hash) => {
  const given = `${typeof hash === 'object' && hash !== null ? hash.name : hash}`.toUpperCase();
  if (HASHES[given] === undefined) throw refused(`Unrecognized algorithm name: ${given}`);
  return given;
};

let secretOf;
class CryptoKey {
  #secret;
  #about;
  constructor(token, secret, about) {
    if (token !== internal.token) throw internal.coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    this.#secret = secret;
    this.#about = about;
  }
  static {
    secretOf = (key) => {
      if (typeof key !== 'object' || key === null || !(#secret in key)) throw internal.wrongType('key', 'an instance of CryptoKey', key);
      return key.#secret;
    };
  }
  get type() {
    return 'secret';
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
}
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { value: 'CryptoKey', configurable: true });

const make = (name, secret, algorithm, extractable, usages) => {
  const list = [...usages].map(String);
  const wrong = list.find((usage) => !USAGES[name].includes(usage));
  if (wrong !== undefined) throw new DOMException(`Unsupported key usage for a ${name} key`, 'SyntaxError');
  if (list.length === 0) throw new DOMException('Usages cannot be empty when importing a secret key.', 'SyntaxError');
  return new CryptoKey(internal.token, secret, { algorithm, extractable: Boolean(extractable), usages: USAGES[name].filter((usage) => list.includes(usage)) });
};
const allow = (key, algorithm, usage) => {
  const secret = secretOf(key);
  if (key.algorithm.name !== nameOf(algorithm)) throw new DOMException('Key algorithm mismatch', 'InvalidAccessError');
  if (!key.usages.includes(usage)) throw new DOMException('Unable to use this key to ' + usage, 'InvalidAccessError');
  return secret;
};
const bare = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const mac = (hash, secret, data) => {
  const state = native.newHash(HASHES[hash][0], secret);
  native.updateHash(state, data);
  return native.finishHash(state);
};

const aes = (algorithm, secret, data, isEncrypting) => {
  const name = nameOf(algorithm);
  const mode = name.slice(4).toLowerCase();
  if (mode === 'ctr' && algorithm.length !== 64 && algorithm.length !== 128) throw refused('AES-CTR: counters of 64 and 128 bits are available');
  const iv = bytesOf(mode === 'ctr' ? algorithm.counter : algorithm.iv, mode === 'ctr' ? 'algorithm.counter' : 'algorithm.iv');
  if (mode !== 'gcm' && iv.length !== 16) throw failed(mode === 'ctr' ? 'algorithm.counter must be 16 bytes' : 'algorithm.iv must contain exactly 16 bytes');
  const length = mode === 'gcm' ? (algorithm.tagLength ?? 128) / 8 : 0;
  if (mode === 'gcm' && ![4, 8, 12, 13, 14, 15, 16].includes(length)) throw failed(`${algorithm.tagLength} is not a valid AES-GCM tag length`);
  const cipher = native.newCipher(mode, secret, iv, isEncrypting);
  if (mode === 'gcm' && algorithm.additionalData !== undefined) native.authenticateCipher(cipher, bytesOf(algorithm.additionalData, 'algorithm.additionalData'));
  if (!isEncrypting && data.length < length) throw failed('The provided data is too small.');
  const body = isEncrypting ? data : data.subarray(0, data.length - length);
  const first = native.updateCipher(cipher, Uint8Array.from(body));
  const last = native.finishCipher(cipher, true);
  if (typeof last === 'string') throw failed();
  let tag = new Uint8Array(0);
  if (mode === 'gcm') {
    tag = native.cipherTag(cipher).slice(0, length);
    if (!isEncrypting) {
      const given = data.subarray(data.length - length);
      let differs = 0;
      for (let at = 0; at < length; at++) differs |= given[at] ^ tag[at];
      if (differs !== 0) throw failed();
      tag = new Uint8Array(0);
    }
  }
  const whole = new Uint8Array(first.length + last.length + tag.length);
  whole.set(first);
  whole.set(last, first.length);
  whole.set(tag, first.length + last.length);
  return whole.buffer;
};

const derive = (algorithm, secret, bits) => {
  const name = nameOf(algorithm);
  const [hash] = HASHES[hashOf(algorithm.hash)];
  const salt = bytesOf(algorithm.salt, 'algorithm.salt');
  if (bits === null || bits === undefined || bits % 8 !== 0) throw failed('length must be a multiple of 8');
  if (name === 'PBKDF2') return native.pbkdf2(secret, salt, algorithm.iterations, bits / 8, hash);
  return new Uint8Array(internal.library('crypto').hkdfSync(hash, secret, salt, bytesOf(algorithm.info, 'algorithm.info'), bits / 8));
};

const methods = {
  async importKey(format, data, algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    let secret;
    if (format === 'raw') secret = bytesOf(data, 'keyData');
    else if (format === 'jwk' && data?.kty === 'oct') secret = Uint8Array.from(internal.library('buffer').Buffer.from(data.k, 'base64url'));
    else throw refused(`Unable to import ${name} key with format ${format}`);
    if (name === 'HMAC') return make(name, secret, { name, hash: { name: hashOf(algorithm.hash) }, length: secret.length * 8 }, extractable, usages);
    if (name.startsWith('AES-')) {
      if (![16, 24, 32].includes(secret.length)) throw new DOMException('Invalid key length', 'DataError');
      return make(name, secret, { name, length: secret.length * 8 }, extractable, usages);
    }
    if (extractable) throw new DOMException(`${name} keys are not extractable`, 'SyntaxError');
    return make(name, secret, { name }, false, usages);
  },
  async exportKey(format, key) {
    const secret = secretOf(key);
    if (!key.extractable) throw new DOMException('key is not extractable', 'InvalidAccessException');
    if (format === 'raw') return bare(secret.slice());
    if (format !== 'jwk') throw refused(`Unable to export a secret key with format ${format}`);
    const k = internal.library('buffer').Buffer.from(secret).toString('base64url');
    const { name, length, hash } = key.algorithm;
    const alg = name === 'HMAC' ? `HS${hash.name.slice(4)}` : `A${length}${name.slice(4)}`;
    return { key_ops: [...key.usages], ext: true, kty: 'oct', k, alg };
  },
  async generateKey(algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (name !== 'HMAC' && !name.startsWith('AES-')) throw refused(`${name} keys cannot be generated`);
    const hash = name === 'HMAC' ? hashOf(algorithm.hash) : undefined;
    const bits = algorithm.length ?? (hash === undefined ? undefined : HASHES[hash][1] * 8);
    if (hash === undefined && ![128, 192, 256].includes(bits)) throw failed('Invalid key length');
    const secret = globalThis.crypto.getRandomValues(new Uint8Array(Math.ceil(bits / 8)));
    return make(name, secret, hash === undefined ? { name, length: bits } : { name, hash: { name: hash }, length: bits }, extractable, usages);
  },
  async sign(algorithm, key, data) {
    return bare(mac(key.algorithm.hash?.name, allow(key, algorithm, 'sign'), bytesOf(data, 'data')));
  },
  async verify(algorithm, key, signature, data) {
    const right = mac(key.algorithm.hash?.name, allow(key, algorithm, 'verify'), bytesOf(data, 'data'));
    const given = bytesOf(signature, 'signature');
    if (given.length !== right.length) return false;
    let differs = 0;
    for (let at = 0; at < right.length; at++) differs |= right[at] ^ given[at];
    return differs === 0;
  },
  async encrypt(algorithm, key, data) {
    return aes(algorithm, allow(key, algorithm, 'encrypt'), bytesOf(data, 'data'), true);
  },
  async decrypt(algorithm, key, data) {
    return aes(algorithm, allow(key, algorithm, 'decrypt'), bytesOf(data, 'data'), false);
  },
  async deriveBits(algorithm, key, length) {
    return bare(derive(algorithm, allow(key, algorithm, 'deriveBits'), length));
  },
  async deriveKey(algorithm, key, wanted, extractable, usages) {
    const name = nameOf(wanted);
    const bits = wanted.length ?? (name === 'HMAC' ? HASHES[hashOf(wanted.hash)][1] * 8 : undefined);
    const secret = derive(algorithm, allow(key, algorithm, 'deriveKey'), bits);
    return methods.importKey('raw', secret, wanted, extractable, usages);
  },
  async wrapKey(format, key, wrapping, algorithm) {
    if (format !== 'raw') throw refused(`Unable to wrap a key with format ${format}`);
    return aes(algorithm, allow(wrapping, algorithm, 'wrapKey'), new Uint8Array(await methods.exportKey('raw', key)), true);
  },
  async unwrapKey(format, wrapped, key, algorithm, wanted, extractable, usages) {
    if (format !== 'raw') throw refused(`Unable to unwrap a key with format ${format}`);
    const secret = aes(algorithm, allow(key, algorithm, 'unwrapKey'), bytesOf(wrapped, 'wrappedKey'), false);
    return methods.importKey('raw', secret, wanted, extractable, usages);
  },
};
export default methods;
