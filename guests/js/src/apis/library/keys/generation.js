// New keys: pairs, secret keys and primes of `crypto`.
import { internal } from 'host';
import { digestNamed, digestSize } from 'internal/keys/digests';
import { curveOf, newSecret } from 'internal/keys/elliptic';
import { failure, invalidDigest } from 'internal/keys/failures';
import { ecKey, octetKey, publicPart } from 'internal/keys/formats';
import { keyObject } from 'internal/keys/key_object';
import { bitLength, fromBytes, isProbablePrime, randomBytes, randomPrime, toBytes } from 'internal/keys/numbers';
import { exported } from 'internal/keys/objects';
import { MAX_MODULUS, newKey } from 'internal/keys/rsa';
import { later } from 'internal/keys/signatures';
import { validateFunction, validateInteger, validateObject, validateString, validateUint32 } from 'internal/validators';
import { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE } from 'internal/errors';

const TYPES = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'x25519'];
const KNOWN = ['dh', 'dsa', 'ed448', 'x448'];
// Shortest modulus that OpenSSL makes.
const MIN_MODULUS = 512;

const hashOption = (value, name) => {
  if (value === undefined) return undefined;
  validateString(value, name);
  const hash = digestNamed(value);
  if (hash === undefined) throw invalidDigest(value);
  return hash;
};

const makers = {
  rsa(options, type = 'rsa') {
    validateObject(options, 'options');
    const { modulusLength, publicExponent = 0x10001 } = options;
    validateUint32(modulusLength, 'options.modulusLength');
    validateUint32(publicExponent, 'options.publicExponent');
    let limits;
    if (type === 'rsa-pss') {
      const hash = hashOption(options.hashAlgorithm ?? options.hash, 'options.hashAlgorithm');
      const maskHash = hashOption(options.mgf1HashAlgorithm ?? options.mgf1Hash, 'options.mgf1HashAlgorithm');
      if (options.saltLength !== undefined) validateInteger(options.saltLength, 'options.saltLength', 0, 2147483647);
      if ((hash ?? maskHash ?? options.saltLength) !== undefined) {
        const used = hash ?? 'sha1';
        limits = { hash: used, maskHash: maskHash ?? used, saltLength: options.saltLength ?? (hash === undefined ? 20 : digestSize(used)) };
      }
    }
    if (modulusLength < MIN_MODULUS) throw failure('ERR_OSSL_RSA_KEY_SIZE_TOO_SMALL', 'error:02000078:rsa routines::key size too small');
    if (modulusLength > MAX_MODULUS) throw failure('ERR_OSSL_RSA_MODULUS_TOO_LARGE', 'error:02000069:rsa routines::modulus too large');
    const numbers = newKey(modulusLength, BigInt(publicExponent));
    if (numbers === undefined) throw failure('ERR_OSSL_RSA_PUB_EXPONENT_OUT_OF_RANGE', 'error:020000B2:rsa routines::pub exponent out of range');
    return { type, isPrivate: true, ...numbers, limits };
  },
  'rsa-pss': (options) => makers.rsa(options, 'rsa-pss'),
  ec(options) {
    validateObject(options, 'options');
    validateString(options.namedCurve, 'options.namedCurve');
    const { paramEncoding } = options;
    if (paramEncoding !== undefined && paramEncoding !== 'named' && paramEncoding !== 'explicit') {
      throw new ERR_INVALID_ARG_VALUE('options.paramEncoding', paramEncoding);
    }
    const curve = curveOf(options.namedCurve);
    if (curve === undefined) throw failure('ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name', TypeError);
    return ecKey(curve, undefined, newSecret(curve));
  },
  ed25519: () => octetKey('ed25519', undefined, randomBytes(32)),
  x25519: () => octetKey('x25519', undefined, randomBytes(32)),
};

