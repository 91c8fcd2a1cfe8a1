// Secrets that two parties agree on: ECDH, X25519 and Diffie-Hellman over primes.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { agreeMontgomery } from 'internal/keys/edwards';
import { CURVES, curveOf, decodePoint, encodePoint, newSecret, publicOf, times } from 'internal/keys/elliptic';
import { failure, openssl } from 'internal/keys/failures';
import { KeyObject, materialOf } from 'internal/keys/key_object';
import { bitLength, fromBytes, isProbablePrime, power, randomBelow, randomPrime, toBytes } from 'internal/keys/numbers';
import { validateInt32, validateString } from 'internal/validators';
import { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } from 'internal/errors';

const bytesOf = (value, name, encoding = undefined) => {
  if (typeof value === 'string') return Uint8Array.from(Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding));
  const bytes = internal.bytesOf(value);
  if (bytes === undefined) throw new ERR_INVALID_ARG_TYPE(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  return Uint8Array.from(bytes);
};
const shown = (bytes, encoding) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
};

// The common secret of two keys of one kind; undefined if it is no secret.
export const agree = (own, other) => {
  if (own.type === 'ec') return toBytes(times(own.curve, other, own.d).x, own.curve.size);
  const secret = agreeMontgomery(own.secret, other.known);
  return secret.some((byte) => byte !== 0) ? secret : undefined;
};

