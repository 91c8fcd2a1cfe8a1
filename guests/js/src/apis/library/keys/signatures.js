// `sign`, `verify`, `createSign`, `createVerify` of `crypto`, and encryption with a key pair.
import { internal, native } from 'host';
import { Buffer } from 'buffer';
import { Writable } from 'stream';
import { integer, readWhole, sequence, Malformed } from 'internal/keys/der';
import { digest, digestNamed } from 'internal/keys/digests';
import { signEdwards, verifyEdwards } from 'internal/keys/edwards';
import * as elliptic from 'internal/keys/elliptic';
import { failure, invalidDigest, openssl } from 'internal/keys/failures';
import { publicPart } from 'internal/keys/formats';
import { concat, fromBytes, toBytes } from 'internal/keys/numbers';
import { keyFrom } from 'internal/keys/objects';
import * as rsa from 'internal/keys/rsa';
import { validateFunction, validateString } from 'internal/validators';
import { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } from 'internal/errors';

const PLAIN = 1;
const NONE = 3;
const OAEP = 4;
const PSS = 6;
const BY_DIGEST = -1;
const MAX_OR_AUTO = -2;

const bytesOf = (value, name, encoding = undefined) => {
  if (typeof value === 'string') return Uint8Array.from(Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding));
  const bytes = internal.bytesOf(value);
  if (bytes === undefined) throw new ERR_INVALID_ARG_TYPE(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  return Uint8Array.from(bytes);
};
const bufferOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const shown = (buffer, encoding) => (encoding === undefined || encoding === null || encoding === 'buffer' ? buffer : buffer.toString(encoding));
const optionsOf = (key) => (typeof key === 'object' && key !== null && internal.bytesOf(key) === undefined ? key : {});

// Returns padding and length of the salt by the options, else by the type of the key.
const schemeOf = (key, options) => {
  const { padding = key.type === 'rsa-pss' ? PSS : PLAIN, saltLength } = options;
  if (padding !== PLAIN && padding !== PSS && padding !== NONE) throw new ERR_INVALID_ARG_VALUE('options.padding', padding);
  if (saltLength !== undefined && !Number.isInteger(saltLength)) throw new ERR_INVALID_ARG_VALUE('options.saltLength', saltLength);
  return { padding, saltLength: saltLength ?? MAX_OR_AUTO };
};
const encodingOf = ({ dsaEncoding = 'der' }) => {
  if (dsaEncoding !== 'der' && dsaEncoding !== 'ieee-p1363') throw new ERR_INVALID_ARG_VALUE('options.dsaEncoding', dsaEncoding);
  return dsaEncoding;
};
const limited = (key, hash) => {
  if (key.limits !== undefined && key.limits.hash !== hash) throw openssl('1C8000AE');
};

// Signs what was hashed already.
const signHash = (key, hash, hashed, options) => {
  if (key.type === 'ec') {
    const { r, s } = elliptic.sign(key.curve, key.d, hashed);
    const size = key.curve.orderSize;
    return encodingOf(options) === 'der' ? sequence(integer(r), integer(s)) : concat(toBytes(r, size), toBytes(s, size));
  }
  const { padding, saltLength } = schemeOf(key, options);
  limited(key, hash);
  if (padding === PSS) {
    const length = saltLength === BY_DIGEST ? hashed.length : saltLength === MAX_OR_AUTO ? 'max' : saltLength;
    return rsa.signPss(key, hash, key.limits?.maskHash ?? hash, hashed, length) ?? fail('0200006E', true);
  }
  return rsa.signPlain(key, hash, hashed) ?? fail('02000070');
};
const fail = (number, isStacked = false) => {
  throw openssl(number, isStacked);
};

