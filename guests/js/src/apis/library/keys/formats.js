// Keys of pairs as values, and their forms: SPKI, PKCS #8, PKCS #1, SEC 1, JWK, raw.
//
// A key has a `type` (`rsa`, `rsa-pss`, `ec`, `ed25519`, `x25519`), `isPrivate`, and its numbers:
// those of RSA by their names in a JWK; `curve`, `x`, `y` and `d`; or `known` and `secret`, which
// are bytes. Functions that read return undefined, or throw `Malformed`, for what is no key.
import { internal } from 'host';
import { digestOfOid, oidOfDigest } from 'internal/keys/digests';
import { Malformed, Reader, bits, context, integer, nothing, octets, oid, readWhole, sequence, wrap } from 'internal/keys/der';
import { publicOfEdwards, publicOfMontgomery } from 'internal/keys/edwards';
import { CURVES, curveOf, decodePoint, encodePoint, isOnCurve, publicOf } from 'internal/keys/elliptic';
import { areEqual, bitLength, fromBytes, toBytes } from 'internal/keys/numbers';
import { checkKey } from 'internal/keys/rsa';

const RSA = '1.2.840.113549.1.1.1';
const PSS = '1.2.840.113549.1.1.10';
const MASK = '1.2.840.113549.1.1.8';
const EC = '1.2.840.10045.2.1';
const OCTETS = { __proto__: null, ed25519: ['Ed25519', '1.3.101.112'], x25519: ['X25519', '1.3.101.110'] };
const RSA_NUMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

const broken = (why) => {
  throw new Malformed(why);
};
const rsaKey = (type, numbers, limits) => {
  const key = checkKey(numbers) ?? broken('numbers');
  return { type, isPrivate: key.d !== undefined, ...key, limits };
};
export const ecKey = (curve, point, d = undefined) => {
  if (d !== undefined) {
    if (d < 1n || d >= curve.n) broken('a secret');
    const own = publicOf(curve, d);
    if (point !== undefined && (point.x !== own.x || point.y !== own.y)) broken('another point');
    point = own;
  }
  if (point === undefined || !isOnCurve(curve, point)) broken('a point');
  return { type: 'ec', isPrivate: d !== undefined, curve, x: point.x, y: point.y, d };
};
export const octetKey = (type, known, secret = undefined) => {
  if ((known ?? secret).length !== 32 || (secret ?? known).length !== 32) broken('a length');
  const own = secret === undefined ? known : type === 'ed25519' ? publicOfEdwards(secret) : publicOfMontgomery(secret);
  if (known !== undefined && !areEqual(own, known)) broken('another public key');
  return { type, isPrivate: secret !== undefined, known: Uint8Array.from(own), secret: secret && Uint8Array.from(secret) };
};
export const publicPart = (key) => {
  const { type, n, e, limits, curve, x, y, known } = key;
  return { type, isPrivate: false, n, e, limits, curve, x, y, known };
};
export const isSameKey = (left, right) => {
  if (left.type !== right.type || left.isPrivate !== right.isPrivate) return false;
  return areEqual(left.isPrivate ? toPkcs8(left) : toSpki(left), right.isPrivate ? toPkcs8(right) : toSpki(right));
};

const readNumbers = (inner, names) => Object.fromEntries(names.map((name) => [name, inner.integer()]));
export const readPkcs1 = (bytes, isPrivate, type = 'rsa', limits = undefined) =>
  readWhole(bytes, (inner) => {
    if (isPrivate && inner.integer() !== 0n) broken('a version');
    return rsaKey(type, readNumbers(inner, isPrivate ? RSA_NUMBERS : ['n', 'e']), limits);
  });
export const readSec1 = (bytes, outer = undefined) =>
  readWhole(bytes, (inner) => {
    if (inner.integer() !== 1n) broken('a version');
    const secret = inner.octets();
    const named = inner.context(0)?.oid();
    const curve = named === undefined ? outer : CURVES.find((known) => known.oid === named);
    if (curve === undefined || secret.length > curve.orderSize + 1) broken('a curve');
    const point = inner.context(1)?.bits();
    return ecKey(curve, point && (decodePoint(curve, point) ?? broken('a point')), fromBytes(secret));
  });

const digestIn = (field) => {
  if (field === undefined) return 'sha1';
  const inner = field.sequence();
  return digestOfOid(inner.oid()) ?? broken('a digest');
};
const readLimits = (about) => {
  if (about.tag === undefined) return undefined;
  const inner = about.sequence();
  const hash = digestIn(inner.context(0));
  const mask = inner.context(1)?.sequence();
  if (mask !== undefined && mask.oid() !== MASK) broken('a mask');
  const maskHash = digestIn(mask);
  const saltLength = Number(inner.context(2)?.integer() ?? 20);
  return { hash, maskHash, saltLength };
};
const readCurve = (about) => {
  const named = about.oid();
  return CURVES.find((curve) => curve.oid === named) ?? broken('a curve');
};
const readNothing = (about) => {
  if (about.tag !== undefined && about.take(0x05).length > 0) broken('a parameter');
};
const readAlgorithm = (about) => {
  const id = about.oid();
  const read = { [RSA]: readNothing, [PSS]: readLimits, [EC]: readCurve }[id];
  const found = read?.(about);
  about.end();
  if (id === RSA) return { type: 'rsa' };
  if (id === PSS) return { type: 'rsa-pss', limits: found };
  if (id === EC) return { type: 'ec', curve: found };
  return { type: Object.keys(OCTETS).find((name) => OCTETS[name][1] === id) ?? broken('an algorithm') };
};
export const readSpki = (bytes) =>
  readWhole(bytes, (inner) => {
    const { type, limits, curve } = readAlgorithm(inner.sequence());
    const content = inner.bits();
    if (type === 'ec') return ecKey(curve, decodePoint(curve, content));
    return type in OCTETS ? octetKey(type, content) : readPkcs1(content, false, type, limits);
  });
