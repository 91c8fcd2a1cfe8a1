// `createPrivateKey` and `createPublicKey` of `crypto`, the forms that a `KeyObject` is exported in,
// and the argument with which other functions take a key.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { failure, openssl, unsupported } from 'internal/keys/failures';
import { Malformed, detailsOf, isSameKey, publicPart, readJwk, readPkcs1, readPkcs8, readSec1, readSpki, toJwk, toPkcs1, toPkcs8, toSec1, toSpki } from 'internal/keys/formats';
import { KeyObject, keyObject, materialOf } from 'internal/keys/key_object';
import { decryptOld, decryptPkcs8, encryptPkcs8, readPem, toOldPem, toPem } from 'internal/keys/pem';
import { publicKeyOf as certified } from 'internal/keys/certificate';
import { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } from 'internal/errors';

const BYTES = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

// Runs `read`; what is no key of the form fails as in OpenSSL.
const reading = (read, otherwise = unsupported) => {
  try {
    return read();
  } catch (error) {
    throw error instanceof Malformed ? otherwise() : error;
  }
};

const passphraseOf = (options) => {
  const { passphrase, encoding } = options;
  if (passphrase === undefined || passphrase === null) throw openssl('07880109', true);
  return Uint8Array.from(typeof passphrase === 'string' ? Buffer.from(passphrase, encoding) : internal.bytesOf(passphrase));
};

const fromText = (text, options, wantsPrivate) => {
  for (const block of readPem(text)) {
    const open = () => (block.headers.includes('ENCRYPTED') ? decryptOld(block, passphraseOf(options)) : block.bytes);
    if (block.label === 'PRIVATE KEY') return readPkcs8(block.bytes);
    if (block.label === 'ENCRYPTED PRIVATE KEY') return readPkcs8(decryptPkcs8(block.bytes, passphraseOf(options)));
    if (block.label === 'RSA PRIVATE KEY') return readPkcs1(open(), true);
    if (block.label === 'EC PRIVATE KEY') return readSec1(open());
    if (wantsPrivate) continue;
    const readers = { 'PUBLIC KEY': readSpki, 'RSA PUBLIC KEY': (bytes) => readPkcs1(bytes, false), CERTIFICATE: certified };
    const read = readers[block.label];
    if (read !== undefined) return reading(() => read(block.bytes), () => openssl('068000A8'));
  }
  throw unsupported();
};

const fromDer = (bytes, options, wantsPrivate) => {
  const { type } = options;
  if (type === 'spki' && !wantsPrivate) return readSpki(bytes);
  if (type === 'pkcs1') return readPkcs1(bytes, wantsPrivate);
  if (type === 'sec1') return readSec1(bytes);
  if (type !== 'pkcs8') throw new ERR_INVALID_ARG_VALUE('options.type', type);
  return options.passphrase === undefined ? readPkcs8(bytes) : readPkcs8(decryptPkcs8(bytes, passphraseOf(options)));
};

const one = (name, value, known) => {
  if (!known.includes(value)) throw new ERR_INVALID_ARG_VALUE(name, value, `must be one of: ${known.map((each) => `'${each}'`).join(', ')}`);
};
const fromJwk = (jwk) => {
  if (typeof jwk !== 'object' || jwk === null) throw new ERR_INVALID_ARG_TYPE('key.key', 'object', jwk);
  one('key.kty', jwk.kty, ['RSA', 'EC', 'OKP']);
  if (jwk.kty === 'EC') one('key.crv', jwk.crv, ['P-256', 'secp256k1', 'P-384', 'P-521']);
  if (jwk.kty === 'OKP') one('key.crv', jwk.crv, ['Ed25519', 'Ed448', 'X25519', 'X448']);
  return reading(() => readJwk(jwk), () => failure('ERR_CRYPTO_INVALID_JWK', `Invalid JWK ${{ RSA: 'RSA', EC: 'EC', OKP: 'OKP' }[jwk.kty]} key`, TypeError));
};