const pairOf = (key, signature, options) => {
  const size = key.curve.orderSize;
  if (encodingOf(options) === 'ieee-p1363') {
    return signature.length === 2 * size ? { r: fromBytes(signature.subarray(0, size)), s: fromBytes(signature.subarray(size)) } : undefined;
  }
  try {
    return readWhole(signature, (inner) => ({ r: inner.integer(), s: inner.integer() }));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
};
const verifyHash = (key, hash, hashed, signature, options) => {
  if (key.type === 'ec') {
    const pair = pairOf(key, signature, options);
    return pair !== undefined && elliptic.verify(key.curve, key, hashed, pair);
  }
  const { padding, saltLength } = schemeOf(key, options);
  limited(key, hash);
  if (padding === PSS) {
    const length = saltLength === BY_DIGEST ? hashed.length : saltLength === MAX_OR_AUTO ? 'auto' : saltLength;
    return rsa.verifyPss(key, hash, key.limits?.maskHash ?? hash, hashed, length, signature);
  }
  return rsa.verifyPlain(key, hash, hashed, signature);
};

const DEFAULT_DIGEST = 'sha256';
const hashOf = (algorithm) => {
  if (algorithm === null || algorithm === undefined) return undefined;
  validateString(algorithm, 'algorithm');
  const hash = digestNamed(algorithm);
  if (hash === undefined) throw invalidDigest(algorithm);
  return hash;
};
const isSigner = (key) => key.type !== 'x25519';

const signNow = (algorithm, data, given) => {
  const hash = hashOf(algorithm);
  const message = bytesOf(data, 'data');
  const key = keyFrom(given, true);
  if (!isSigner(key)) throw openssl('03000096');
  if (key.type === 'ed25519') return bufferOf(hash === undefined ? signEdwards(key.secret, message) : fail('1C80007A'));
  const used = hash ?? DEFAULT_DIGEST;
  return bufferOf(signHash(key, used, digest(used, message), optionsOf(given)));
};
const verifyNow = (algorithm, data, given, signature) => {
  const hash = hashOf(algorithm);
  const message = bytesOf(data, 'data');
  const key = keyFrom(given, false);
  const signed = internal.bytesOf(signature);
  if (signed === undefined) throw new ERR_INVALID_ARG_TYPE('signature', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], signature);
  if (!isSigner(key)) throw openssl('03000096');
  if (key.type === 'ed25519') return hash === undefined ? verifyEdwards(key.known, message, Uint8Array.from(signed)) : fail('1C80007A');
  const used = hash ?? DEFAULT_DIGEST;
  return verifyHash(key, used, digest(used, message), Uint8Array.from(signed), optionsOf(given));
};

// The result comes later, as from Node's thread pool.
export const later = (work, callback) => {
  if (callback === undefined) return work();
  validateFunction(callback, 'callback');
  let result;
  try {
    result = work();
  } catch (error) {
    setImmediate(callback, error);
    return undefined;
  }
  setImmediate(callback, null, result);
  return undefined;
};
const sign = (algorithm, data, key, callback = undefined) => later(() => signNow(algorithm, data, key), callback);
const verify = (algorithm, data, key, signature, callback = undefined) => later(() => verifyNow(algorithm, data, key, signature), callback);