const diffieHellman = (options) => {
  if (typeof options !== 'object' || options === null) throw new ERR_INVALID_ARG_TYPE('options', 'object', options);
  const { privateKey, publicKey } = options;
  if (!(privateKey instanceof KeyObject)) throw new ERR_INVALID_ARG_VALUE('options.privateKey', privateKey);
  if (!(publicKey instanceof KeyObject)) throw new ERR_INVALID_ARG_VALUE('options.publicKey', publicKey);
  const wrongType = (type, wanted) => failure('ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${wanted}.`, TypeError);
  if (privateKey.type !== 'private') throw wrongType(privateKey.type, 'private');
  if (publicKey.type === 'secret') throw wrongType('secret', 'private or public');
  const [own, other] = [materialOf(privateKey), materialOf(publicKey)];
  if (own.type !== other.type || !['ec', 'x25519'].includes(own.type)) {
    throw failure('ERR_CRYPTO_INCOMPATIBLE_KEY', `Incompatible key types for Diffie-Hellman: ${own.type} and ${other.type}`);
  }
  if (own.curve !== other.curve) throw openssl('1C80007D');
  const secret = agree(own, other);
  if (secret === undefined) throw failure('ERR_OSSL_FAILED_DURING_DERIVATION', 'error:1C8000A4:Provider routines::failed during derivation');
  return shown(secret);
};

const formOf = (format = 'uncompressed') => {
  const form = format === '' ? 'uncompressed' : format;
  if (['compressed', 'hybrid', 'uncompressed'].includes(form)) return form;
  throw failure('ERR_CRYPTO_ECDH_INVALID_FORMAT', `Invalid ECDH format: ${form}`, TypeError);
};
const curveNamed = (name) => {
  const curve = curveOf(name);
  if (curve === undefined) throw failure('ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name', TypeError);
  return curve;
};

class ECDH {
  #curve;
  #secret;
  #known;
  constructor(name) {
    validateString(name, 'curve');
    this.#curve = curveNamed(name);
  }
  static convertKey(key, name, inEncoding = undefined, outEncoding = undefined, format = undefined) {
    const bytes = bytesOf(key, 'key', inEncoding);
    validateString(name, 'curve');
    const curve = curveNamed(name);
    const point = decodePoint(curve, bytes);
    if (point === undefined) throw failure('ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
    return shown(encodePoint(curve, point, formOf(format)), outEncoding);
  }
  generateKeys(encoding = undefined, format = undefined) {
    this.#secret = newSecret(this.#curve);
    this.#known = publicOf(this.#curve, this.#secret);
    return this.getPublicKey(encoding, format);
  }
  computeSecret(other, inEncoding = undefined, outEncoding = undefined) {
    const bytes = bytesOf(other, 'otherPublicKey', inEncoding);
    if (this.#secret === undefined || this.#known === undefined) throw failure('ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair', RangeError);
    const point = decodePoint(this.#curve, bytes);
    if (bytes.length === 1 && bytes[0] === 0) throw failure('ERR_CRYPTO_OPERATION_FAILED', 'Failed to compute ECDH key');
    if (point === undefined) throw failure('ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Public key is not valid for specified curve');
    return shown(toBytes(times(this.#curve, point, this.#secret).x, this.#curve.size), outEncoding);
  }
  getPublicKey(encoding = undefined, format = undefined) {
    const form = formOf(format);
    if (this.#known === undefined) throw failure('ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH public key');
    return shown(encodePoint(this.#curve, this.#known, form), encoding);
  }
  getPrivateKey(encoding = undefined) {
    if (this.#secret === undefined) throw failure('ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH private key');
    return shown(toBytes(this.#secret, this.#curve.orderSize), encoding);
  }
  setPrivateKey(key, encoding = undefined) {
    const secret = fromBytes(bytesOf(key, 'key', encoding));
    if (secret < 1n || secret >= this.#curve.n) {
      throw failure('ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.', RangeError);
    }
    this.#secret = secret;
    this.#known = publicOf(this.#curve, secret);
    return this;
  }
  setPublicKey(key, encoding = undefined) {
    const point = decodePoint(this.#curve, bytesOf(key, 'key', encoding));
    if (point === undefined) throw failure('ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
    this.#known = point;
    return this;
  }
}

// The primes of RFC 2409 and RFC 3526 are made of digits of π and a small number.
const pi = (bits) => {
  const one = 1n << BigInt(bits + 32);
  const arctangent = (over) => {
    let [sum, power, at, sign] = [0n, one / over, 1n, 1n];
    for (; power > 0n; power /= over * over, at += 2n, sign = -sign) sum += (sign * power) / at;
    return sum;
  };
  return (4n * (4n * arctangent(5n) - arctangent(239n))) >> 32n;
};
const GROUPS = {
  __proto__: null,
  modp1: [768, 149686n],
  modp2: [1024, 129093n],
  modp5: [1536, 741804n],
  modp14: [2048, 124476n],
  modp15: [3072, 1690314n],
  modp16: [4096, 240904n],
  modp17: [6144, 929484n],
  modp18: [8192, 4743158n],
};
const primeOf = (name) => {
  const [bits, more] = GROUPS[name];
  const one = 1n << BigInt(bits);
  return one - (1n << BigInt(bits - 64)) - 1n + ((pi(bits - 130) + more) << 64n);
};

// Longest prime that is made or used; the time grows with its cube.
const MAX_PRIME = 10_000;
const NOT_SUITABLE = 8;
const NOT_SAFE = 2;
const NOT_PRIME = 1;

class DiffieHellmanGroup {
  #prime;
  #generator;
  #secret;
  #known;
  constructor(name) {
    if (Array.isArray(name)) [this.#prime, this.#generator] = name;
    else if (GROUPS[name] === undefined) throw failure('ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
    else [this.#prime, this.#generator] = [primeOf(name), 2n];
  }
  get verifyError() {
    if (!isProbablePrime(this.#prime)) return NOT_PRIME | NOT_SAFE;
    const isFit = this.#generator > 1n && this.#generator < this.#prime - 1n;
    return (isProbablePrime((this.#prime - 1n) / 2n) ? 0 : NOT_SAFE) | (isFit ? 0 : NOT_SUITABLE);
  }
  generateKeys(encoding = undefined) {
    this.#secret ??= randomBelow((this.#prime - 1n) / 2n);
    this.#known = power(this.#generator, this.#secret, this.#prime);
    return this.getPublicKey(encoding);
  }
  computeSecret(other, inEncoding = undefined, outEncoding = undefined) {
    const value = fromBytes(bytesOf(other, 'otherPublicKey', inEncoding));
    const wrong = (what) => failure('ERR_CRYPTO_INVALID_KEYLEN', `Supplied key is too ${what}`, RangeError);
    if (value <= 1n) throw wrong('small');
    if (value >= this.#prime - 1n) throw wrong('large');
    if (this.#secret === undefined) throw failure('ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair', RangeError);
    return shown(toBytes(power(value, this.#secret, this.#prime), Math.ceil(bitLength(this.#prime) / 8)), outEncoding);
  }
  getPrime(encoding = undefined) {
    return shown(toBytes(this.#prime), encoding);
  }
  getGenerator(encoding = undefined) {
    return shown(toBytes(this.#generator), encoding);
  }
  getPublicKey(encoding = undefined) {
    if (this.#known === undefined) throw failure('ERR_CRYPTO_INVALID_STATE', 'No public key - did you forget to generate one?');
    return shown(toBytes(this.#known), encoding);
  }
  getPrivateKey(encoding = undefined) {
    if (this.#secret === undefined) throw failure('ERR_CRYPTO_INVALID_STATE', 'No private key - did you forget to generate one?');
    return shown(toBytes(this.#secret), encoding);
  }
  set(secret, known) {
    this.#secret = secret ?? this.#secret;
    this.#known = known ?? this.#known;
    return this;
  }
}
Object.defineProperty(DiffieHellmanGroup.prototype, 'set', { enumerable: false });

class DiffieHellman extends DiffieHellmanGroup {
  constructor(size, keyEncoding = undefined, generator = undefined, genEncoding = undefined) {
    if (typeof size !== 'number' && typeof size !== 'string' && internal.bytesOf(size) === undefined) {
      throw new ERR_INVALID_ARG_TYPE('sizeOrKey', ['number', 'string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], size);
    }
    const isEncoding = keyEncoding === undefined || Buffer.isEncoding(keyEncoding) || keyEncoding === 'buffer';
    if (!isEncoding) [generator, genEncoding, keyEncoding] = [keyEncoding, generator, undefined];
    if (typeof size === 'number') validateInt32(size, 'sizeOrKey', 2, MAX_PRIME);
    const g = generator === undefined ? 2n : typeof generator === 'number' ? BigInt(generator) : fromBytes(bytesOf(generator, 'generator', genEncoding));
    // The rests that OpenSSL asks for make the generator one of a group of prime order.
    const [modulus, rest] = g === 2n ? [24n, 23n] : g === 5n ? [10n, 7n] : [4n, 3n];
    const isFit = (prime) => size < 16 || (prime % modulus === rest && isProbablePrime((prime - 1n) / 2n, 5));
    const prime = typeof size === 'number' ? randomPrime(size, Math.min(2, size - 1), isFit) : fromBytes(bytesOf(size, 'sizeOrKey', keyEncoding));
    if (bitLength(prime) > MAX_PRIME) throw failure('ERR_OSSL_DH_MODULUS_TOO_LARGE', 'error:02800067:Diffie-Hellman routines::modulus too large');
    if (g < 2n) throw failure('ERR_OSSL_DH_BAD_GENERATOR', 'error:02800065:Diffie-Hellman routines::bad generator');
    super([prime, g]);
  }
  setPrivateKey(key, encoding = undefined) {
    return this.set(fromBytes(bytesOf(key, 'key', encoding)));
  }
  setPublicKey(key, encoding = undefined) {
    return this.set(undefined, fromBytes(bytesOf(key, 'key', encoding)));
  }
}

const createECDH = (curve) => new ECDH(curve);
const createDiffieHellman = (...given) => new DiffieHellman(...given);
const getDiffieHellman = (name) => new DiffieHellmanGroup(`${name}`.toLowerCase());
const getCurves = () => CURVES.map(({ name }) => name).sort();

export default {
  DiffieHellman, DiffieHellmanGroup, ECDH, createDiffieHellman, createDiffieHellmanGroup: getDiffieHellman, createECDH,
  diffieHellman, getCurves, getDiffieHellman,
};