// The key that an argument means: text, bytes, an object with `key`, a KeyObject, a CryptoKey.
export const keyFrom = (given, wantsPrivate, takesObjects = true) => {
  const held = (value) => {
    if (value instanceof KeyObject) return materialOf(value);
    return typeof value === 'object' && value !== null && value instanceof globalThis.CryptoKey ? internal.openPart('internal/subtle').materialOf(value) : undefined;
  };
  const checked = (material, type) => {
    if (material instanceof Uint8Array || (wantsPrivate && !material.isPrivate)) {
      const wanted = wantsPrivate ? 'private' : 'public or private';
      throw failure('ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${wanted}.`, TypeError);
    }
    return material;
  };
  const kindOf = (material) => (material instanceof Uint8Array ? 'secret' : material.isPrivate ? 'private' : 'public');
  const direct = held(given);
  if (direct !== undefined && takesObjects) return checked(direct, kindOf(direct));
  const isPlain = typeof given === 'string' || internal.bytesOf(given) !== undefined;
  const isOptions = !isPlain && typeof given === 'object' && given !== null && direct === undefined;
  const options = isOptions ? given : {};
  const key = isOptions ? given.key : given;
  const inner = isOptions ? held(key) : undefined;
  if (inner !== undefined) {
    if (takesObjects || !wantsPrivate) return checked(inner, kindOf(inner));
    throw new ERR_INVALID_ARG_TYPE('key.key', ['string', ...BYTES], key);
  }
  if (options.format === 'jwk') return checked(fromJwk(key), 'public');
  const bytes = typeof key === 'string' ? Buffer.from(key, options.encoding ?? 'utf8') : internal.bytesOf(key);
  if (bytes === undefined || direct !== undefined) {
    const kinds = ['string', ...BYTES, ...(takesObjects || (isOptions && !wantsPrivate) ? ['KeyObject', 'CryptoKey'] : [])];
    throw new ERR_INVALID_ARG_TYPE(isOptions ? 'key.key' : 'key', kinds, key);
  }
  if (options.format !== undefined && options.format !== 'pem' && options.format !== 'der') throw new ERR_INVALID_ARG_VALUE('options.format', options.format);
  const plain = Uint8Array.from(bytes);
  if (options.format === 'der') {
    return checked(reading(() => fromDer(plain, options, wantsPrivate), () => openssl('0680007B')), 'public');
  }
  return checked(reading(() => fromText(Buffer.from(plain).toString('latin1'), options, wantsPrivate)), 'public');
};
export const publicKeyFrom = (given) => publicPart(keyFrom(given, false));

const createPrivateKey = (key) => {
  if (key instanceof KeyObject) throw new ERR_INVALID_ARG_TYPE('key', ['string', ...BYTES], key);
  return keyObject(keyFrom(key, true, false));
};
const createPublicKey = (key) => {
  const isHeld = (value) => value instanceof KeyObject;
  const object = isHeld(key) ? key : isHeld(key?.key) ? key.key : undefined;
  if (object !== undefined && object.type !== 'private') {
    throw failure('ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${object.type}, expected private.`, TypeError);
  }
  return keyObject(publicPart(keyFrom(key, false, true)));
};

const only = (type, needed, kind) => {
  if (!needed) throw failure('ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${type} can only be used for ${kind} keys.`);
};

// The form that options of `export`, or of `publicKeyEncoding`, ask for. `name` is what errors call them.
const exported = (key, options, name = 'options') => {
  if (typeof options !== 'object' || options === null) throw new ERR_INVALID_ARG_TYPE(name, 'object', options);
  const { format, type, cipher, passphrase } = options;
  if (format === 'jwk') {
    const jwk = toJwk(key);
    if (jwk === undefined) throw failure('ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
    if (passphrase !== undefined) throw failure('ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding jwk does not support encryption.');
    return jwk;
  }
  if (format !== 'pem' && format !== 'der') throw new ERR_INVALID_ARG_VALUE(`${name}.format`, format);
  const types = key.isPrivate ? ['pkcs1', 'pkcs8', 'sec1'] : ['pkcs1', 'spki'];
  if (!types.includes(type)) throw new ERR_INVALID_ARG_VALUE(`${name}.type`, type);
  if (type === 'pkcs1') only(type, key.type === 'rsa', 'RSA');
  if (type === 'sec1') only(type, key.type === 'ec', 'EC');
  let bytes = { pkcs1: toPkcs1, pkcs8: toPkcs8, sec1: toSec1, spki: toSpki }[type](key);
  let label = { pkcs1: `RSA ${key.isPrivate ? 'PRIVATE' : 'PUBLIC'} KEY`, pkcs8: 'PRIVATE KEY', sec1: 'EC PRIVATE KEY', spki: 'PUBLIC KEY' }[type];
  if (key.isPrivate && cipher !== undefined && cipher !== null) {
    if (typeof cipher !== 'string') throw new ERR_INVALID_ARG_VALUE(`${name}.cipher`, cipher);
    const secret = passphrase;
    if (typeof secret !== 'string' && internal.bytesOf(secret) === undefined) throw new ERR_INVALID_ARG_VALUE(`${name}.passphrase`, secret);
    if (type !== 'pkcs8' && format === 'der') {
      throw failure('ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${type} does not support encryption.`);
    }
    if (type !== 'pkcs8') return toOldPem(label, bytes, cipher, passphraseOf(options));
    bytes = encryptPkcs8(bytes, cipher, passphraseOf(options));
    label = 'ENCRYPTED PRIVATE KEY';
  }
  return format === 'pem' ? toPem(label, bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

export { exported };
export default { createPrivateKey, createPublicKey, detailsOf, exported, isSameKey };