export const readPkcs8 = (bytes) =>
  readWhole(bytes, (inner) => {
    if (inner.integer() > 1n) broken('a version');
    const { type, limits, curve } = readAlgorithm(inner.sequence());
    const content = inner.octets();
    // Attributes, and the public key of the second version, say nothing that is needed.
    inner.context(0);
    inner.context(1, true) ?? inner.context(1);
    if (type === 'ec') return readSec1(content, curve);
    if (!(type in OCTETS)) return readPkcs1(content, true, type, limits);
    const secret = new Reader(content);
    const seed = secret.octets();
    secret.end();
    return octetKey(type, undefined, seed);
  });

const algorithmOf = ({ type, curve, limits }) => {
  if (type === 'rsa') return sequence(oid(RSA), nothing);
  if (type === 'ec') return sequence(oid(EC), oid(curve.oid));
  if (type !== 'rsa-pss') return sequence(oid(OCTETS[type][1]));
  if (limits === undefined) return sequence(oid(PSS));
  const { hash, maskHash, saltLength } = limits;
  const named = (name) => sequence(oid(oidOfDigest(name)), nothing);
  // Fields with default values are left out.
  const fields = [];
  if (hash !== 'sha1') fields.push(context(0, named(hash)));
  if (maskHash !== 'sha1') fields.push(context(1, sequence(oid(MASK), named(maskHash))));
  if (saltLength !== 20) fields.push(context(2, integer(saltLength)));
  return sequence(oid(PSS), sequence(...fields));
};
export const toPkcs1 = (key) =>
  key.isPrivate
    ? sequence(integer(0), ...RSA_NUMBERS.map((name) => integer(key[name])))
    : sequence(integer(key.n), integer(key.e));
export const toSec1 = (key, isAlone = true) =>
  sequence(
    integer(1),
    octets(toBytes(key.d, key.curve.orderSize)),
    isAlone ? context(0, oid(key.curve.oid)) : [],
    context(1, bits(encodePoint(key.curve, key))),
  );
export const toSpki = (key, form = undefined) => {
  const content = key.type === 'ec' ? encodePoint(key.curve, key, form) : (key.known ?? toPkcs1({ ...key, isPrivate: false }));
  return sequence(algorithmOf(key), bits(content));
};
export const toPkcs8 = (key) => {
  const content = key.type === 'ec' ? toSec1(key, false) : key.secret === undefined ? toPkcs1(key) : wrap(0x04, key.secret);
  return sequence(integer(0), algorithmOf(key), octets(content));
};
export const toRaw = (key, form = undefined) => (key.type === 'ec' ? encodePoint(key.curve, key, form) : key.known.slice());

const text64 = (bytes) => internal.library('buffer').Buffer.from(bytes).toString('base64url');
const number64 = (value, size) => text64(toBytes(value, size));
// The members that say which key it is; undefined for a type that JWK has no name for.
export const toJwk = (key) => {
  const { type, isPrivate, curve } = key;
  if (type === 'rsa') {
    const names = isPrivate ? RSA_NUMBERS : ['n', 'e'];
    return { kty: 'RSA', ...Object.fromEntries(names.map((name) => [name, number64(key[name])])) };
  }
  if (type === 'ec') {
    const jwk = { kty: 'EC', x: number64(key.x, curve.size), y: number64(key.y, curve.size), crv: curve.jwk };
    return isPrivate ? { ...jwk, d: number64(key.d, curve.orderSize) } : jwk;
  }
  if (!(type in OCTETS)) return undefined;
  const secret = isPrivate ? { d: text64(key.secret) } : {};
  return { crv: OCTETS[type][0], ...secret, x: text64(key.known), kty: 'OKP' };
};

const bytes64 = (text) => {
  if (typeof text !== 'string' || /[^\w+/=-]/.test(text)) broken('a member');
  return Uint8Array.from(internal.library('buffer').Buffer.from(text, 'base64url'));
};
export const readJwk = (jwk) => {
  const isPrivate = jwk.d !== undefined;
  if (jwk.kty === 'RSA') {
    const names = isPrivate ? RSA_NUMBERS : ['n', 'e'];
    return rsaKey('rsa', Object.fromEntries(names.map((name) => [name, fromBytes(bytes64(jwk[name]))])));
  }
  if (jwk.kty === 'EC') {
    const curve = CURVES.find((known) => known.jwk === jwk.crv) ?? broken('a curve');
    const [x, y] = [bytes64(jwk.x), bytes64(jwk.y)];
    if (x.length !== curve.size || y.length !== curve.size) broken('a length');
    const d = isPrivate ? bytes64(jwk.d) : undefined;
    if (d !== undefined && d.length !== curve.orderSize) broken('a length');
    return ecKey(curve, { x: fromBytes(x), y: fromBytes(y) }, d && fromBytes(d));
  }
  const type = Object.keys(OCTETS).find((name) => jwk.kty === 'OKP' && OCTETS[name][0] === jwk.crv) ?? broken('a type');
  return octetKey(type, bytes64(jwk.x), isPrivate ? bytes64(jwk.d) : undefined);
};

// Returns the value of `asymmetricKeyDetails`.
export const detailsOf = ({ type, n, e, curve, limits }) => {
  if (type === 'ec') return { namedCurve: curve.name };
  if (n === undefined) return {};
  const details = { modulusLength: bitLength(n), publicExponent: e };
  if (limits === undefined) return details;
  const { hash, maskHash, saltLength } = limits;
  return { ...details, hashAlgorithm: hash, mgf1HashAlgorithm: maskHash, saltLength };
};

export { Malformed, curveOf };