class Signing extends Writable {
  #hash;
  #state;
  constructor(algorithm, options) {
    validateString(algorithm, 'algorithm');
    super(options);
    this.#hash = digestNamed(algorithm);
    if (this.#hash === undefined) throw invalidDigest();
    this.#state = native.newHash(this.#hash);
  }
  _write(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }
  update(data, encoding = undefined) {
    if (this.#state === undefined) throw failure('ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    native.updateHash(this.#state, bytesOf(data, 'data', encoding));
    return this;
  }
  finished() {
    if (this.#state === undefined) throw failure('ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    const hashed = native.finishHash(this.#state);
    this.#state = undefined;
    return [this.#hash, hashed];
  }
}
Object.defineProperty(Signing.prototype, 'finished', { enumerable: false });
const streaming = (key) => {
  if (key.type === 'ed25519' || key.type === 'x25519') throw failure('ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported crypto operation');
  return key;
};

class Sign extends Signing {
  sign(options, encoding = undefined) {
    if (!options) throw failure('ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
    const key = streaming(keyFrom(options, true));
    return shown(bufferOf(signHash(key, ...this.finished(), optionsOf(options))), encoding);
  }
}
class Verify extends Signing {
  verify(options, signature, encoding = undefined) {
    const key = streaming(keyFrom(options, false));
    return verifyHash(key, ...this.finished(), bytesOf(signature, 'signature', encoding), optionsOf(options));
  }
}

const oaepOf = (options) => {
  const { oaepHash = 'sha1', oaepLabel } = options;
  validateString(oaepHash, 'key.oaepHash');
  const hash = digestNamed(oaepHash);
  if (hash === undefined) throw failure('ERR_OSSL_EVP_INVALID_DIGEST', 'Invalid digest used');
  return [hash, oaepLabel === undefined ? new Uint8Array(0) : bytesOf(oaepLabel, 'key.oaepLabel')];
};
const rsaKey = (given, wantsPrivate) => {
  const key = keyFrom(given, wantsPrivate);
  if (key.type !== 'rsa') throw openssl('03000096');
  return key;
};
const whole = (key, data) => (data.length === rsa.sizeOf(key) ? data : fail(data.length > rsa.sizeOf(key) ? '0200006E' : '0200007A'));

const publicEncrypt = (given, buffer) => {
  const options = optionsOf(given);
  const key = publicPart(rsaKey(given, false));
  const data = bytesOf(buffer, 'buffer', options.encoding);
  const { padding = OAEP } = options;
  if (padding === PLAIN) return bufferOf(rsa.encryptPlain(key, data) ?? fail('0200006E'));
  if (padding === NONE) return bufferOf(rsa.applyPublic(key, whole(key, data)) ?? fail('0200007A'));
  const [hash, label] = oaepOf(options);
  return bufferOf(rsa.encryptOaep(key, hash, hash, label, data) ?? fail('0200006E'));
};
const privateDecrypt = (given, buffer) => {
  const options = optionsOf(given);
  const key = rsaKey(given, true);
  const data = bytesOf(buffer, 'buffer', options.encoding);
  const { padding = OAEP } = options;
  if (padding === PLAIN) {
    const message = 'RSA_PKCS1_PADDING is no longer supported for private decryption, this can be reverted with --security-revert=CVE-2023-46809';
    throw failure('ERR_INVALID_ARG_VALUE', message, TypeError);
  }
  if (padding === NONE) return bufferOf(rsa.applyPrivate(key, whole(key, data)) ?? fail('0200007A'));
  const [hash, label] = oaepOf(options);
  return bufferOf(rsa.decryptOaep(key, hash, hash, label, data) ?? fail('02000079'));
};
// The private key makes what everybody can open: a signature over data that is not hashed.
const privateEncrypt = (given, buffer) => {
  const options = optionsOf(given);
  const key = rsaKey(given, true);
  const data = bytesOf(buffer, 'buffer', options.encoding);
  if (options.padding === NONE) return bufferOf(rsa.applyPrivate(key, whole(key, data)) ?? fail('0200007A'));
  return bufferOf(rsa.signPlain(key, undefined, data) ?? fail('0200006E'));
};
const publicDecrypt = (given, buffer) => {
  const options = optionsOf(given);
  const key = publicPart(rsaKey(given, false));
  const opened = rsa.applyPublic(key, whole(key, bytesOf(buffer, 'buffer', options.encoding))) ?? fail('0200007A');
  return bufferOf(options.padding === NONE ? opened : (rsa.openPlain(opened, 1) ?? fail('0200008A', true)));
};

const createSign = (algorithm, options) => new Sign(algorithm, options);
const createVerify = (algorithm, options) => new Verify(algorithm, options);
export default { Sign, Verify, createSign, createVerify, privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt, sign, verify };
