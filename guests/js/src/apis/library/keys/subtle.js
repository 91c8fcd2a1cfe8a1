// Key pairs of `crypto.subtle`: RSA in three schemes, ECDSA, ECDH, Ed25519, X25519.
import { agree } from 'internal/keys/agreement';
import { HASHES, bare, bytesOf, checkJwk, failed, hashOf, makeKey, materialOf, notAllowed, refused, requireMember, wrongData, wrongUse } from 'internal/keys/crypto_key';
import { Malformed } from 'internal/keys/der';
import { digest } from 'internal/keys/digests';
import { signEdwards, verifyEdwards } from 'internal/keys/edwards';
import * as elliptic from 'internal/keys/elliptic';
import { openssl } from 'internal/keys/failures';
import { ecKey, octetKey, publicPart, readJwk, readPkcs8, readSpki, toJwk, toPkcs8, toRaw, toSpki } from 'internal/keys/formats';
import { makers } from 'internal/keys/generation';
import { bitLength, concat, fromBytes, toBytes } from 'internal/keys/numbers';
import * as rsa from 'internal/keys/rsa';

// For each algorithm: the type of its keys, and the usages of the public and of the private key.
const SIGNING = [['verify'], ['sign']];
const AGREEING = [[], ['deriveKey', 'deriveBits']];
const PAIRS = {
  __proto__: null,
  'RSASSA-PKCS1-v1_5': ['rsa', ...SIGNING],
  'RSA-PSS': ['rsa', ...SIGNING],
  'RSA-OAEP': ['rsa', ['encrypt', 'wrapKey'], ['decrypt', 'unwrapKey']],
  ECDSA: ['ec', ...SIGNING],
  ECDH: ['ec', ...AGREEING],
  Ed25519: ['ed25519', ...SIGNING],
  X25519: ['x25519', ...AGREEING],
};
const NIST = ['P-256', 'P-384', 'P-521'];
const MIN_MODULUS = 512;

const curveOf = (algorithm, kind) => {
  requireMember(algorithm, 'namedCurve', kind);
  if (!NIST.includes(algorithm.namedCurve)) throw refused('Unrecognized namedCurve');
  return elliptic.curveOf(algorithm.namedCurve);
};

// The `algorithm` of a key.
const described = (name, key, hash) => {
  if (key.type === 'ec') return { name, namedCurve: key.curve.jwk };
  if (key.type !== 'rsa') return { name };
  return { name, modulusLength: bitLength(key.n), publicExponent: toBytes(key.e), hash: { name: hash } };
};
const article = (name) => (name.startsWith('R') ? 'an' : 'a');
const imported = (name, key, hash, extractable, usages) => {
  const allowed = PAIRS[name][key.isPrivate ? 2 : 1];
  if (usages.some((usage) => !allowed.includes(usage))) throw wrongUse(`Unsupported key usage for ${article(name)} ${name} key`);
  if (key.isPrivate && usages.length === 0) throw wrongUse('Usages cannot be empty when importing a private key.');
  return makeKey(key, described(name, key, hash), extractable, usages);
};

const reading = (read) => {
  try {
    return read() ?? wrong();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const wrapped = wrongData();
    Object.defineProperty(wrapped, 'cause', { value: openssl('068000A8'), configurable: true, writable: true });
    throw wrapped;
  }
};
const wrong = () => {
  throw wrongData();
};

// The names of signatures and encryptions that a JWK may have as its `alg`.
const namesInJwk = (name, hash, key) => {
  const bits = hash?.slice(4);
  if (name === 'RSASSA-PKCS1-v1_5') return [`RS${bits}`];
  if (name === 'RSA-PSS') return [`PS${bits}`];
  if (name === 'RSA-OAEP') return [hash === 'SHA-1' ? 'RSA-OAEP' : `RSA-OAEP-${bits}`];
  if (name === 'ECDSA') return [`ES${{ 'P-256': '256', 'P-384': '384', 'P-521': '512' }[key]}`];
  return name === 'Ed25519' ? ['EdDSA', 'Ed25519'] : undefined;
};

