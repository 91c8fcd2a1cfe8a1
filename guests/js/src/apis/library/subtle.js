// The keys of `crypto.subtle`: HMAC, PBKDF2, HKDF and AES (CBC, CTR, GCM, KW). Other algorithms are refused
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
  'AES-KW': ['wrapKey', 'unwrapKey'],
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
  if (given === undefined) throw internal.wrongType('algorithm.name', 'of type string', given);
  const name = Object.keys(USAGES).find((known) => known === `${given}`.toUpperCase());
  if (name === undefined) throw refused(`Unrecognized algorithm name: ${given}`);
  return name;
};
const hashOf = (hash) => {
  if (hash === undefined) throw internal.wrongType('algorithm.hash', 'of type string', hash);
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
// A member of an algorithm that has to be a number of bits or rounds.
const numberOf = (algorithm, name) => {
  const number = Number(algorithm[name]);
  if (algorithm[name] !== undefined && number >= 0 && number <= 0xffffffff) return Math.trunc(number);
  throw internal.wrongType(`algorithm.${name}`, 'of type number', algorithm[name]);
};
const bare = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const mac = (hash, secret, data) => {
  const state = native.newHash(HASHES[hash][0], secret);
  native.updateHash(state, data);
  return native.finishHash(state);
};

// AES-CTR whose counter has `length` bits and begins again at zero, where that of the cipher goes on.
const counted = (secret, counter, length, data) => {
  if (counter.length !== 16 || length < 1 || length > 128) throw failed('algorithm.counter must be 16 bytes, of which 1 to 128 bits count');
  const size = 1n << BigInt(length);
  const start = BigInt(`0x${Array.from(counter, (byte) => (byte + 256).toString(16).slice(1)).join('')}`);
  const blocks = BigInt(Math.ceil(data.length / 16));
  if (blocks > size) throw failed();
  const stream = (from, piece) => {
    const iv = Uint8Array.from(from.toString(16).padStart(32, '0').match(/../g), (byte) => Number.parseInt(byte, 16));
    return native.updateCipher(native.newCipher('ctr', secret, iv, true), Uint8Array.from(piece));
  };
  const left = size - (start % size);
  if (blocks <= left) return bare(stream(start, data));
  const cut = Number(left) * 16;
  const whole = new Uint8Array(data.length);
  whole.set(stream(start, data.subarray(0, cut)));
  whole.set(stream(start - (start % size), data.subarray(cut)), cut);
  return whole.buffer;
};

// The key wrap of RFC 3394. Returns undefined if what was unwrapped is not what was wrapped.
const MARK = new Uint8Array(8).fill(0xa6);
const keyWrap = (secret, data, isWrapping) => {
  if (data.length % 8 !== 0 || data.length < (isWrapping ? 16 : 24)) return undefined;
  const convert = (head, tail) => {
    const cipher = native.newCipher('ecb', secret, new Uint8Array(0), isWrapping);
    const block = new Uint8Array(16);
    block.set(head);
    block.set(tail, 8);
    const [first, last] = [native.updateCipher(cipher, block), native.finishCipher(cipher, false)];
    return Uint8Array.from([...first, ...last]);
  };
  const pieces = [];
  for (let at = 0; at < data.length; at += 8) pieces.push(data.slice(at, at + 8));
  let head = isWrapping ? MARK.slice() : pieces.shift();
  const rounds = 6 * pieces.length;
  const mix = (number) => {
    for (let at = 7; number > 0; at--, number = Math.floor(number / 256)) head[at] ^= number % 256;
  };
  for (let step = 0; step < rounds; step++) {
    const number = isWrapping ? step + 1 : rounds - step;
    const at = (number - 1) % pieces.length;
    if (!isWrapping) mix(number);
    const block = convert(head, pieces[at]);
    [head, pieces[at]] = [block.slice(0, 8), block.slice(8)];
    if (isWrapping) mix(number);
  }
  if (!isWrapping && head.some((byte, at) => byte !== MARK[at])) return undefined;
  const all = isWrapping ? [head, ...pieces] : pieces;
  const whole = new Uint8Array(all.length * 8);
  all.forEach((piece, at) => whole.set(piece, at * 8));
  return whole.buffer;
};

const aes = (algorithm, secret, data, isEncrypting) => {
  const name = nameOf(algorithm);
  const mode = name.slice(4).toLowerCase();
  if (mode === 'kw') {
    const done = keyWrap(secret, data, isEncrypting);
    if (done === undefined) throw failed();
    return done;
  }
  if (mode === 'ctr') return counted(secret, bytesOf(algorithm.counter, 'algorithm.counter'), numberOf(algorithm, 'length'), data);
  const iv = bytesOf(algorithm.iv, 'algorithm.iv');
  if (mode === 'cbc' && iv.length !== 16) throw failed('algorithm.iv must contain exactly 16 bytes');
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
  if (name === 'PBKDF2') {
    const iterations = numberOf(algorithm, 'iterations');
    if (iterations === 0) throw failed('iterations cannot be zero');
    return native.pbkdf2(secret, salt, iterations, bits / 8, hash);
  }
  return new Uint8Array(internal.library('crypto').hkdfSync(hash, secret, salt, bytesOf(algorithm.info, 'algorithm.info'), bits / 8));
};

const wrongData = (what) => new DOMException(what, 'DataError');
const nameInJwk = (name, hash, bits) => (name === 'HMAC' ? `HS${hash.slice(4)}` : `A${bits}${name.slice(4)}`);

// The bytes of a JSON Web Key, once its other members agree with what the key is for.
const fromJwk = (jwk, name, hash, extractable, usages) => {
  if (typeof jwk !== 'object' || jwk === null) throw internal.wrongType('keyData', 'an instance of Object', jwk);
  if (jwk.kty !== 'oct' || typeof jwk.k !== 'string') throw wrongData('Invalid JWK keyData');
  const use = name === 'HMAC' ? 'sig' : 'enc';
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw wrongData('Invalid JWK "use" Parameter');
  if (jwk.key_ops !== undefined && !usages.every((usage) => jwk.key_ops.includes(usage))) throw wrongData('Key operations and usage mismatch');
  if (jwk.ext === false && extractable) throw wrongData('JWK "ext" Parameter and extractable mismatch');
  const secret = Uint8Array.from(internal.library('buffer').Buffer.from(jwk.k, 'base64url'));
  if (jwk.alg !== undefined && jwk.alg !== nameInJwk(name, hash, secret.length * 8)) throw wrongData('JWK "alg" does not match the requested algorithm');
  return secret;
};

const methods = {
  async importKey(format, data, algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    const list = [...usages].map(String);
    const isSecret = name === 'HMAC' || name.startsWith('AES-');
    const hash = name === 'HMAC' ? hashOf(algorithm.hash) : undefined;
    let secret;
    if (format === 'raw') secret = bytesOf(data, 'keyData');
    else if (format === 'jwk' && isSecret) secret = fromJwk(data, name, hash, extractable, list);
    else throw refused(`Unable to import ${name} key with format ${format}`);
    if (name === 'HMAC') {
      const bits = secret.length * 8;
      const length = algorithm.length === undefined ? bits : numberOf(algorithm, 'length');
      if (bits === 0 || length > bits || length <= bits - 8) throw wrongData('Invalid key length');
      return make(name, secret, { name, hash: { name: hash }, length }, extractable, list);
    }
    if (isSecret) {
      if (![16, 24, 32].includes(secret.length)) throw wrongData('Invalid key length');
      return make(name, secret, { name, length: secret.length * 8 }, extractable, list);
    }
    if (extractable) throw new DOMException(`${name} keys are not extractable`, 'SyntaxError');
    return make(name, secret, { name }, false, list);
  },
  async exportKey(format, key) {
    const secret = secretOf(key);
    if (!key.extractable) throw new DOMException('key is not extractable', 'InvalidAccessException');
    if (format === 'raw') return bare(secret.slice());
    if (format !== 'jwk') throw refused(`Unable to export a secret key with format ${format}`);
    const k = internal.library('buffer').Buffer.from(secret).toString('base64url');
    const { name, length, hash } = key.algorithm;
    return { key_ops: [...key.usages], ext: true, kty: 'oct', k, alg: nameInJwk(name, hash?.name, length) };
  },
  async generateKey(algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (name !== 'HMAC' && !name.startsWith('AES-')) throw refused(`${name} keys cannot be generated`);
    const hash = name === 'HMAC' ? hashOf(algorithm.hash) : undefined;
    const bits = hash === undefined || algorithm.length !== undefined ? numberOf(algorithm, 'length') : HASHES[hash][1] * 8;
    const list = [...usages].map(String);
    // Before the length: a wrong use is told first.
    if (list.some((usage) => !USAGES[name].includes(usage))) make(name, undefined, undefined, false, list);
    if (hash === undefined ? ![128, 192, 256].includes(bits) : bits === 0) throw failed('Invalid key length');
    const secret = globalThis.crypto.getRandomValues(new Uint8Array(Math.ceil(bits / 8)));
    return make(name, secret, hash === undefined ? { name, length: bits } : { name, hash: { name: hash }, length: bits }, extractable, list);
  },
  async sign(algorithm, key, data) {
    const secret = allow(key, algorithm, 'sign');
    return bare(mac(key.algorithm.hash.name, secret, bytesOf(data, 'data')));
  },
  async verify(algorithm, key, signature, data) {
    const secret = allow(key, algorithm, 'verify');
    const right = mac(key.algorithm.hash.name, secret, bytesOf(data, 'data'));
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
    const bits = name === 'HMAC' && wanted.length === undefined ? HASHES[hashOf(wanted.hash)][1] * 8 : numberOf(wanted, 'length');
    const from = allow(key, algorithm, 'deriveKey');
    if (name !== 'HMAC' && ![128, 192, 256].includes(bits)) throw failed('Invalid key length');
    const secret = derive(algorithm, from, bits);
    return methods.importKey('raw', secret, wanted, extractable, usages);
  },
  async wrapKey(format, key, wrapping, algorithm) {
    const secret = allow(wrapping, algorithm, 'wrapKey');
    const exported = await methods.exportKey(format, key);
    const bytes = format === 'jwk' ? new TextEncoder().encode(JSON.stringify(exported)) : new Uint8Array(exported);
    return aes(algorithm, secret, bytes, true);
  },
  async unwrapKey(format, wrapped, key, algorithm, wanted, extractable, usages) {
    const secret = allow(key, algorithm, 'unwrapKey');
    const bytes = aes(algorithm, secret, bytesOf(wrapped, 'wrappedKey'), false);
    let data = bytes;
    if (format === 'jwk') {
      try {
        data = JSON.parse(new TextDecoder().decode(bytes));
      } catch {
        throw wrongData('Invalid wrapped JWK');
      }
    }
    return methods.importKey(format, data, wanted, extractable, usages);
  },
};
internal.hidden(methods, 'CryptoKey', CryptoKey);
export default methods;