// The private key of a new pair. The types that `crypto` names and that are not here are refused.
const generateKeyPairSync = (type, options = undefined) => {
  validateString(type, 'type');
  if (KNOWN.includes(type)) throw internal.notAvailable(`a key pair of type ${type}`, `there are ${TYPES.join(', ')}`);
  if (!TYPES.includes(type)) throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
  if (options !== undefined) validateObject(options, 'options');
  const { publicKeyEncoding, privateKeyEncoding } = options ?? {};
  for (const [name, encoding] of Object.entries({ publicKeyEncoding, privateKeyEncoding })) {
    if (encoding !== undefined && (typeof encoding !== 'object' || encoding === null)) throw new ERR_INVALID_ARG_VALUE(`options.${name}`, encoding);
  }
  const key = makers[type](options);
  const shaped = (part, encoding, name) => (encoding === undefined ? keyObject(part) : exported(part, encoding, `options.${name}`));
  return {
    publicKey: shaped(publicPart(key), publicKeyEncoding, 'publicKeyEncoding'),
    privateKey: shaped(key, privateKeyEncoding, 'privateKeyEncoding'),
  };
};
const generateKeyPair = (type, options, callback) => {
  if (typeof options === 'function') [options, callback] = [undefined, options];
  validateFunction(callback, 'callback');
  // Wrong arguments throw here; only the pair comes later.
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  setImmediate(callback, null, publicKey, privateKey);
};

const generateKeySync = (type, options) => {
  validateString(type, 'type');
  validateObject(options, 'options');
  const { length } = options;
  if (type === 'hmac') validateInteger(length, 'options.length', 8, 2147483647);
  else if (type !== 'aes') throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
  else if (![128, 192, 256].includes(length)) throw new ERR_INVALID_ARG_VALUE('options.length', length, 'must be one of: 128, 192, 256');
  return keyObject(randomBytes(Math.floor(length / 8)));
};
const generateKey = (type, options, callback) => {
  validateFunction(callback, 'callback');
  const key = generateKeySync(type, options);
  setImmediate(callback, null, key);
};

const numberIn = (value, name) => {
  if (value === undefined) return undefined;
  if (typeof value === 'bigint') {
    if (value < 0n) throw new ERR_OUT_OF_RANGE(name, '>= 0', value);
    return value;
  }
  const bytes = internal.bytesOf(value);
  if (bytes === undefined) throw new ERR_INVALID_ARG_TYPE(name, ['ArrayBuffer', 'TypedArray', 'Buffer', 'DataView', 'bigint'], value);
  return fromBytes(bytes);
};
const generatePrimeSync = (size, options = {}) => {
  validateInteger(size, 'size', 1, MAX_MODULUS);
  validateObject(options, 'options');
  const { safe = false, bigint = false } = options;
  const [add, rem] = [numberIn(options.add, 'options.add'), numberIn(options.rem, 'options.rem')];
  if (add !== undefined && bitLength(add) > size) throw new ERR_OUT_OF_RANGE('options.add', 'invalid options.add');
  if (rem !== undefined && add !== undefined && add <= rem) throw new ERR_OUT_OF_RANGE('options.rem', 'invalid options.rem');
  const rest = rem ?? (safe ? 3n : 1n);
  const isFit = (prime) => (add === undefined || prime % add === rest % add) && (!safe || isProbablePrime((prime - 1n) / 2n, 5));
  const prime = size === 1 ? 1n : size === 2 ? 2n + BigInt(randomBytes(1)[0] & 1) : randomPrime(size, Math.min(2, size - 1), isFit);
  return bigint ? prime : toBytes(prime, Math.ceil(size / 8)).buffer;
};
const generatePrime = (size, options, callback) => {
  if (typeof options === 'function') [options, callback] = [{}, options];
  validateFunction(callback, 'callback');
  later(() => generatePrimeSync(size, options), callback);
};
const checkPrimeSync = (candidate, options = {}) => {
  validateObject(options, 'options');
  return isProbablePrime(numberIn(candidate, 'candidate'), Math.max(20, options.checks ?? 0));
};
const checkPrime = (candidate, options, callback) => {
  if (typeof options === 'function') [options, callback] = [{}, options];
  validateFunction(callback, 'callback');
  later(() => checkPrimeSync(candidate, options), callback);
};

export { makers };
export default {
  checkPrime, checkPrimeSync, generateKey, generateKeyPair, generateKeyPairSync, generateKeySync, generatePrime, generatePrimeSync,
};