const fromJwk = (name, jwk, algorithm, hash, extractable, usages) => {
  if (typeof jwk !== 'object' || jwk === null) throw wrongData();
  const [type] = PAIRS[name];
  const kty = { rsa: 'RSA', ec: 'EC' }[type] ?? 'OKP';
  if (jwk.kty !== kty) throw wrongData('Invalid JWK "kty" Parameter');
  if (kty === 'EC' && jwk.crv !== algorithm.namedCurve) throw wrongData('JWK "crv" does not match the requested algorithm');
  if (kty === 'OKP' && jwk.crv !== name) throw wrongData('JWK "crv" Parameter and algorithm name mismatch');
  const allowed = PAIRS[name][jwk.d === undefined ? 1 : 2];
  if (usages.some((usage) => !allowed.includes(usage))) throw wrongUse(`Unsupported key usage for ${article(name)} ${name} key`);
  checkJwk(jwk, allowed.includes('encrypt') || allowed.includes('decrypt') || type === 'x25519' || name === 'ECDH' ? 'enc' : 'sig', extractable, usages);
  const names = namesInJwk(name, hash, jwk.crv);
  if (jwk.alg !== undefined && names !== undefined && !names.includes(jwk.alg)) throw wrongData('JWK "alg" does not match the requested algorithm');
  return reading(() => readJwk(jwk));
};
const fromRaw = (name, type, bytes, curve) => {
  if (type === 'rsa') throw refused('Unable to import RSA key with format raw');
  if (type !== 'ec') {
    if (bytes.length !== 32) throw wrongData(`${name} raw keys must be exactly 32-bytes`);
    return octetKey(type, bytes);
  }
  return reading(() => {
    const point = elliptic.decodePoint(curve, bytes);
    return point && ecKey(curve, point);
  });
};

const importKey = (name, format, data, algorithm, extractable, usages) => {
  const [type] = PAIRS[name];
  if (type === 'rsa') requireMember(algorithm, 'hash', 'RsaHashedImportParams');
  const hash = type === 'rsa' ? hashOf(algorithm.hash) : undefined;
  const curve = type === 'ec' ? curveOf(algorithm, 'EcKeyImportParams') : undefined;
  let key;
  if (format === 'jwk') key = fromJwk(name, data, algorithm, hash, extractable, usages);
  else {
    const bytes = bytesOf(data, 'keyData');
    if (format === 'raw') key = fromRaw(name, type, bytes, curve);
    else if (format === 'spki') key = reading(() => readSpki(bytes));
    else if (format === 'pkcs8') key = reading(() => readPkcs8(bytes));
    else throw refused(`Unable to import ${name} key with format ${format}`);
    if (key.type !== type) throw wrongData('Invalid key type');
    if (key.curve !== curve) throw wrongData('Named curve mismatch');
  }
  return imported(name, key, hash, extractable, usages);
};

const exportKey = (format, key) => {
  const material = materialOf(key);
  const { name, hash } = key.algorithm;
  const { isPrivate, type } = material;
  if (format === 'jwk') {
    const alg = type === 'rsa' ? namesInJwk(name, hash.name)[0] : name === 'Ed25519' ? name : undefined;
    const jwk = { key_ops: [...key.usages], ext: key.extractable, ...toJwk(material) };
    return alg === undefined ? jwk : { ...jwk, alg };
  }
  const isFit = format === 'pkcs8' ? isPrivate : !isPrivate && (format === 'spki' || type !== 'rsa');
  if (!isFit) throw notAllowed(`Unable to export a ${isPrivate ? 'raw' : format} ${name} ${key.type} key`);
  return bare(format === 'pkcs8' ? toPkcs8(material) : format === 'spki' ? toSpki(material) : toRaw(material));
};

const generateKey = (name, algorithm, extractable, usages) => {
  const [type, publicUsages, privateUsages] = PAIRS[name];
  let [hash, options] = [undefined, {}];
  if (type === 'rsa') {
    for (const member of ['modulusLength', 'publicExponent', 'hash']) requireMember(algorithm, member, 'RsaHashedKeyGenParams');
    hash = hashOf(algorithm.hash);
    options = { modulusLength: Number(algorithm.modulusLength), publicExponent: fromBytes(bytesOf(algorithm.publicExponent, 'algorithm.publicExponent')) };
  }
  const curve = type === 'ec' ? curveOf(algorithm, 'EcKeyGenParams') : undefined;
  if (usages.some((usage) => !publicUsages.includes(usage) && !privateUsages.includes(usage))) {
    throw wrongUse(`Unsupported key usage for a${type === 'rsa' ? ' RSA' : `n ${name}`} key`);
  }
  const forPrivate = usages.filter((usage) => privateUsages.includes(usage));
  const forPublic = usages.filter((usage) => publicUsages.includes(usage));
  let key;
  if (type === 'rsa') {
    const { modulusLength, publicExponent } = options;
    if (!(modulusLength >= MIN_MODULUS && modulusLength <= rsa.MAX_MODULUS)) throw failed();
    const numbers = rsa.newKey(Math.trunc(modulusLength), publicExponent);
    if (numbers === undefined) throw failed();
    key = { type, isPrivate: true, ...numbers };
  } else key = makers[type]({ namedCurve: curve?.name });
  // As in Node, only after what the algorithm says has been found right.
  if (forPrivate.length === 0) throw wrongUse('Usages cannot be empty when creating a key.');
  const about = described(name, key, hash);
  const publicKey = makeKey(publicPart(key), about, true, forPublic);
  const privateKey = makeKey(key, { ...about }, extractable, forPrivate);
  // The order of Node, which differs for the curves of RFC 7748 and RFC 8032.
  return name.endsWith('25519') ? { __proto__: null, privateKey, publicKey } : { __proto__: null, publicKey, privateKey };
};

