// `crypto`: hashes, HMAC, random values, key derivation, AES. Key pairs and signatures are in `keys`, and
// loaded when they are first used.
import { native, internal } from 'host';
import { Buffer } from 'buffer';
import { Transform } from 'stream';
import { CIPHERS, Cipheriv, Decipheriv } from 'internal/cipher';
import { KeyObject, SecretKeyObject } from 'internal/keys/key_object';
import constants from 'internal/keys/constants';
import { validateFunction, validateInteger, validateString } from 'internal/validators';
import { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } from 'internal/errors';

const { coded } = internal;
const { crypto: webcrypto } = globalThis;

const bytesOf = (value, name, encoding) => {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (value instanceof SecretKeyObject) return value.export();
  const bytes = internal.bytesOf(value);
  if (bytes !== undefined) return bytes;
  throw new ERR_INVALID_ARG_TYPE(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
};
const bufferOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const shown = (bytes, encoding) => {
  const buffer = bufferOf(bytes);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
};

// Names that OpenSSL accepts for one algorithm: `RSA-SHA256`, `SHA-256`, `sha512/256`.
const nameOf = (algorithm) =>
  algorithm.toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha').replace(/^(sha512)\//, '$1-');

const createSecretKey = (key, encoding) => new SecretKeyObject('secret', Uint8Array.from(bytesOf(key, 'key', encoding)));

class Running extends Transform {
  #state;
  #finished = false;
  constructor(state, options) {
    super(options);
    this.#state = state;
  }
  _transform(chunk, encoding, done) {
    native.updateHash(this.#state, bytesOf(chunk, 'data', encoding));
    done();
  }
  // The digest can still be asked for by name afterwards.
  _flush(done) {
    this.push(shown(native.finishHash(this.#state)));
    done();
  }
  update(data, encoding) {
    if (this.#finished) throw coded(new Error('Digest already called'), 'ERR_CRYPTO_HASH_FINALIZED');
    native.updateHash(this.#state, bytesOf(data, 'data', encoding));
    return this;
  }
  get isFinished() {
    return this.#finished;
  }
  finish(encoding) {
    this.#finished = true;
    return shown(native.finishHash(this.#state), encoding);
  }
  copyState() {
    if (this.#finished) throw coded(new Error('Digest already called'), 'ERR_CRYPTO_HASH_FINALIZED');
    return native.copyHash(this.#state);
  }
}
for (const name of ['finish', 'copyState', 'isFinished']) {
  Object.defineProperty(Running.prototype, name, { enumerable: false });
}

class Hash extends Running {
  digest(encoding) {
    if (this.isFinished) throw coded(new Error('Digest already called'), 'ERR_CRYPTO_HASH_FINALIZED');
    return this.finish(encoding);
  }
  copy(options) {
    return new Hash(this.copyState(), options);
  }
}

class Hmac extends Running {
  digest(encoding) {
    if (this.isFinished) return encoding === undefined || encoding === 'buffer' ? Buffer.alloc(0) : '';
    return this.finish(encoding);
  }
}

const started = (algorithm, key) => {
  const state = key === undefined ? native.newHash(nameOf(algorithm)) : native.newHash(nameOf(algorithm), key);
  return state ?? undefined;
};

const createHash = (algorithm, options) => {
  validateString(algorithm, 'algorithm');
  const state = started(algorithm);
  if (state === undefined) throw new Error('Digest method not supported');
  return new Hash(state, options);
};
const hash = (algorithm, data, encoding = 'hex') => createHash(algorithm).update(data).digest(encoding);
const createHmac = (algorithm, key, options) => {
  validateString(algorithm, 'hmac');
  if (key === null || key === undefined) {
    throw new ERR_INVALID_ARG_TYPE(
      'key',
      ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string', 'KeyObject', 'CryptoKey'],
      key,
    );
  }
  const state = started(algorithm, Uint8Array.from(bytesOf(key, 'key', options?.encoding)));
  if (state === undefined) throw coded(new Error(`Invalid digest: ${algorithm}`), 'ERR_CRYPTO_INVALID_DIGEST');
  return new Hmac(state, options);
};

// Runs `work` now and hands its result to the callback later, as Node's thread pool would.
const later = (work, callback) => {
  let result;
  let error = null;
  try {
    result = work();
  } catch (thrown) {
    error = thrown;
  }
  setImmediate(() => (error === null ? callback(null, result) : callback(error)));
};

const MAX_PIECE = 65536;
const fill = (bytes) => {
  for (let at = 0; at < bytes.length; at += MAX_PIECE) webcrypto.getRandomValues(bytes.subarray(at, at + MAX_PIECE));
};
const randomBytes = (size, callback) => {
  validateInteger(size, 'size', 0, 2147483647);
  if (callback !== undefined) validateFunction(callback, 'callback');
  const make = () => {
    const buffer = Buffer.alloc(size);
    fill(buffer);
    return buffer;
  };
  return callback === undefined ? make() : later(make, callback);
};
const randomFillSync = (target, offset = 0, size = undefined) => {
  const bytes = internal.bytesOf(target);
  if (bytes === undefined) throw new ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], target);
  const each = target.BYTES_PER_ELEMENT ?? 1;
  validateInteger(offset, 'offset', 0, bytes.length / each);
  const end = size === undefined ? bytes.length : (offset + size) * each;
  if (end > bytes.length) throw new ERR_OUT_OF_RANGE('size + offset', `<= ${bytes.length / each}`, offset + size);
  fill(bytes.subarray(offset * each, end));
  return target;
};
const randomFill = (target, ...rest) => {
  const callback = rest.pop();
  validateFunction(callback, 'callback');
  later(() => randomFillSync(target, ...rest), callback);
};
const randomInt = (...args) => {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const [min, max] = args.length < 2 ? [0, args[0]] : args;
  if (!Number.isSafeInteger(min)) throw new ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw new ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
  if (max <= min) throw new ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (!(range <= 0xffff_ffff_ffff)) {
    throw new ERR_OUT_OF_RANGE(args.length < 2 ? 'max' : 'max - min', '<= 281474976710655', range);
  }
  const draw = () => {
    // Values past the last whole multiple of the range are drawn again: they would favour small ones.
    const limit = 0x1_0000_0000_0000 - (0x1_0000_0000_0000 % range);
    for (;;) {
      const value = randomBytes(6).readUIntBE(0, 6);
      if (value < limit) return min + (value % range);
    }
  };
  return callback === undefined ? draw() : later(draw, callback);
};

const pbkdf2Sync = (password, salt, iterations, keylen, digest) => {
  validateString(digest, 'digest');
  const secret = bytesOf(password, 'password');
  const salted = bytesOf(salt, 'salt');
  validateInteger(iterations, 'iterations', 1, 2147483647);
  validateInteger(keylen, 'keylen', 0, 2147483647);
  const key = native.pbkdf2(Uint8Array.from(secret), Uint8Array.from(salted), iterations, keylen, nameOf(digest));
  if (key === undefined) throw coded(new TypeError(`Invalid digest: ${digest}`), 'ERR_CRYPTO_INVALID_DIGEST');
  return bufferOf(key);
};
const pbkdf2 = (password, salt, iterations, keylen, digest, callback) => {
  if (typeof digest === 'function') [digest, callback] = [undefined, digest];
  validateString(digest, 'digest');
  validateFunction(callback, 'callback');
  // Arguments that are wrong throw; only the result comes later.
  const key = pbkdf2Sync(password, salt, iterations, keylen, digest);
  setImmediate(callback, null, key);
};

const MAX_MEMORY = 32 << 20;
const scryptSync = (password, salt, keylen, options = {}) => {
  const secret = bytesOf(password, 'password');
  const salted = bytesOf(salt, 'salt');
  validateInteger(keylen, 'keylen', 0, 2147483647);
  const N = options.N ?? options.cost ?? 16384;
  const r = options.r ?? options.blockSize ?? 8;
  const p = options.p ?? options.parallelization ?? 1;
  const maxmem = options.maxmem ?? MAX_MEMORY;
  const log = Math.log2(N);
  const wrong = (why) => coded(new RangeError(`Invalid scrypt params${why}`), 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS');
  if (!Number.isInteger(log) || log < 1) throw wrong('');
  if (128 * N * r > maxmem) throw wrong(': memory limit exceeded');
  const key = native.scrypt(Uint8Array.from(secret), Uint8Array.from(salted), [log, r, p], keylen);
  if (key === undefined) throw wrong('');
  return bufferOf(key);
};
const scrypt = (password, salt, keylen, options, callback) => {
  if (typeof options === 'function') [options, callback] = [{}, options];
  validateFunction(callback, 'callback');
  const key = scryptSync(password, salt, keylen, options);
  setImmediate(callback, null, key);
};

const hkdfSync = (digest, key, salt, info, keylen) => {
  const secret = bytesOf(key, 'key');
  const extracted = createHmac(digest, bytesOf(salt, 'salt')).update(secret).digest();
  const about = bytesOf(info, 'info');
  const blocks = [];
  let last = Buffer.alloc(0);
  for (let round = 1; blocks.length * extracted.length < keylen; round++) {
    last = createHmac(digest, extracted).update(last).update(about).update(Buffer.of(round)).digest();
    blocks.push(last);
  }
  const { buffer, byteOffset } = Buffer.concat(blocks);
  return buffer.slice(byteOffset, byteOffset + keylen);
};
const hkdf = (digest, key, salt, info, keylen, callback) =>
  later(() => hkdfSync(digest, key, salt, info, keylen), callback);

const timingSafeEqual = (first, second) => {
  const wrong = (name, value) => new ERR_INVALID_ARG_TYPE(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  const left = internal.bytesOf(first);
  if (left === undefined) throw wrong('buf1', first);
  const right = internal.bytesOf(second);
  if (right === undefined) throw wrong('buf2', second);
  if (left.length !== right.length) {
    throw coded(new RangeError('Input buffers must have the same byte length'), 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH');
  }
  let differs = 0;
  for (let at = 0; at < left.length; at++) differs |= left[at] ^ right[at];
  return differs === 0;
};

const createCipheriv = (name, key, iv, options) => new Cipheriv(bytesOf, name, key, iv, options, true);
const createDecipheriv = (name, key, iv, options) => new Decipheriv(bytesOf, name, key, iv, options, false);

const exports = {
  Cipheriv,
  Decipheriv,
  Hash,
  Hmac,
  KeyObject,
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  getCiphers: () => [...CIPHERS],
  getFips: () => 0,
  getHashes: () => [...native.hashNames],
  getRandomValues: (array) => webcrypto.getRandomValues(array),
  hash,
  hkdf,
  hkdfSync,
  pbkdf2,
  pbkdf2Sync,
  randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID: () => webcrypto.randomUUID(),
  rng: randomBytes,
  pseudoRandomBytes: randomBytes,
  scrypt,
  scryptSync,
  subtle: webcrypto.subtle,
  timingSafeEqual,
  webcrypto,
};
const LATE = {
  agreement: ['createDiffieHellman', 'createDiffieHellmanGroup', 'createECDH', 'diffieHellman', 'getCurves', 'getDiffieHellman'],
  generation: [
    'checkPrime', 'checkPrimeSync', 'generateKey', 'generateKeyPair', 'generateKeyPairSync', 'generateKeySync', 'generatePrime',
    'generatePrimeSync',
  ],
  objects: ['createPrivateKey', 'createPublicKey'],
  signatures: ['createSign', 'createVerify', 'privateDecrypt', 'privateEncrypt', 'publicDecrypt', 'publicEncrypt', 'sign', 'verify'],
};
const LATE_CLASSES = { agreement: ['DiffieHellman', 'DiffieHellmanGroup', 'ECDH'], signatures: ['Sign', 'Verify'] };
const late = (part, name) => internal.openPart(`internal/keys/${part}`)[name];
for (const [part, names] of Object.entries(LATE)) {
  for (const name of names) {
    exports[name] = { [name]: (...given) => late(part, name)(...given) }[name];
  }
}
// A class that makes instances of the real one, which its parts then are members of.
for (const [part, names] of Object.entries(LATE_CLASSES)) {
  for (const name of names) {
    const stub = { [name]: function (...given) { return new (late(part, name))(...given); } }[name];
    Object.defineProperty(stub, Symbol.hasInstance, { value: (value) => value instanceof late(part, name) });
    exports[name] = stub;
  }
}
exports.ECDH.convertKey = (...given) => late('agreement', 'ECDH').convertKey(...given);
Object.defineProperty(exports.generateKeyPair, Symbol.for('nodejs.util.promisify.custom'), {
  value: async (type, options) => late('generation', 'generateKeyPairSync')(type, options),
});
// Throws by its name: a missing class would read as a mistake of the program.
exports.X509Certificate = function X509Certificate() {
  throw internal.notAvailable('crypto.X509Certificate', 'crypto.createPublicKey reads the key of a certificate');
};
export default exports;