const hashed = (name, algorithm, key, data) => {
  if (name === 'ECDSA') requireMember(algorithm, 'hash', 'EcdsaParams');
  if (name === 'RSA-PSS') requireMember(algorithm, 'saltLength', 'RsaPssParams');
  const [hash] = HASHES[name === 'ECDSA' ? hashOf(algorithm.hash) : key.algorithm.hash.name];
  return [hash, digest(hash, data)];
};
const need = (key, isPrivate, usage) => {
  const material = materialOf(key);
  if (material.isPrivate !== isPrivate) throw notAllowed(`Unable to use this key to ${usage}`);
  return material;
};

const sign = (name, algorithm, key, data) => {
  const material = need(key, true, 'sign');
  if (name === 'Ed25519') return bare(signEdwards(material.secret, data));
  const [hash, value] = hashed(name, algorithm, key, data);
  if (name === 'ECDSA') {
    const { r, s } = elliptic.sign(material.curve, material.d, value);
    const size = material.curve.orderSize;
    return bare(concat(toBytes(r, size), toBytes(s, size)));
  }
  const signed = name === 'RSA-PSS' ? rsa.signPss(material, hash, hash, value, Number(algorithm.saltLength)) : rsa.signPlain(material, hash, value);
  if (signed === undefined) throw failed();
  return bare(signed);
};
const verify = (name, algorithm, key, signature, data) => {
  const material = need(key, false, 'verify');
  if (name === 'Ed25519') return verifyEdwards(material.known, data, signature);
  const [hash, value] = hashed(name, algorithm, key, data);
  if (name === 'ECDSA') {
    const size = material.curve.orderSize;
    const pair = { r: fromBytes(signature.subarray(0, size)), s: fromBytes(signature.subarray(size)) };
    return signature.length === 2 * size && elliptic.verify(material.curve, material, value, pair);
  }
  if (name === 'RSA-PSS') return rsa.verifyPss(material, hash, hash, value, Number(algorithm.saltLength), signature);
  return rsa.verifyPlain(material, hash, value, signature);
};

const crypt = (algorithm, key, data, isEncrypting) => {
  const material = need(key, !isEncrypting, isEncrypting ? 'encrypt' : 'decrypt');
  const [hash] = HASHES[key.algorithm.hash.name];
  const label = algorithm.label === undefined ? new Uint8Array(0) : bytesOf(algorithm.label, 'algorithm.label');
  const result = (isEncrypting ? rsa.encryptOaep : rsa.decryptOaep)(material, hash, hash, label, data);
  if (result === undefined) throw failed();
  return bare(result);
};

// The bits that two keys agree on; all of them without a length.
const deriveBits = (name, algorithm, key, length) => {
  requireMember(algorithm, 'public', 'EcdhKeyDeriveParams');
  const other = algorithm.public;
  const [own, given] = [need(key, true, 'derive bits'), materialOf(other)];
  if (other.type !== 'public') throw notAllowed('algorithm.public must be a public key');
  if (other.algorithm.name !== name) throw notAllowed('The public and private keys must be of the same type');
  if (own.curve !== given.curve) throw notAllowed('Named curve mismatch');
  const secret = agree(own, given);
  if (secret === undefined) throw failed();
  if (length === null || length === undefined) return bare(secret);
  if (length > secret.length * 8) throw failed('derived bit length is too small');
  const bytes = secret.slice(0, Math.ceil(length / 8));
  if (length % 8 !== 0) bytes[bytes.length - 1] &= 255 << (8 - (length % 8));
  return bare(bytes);
};

export default { crypt, deriveBits, exportKey, generateKey, importKey, sign, verify };
