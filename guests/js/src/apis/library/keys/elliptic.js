// Curves y² = x³ + ax + b over primes: P-256, P-384, P-521 and secp256k1, in Jacobian coordinates.
//
// BigInt takes time by the size of its values, so secrets are blinded: a scalar is lengthened by a
// random multiple of the order. That hides leading zeros and the digits of the scalar itself.
import { native } from 'host';
import { bitLength, fromBytes, inverse, modulo, power, randomBelow, randomBytes, toBytes } from 'internal/keys/numbers';

const curve = (name, jwk, oid, numbers) => {
  const [p, a, b, n, x, y] = numbers.map((digits) => BigInt(`0x${digits}`));
  const bits = bitLength(p);
  return { name, jwk, oid, p, a, b, n, x, y, bits, size: Math.ceil(bits / 8), orderSize: Math.ceil(bitLength(n) / 8) };
};

export const CURVES = [
  curve('prime256v1', 'P-256', '1.2.840.10045.3.1.7', [
    'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff',
    'ffffffff00000001000000000000000000000000fffffffffffffffffffffffc',
    '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b',
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
    '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  ]),
  curve('secp384r1', 'P-384', '1.3.132.0.34', [
    `${'f'.repeat(63)}effffffff0000000000000000ffffffff`,
    `${'f'.repeat(63)}effffffff0000000000000000fffffffc`,
    'b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef',
    `${'f'.repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`,
    'aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7',
    '3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f',
  ]),
  curve('secp521r1', 'P-521', '1.3.132.0.35', [
    `1${'f'.repeat(130)}`,
    `1${'f'.repeat(129)}c`,
    '51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00',
    `1${'f'.repeat(64)}fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`,
    'c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66',
    '11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650',
  ]),
  curve('secp256k1', 'secp256k1', '1.3.132.0.10', [
    `${'f'.repeat(55)}efffffc2f`,
    '0',
    '7',
    `${'f'.repeat(31)}ebaaedce6af48a03bbfd25e8cd0364141`,
    '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
  ]),
];

// By the name of OpenSSL, or of the NIST as in a JWK.
export const curveOf = (name) => CURVES.find((known) => known.name === name || known.jwk === name);

const NOWHERE = { x: 1n, y: 1n, z: 0n };

const twice = ({ p, a }, { x, y, z }) => {
  if (z === 0n || y === 0n) return NOWHERE;
  const squared = (y * y) % p;
  const s = (4n * x * squared) % p;
  const zz = (z * z) % p;
  const m = a === 0n ? (3n * x * x) % p : (3n * (x - zz) * (x + zz)) % p;
  const next = modulo(m * m - 2n * s, p);
  return { x: next, y: modulo(m * (s - next) - 8n * squared * squared, p), z: (2n * y * z) % p };
};

const plus = (curve, left, right) => {
  if (left.z === 0n) return right;
  if (right.z === 0n) return left;
  const { p } = curve;
  const [leftSquare, rightSquare] = [(left.z * left.z) % p, (right.z * right.z) % p];
  const u = (left.x * rightSquare) % p;
  const s = (((left.y * right.z) % p) * rightSquare) % p;
  const h = modulo(((right.x * leftSquare) % p) - u, p);
  const r = modulo(((((right.y * left.z) % p) * leftSquare) % p) - s, p);
  if (h === 0n) return r === 0n ? twice(curve, left) : NOWHERE;
  const hh = (h * h) % p;
  const [hhh, v] = [(h * hh) % p, (u * hh) % p];
  const x = modulo(r * r - hhh - 2n * v, p);
  return { x, y: modulo(r * (v - x) - s * hhh, p), z: (((left.z * right.z) % p) * h) % p };
};

const multiples = (curve, { x, y }) => {
  const table = [NOWHERE, { x, y, z: 1n }];
  while (table.length < 16) table.push(plus(curve, table.at(-1), table[1]));
  return table;
};

// The sum of products of points and scalars; undefined if it is the point at infinity.
const sumOf = (curve, ...products) => {
  const size = Math.max(...products.map(([, scalar]) => scalar.toString(16).length));
  const rows = products.map(([point, scalar]) => [multiples(curve, point), scalar.toString(16).padStart(size, '0')]);
  let sum = NOWHERE;
  for (let at = 0; at < size; at++) {
    if (sum.z !== 0n) for (let time = 0; time < 4; time++) sum = twice(curve, sum);
    for (const [table, digits] of rows) sum = plus(curve, sum, table[Number.parseInt(digits[at], 16)]);
  }
  if (sum.z === 0n) return undefined;
  const over = inverse(sum.z, curve.p);
  const square = (over * over) % curve.p;
  return { x: (sum.x * square) % curve.p, y: (((sum.y * square) % curve.p) * over) % curve.p };
};

const blinded = (curve, scalar) => scalar + curve.n * (fromBytes(randomBytes(8)) | (1n << 63n));
export const times = (curve, point, secret) => sumOf(curve, [point, blinded(curve, secret)]);
export const publicOf = (curve, secret) => times(curve, curve, secret);

export const isOnCurve = ({ p, a, b }, { x, y }) =>
  x >= 0n && x < p && y >= 0n && y < p && modulo(y * y - (x * x * x + a * x + b), p) === 0n;

// Returns undefined for bytes that are not the encoding of a point.
export const decodePoint = (curve, bytes) => {
  const { p, a, b, size } = curve;
  const [kind] = bytes;
  const x = fromBytes(bytes.subarray(1, 1 + size));
  if (kind === 4 || kind === 6 || kind === 7) {
    const y = fromBytes(bytes.subarray(1 + size));
    if (bytes.length !== 1 + 2 * size || (kind !== 4 && Number(y & 1n) !== (kind & 1))) return undefined;
    return isOnCurve(curve, { x, y }) ? { x, y } : undefined;
  }
  if ((kind !== 2 && kind !== 3) || bytes.length !== 1 + size) return undefined;
  // All these primes are 3 modulo 4.
  const root = power(x * x * x + a * x + b, (p + 1n) / 4n, p);
  const y = Number(root & 1n) === (kind & 1) ? root : p - root;
  return isOnCurve(curve, { x, y }) ? { x, y } : undefined;
};

export const encodePoint = ({ size }, { x, y }, form = 'uncompressed') => {
  const odd = Number(y & 1n);
  const isShort = form === 'compressed';
  const bytes = new Uint8Array(isShort ? 1 + size : 1 + 2 * size);
  bytes[0] = isShort ? 2 + odd : form === 'hybrid' ? 6 + odd : 4;
  bytes.set(toBytes(x, size), 1);
  if (!isShort) bytes.set(toBytes(y, size), 1 + size);
  return bytes;
};

const numberOf = ({ n }, digest) => {
  const extra = digest.length * 8 - bitLength(n);
  return extra > 0 ? fromBytes(digest) >> BigInt(extra) : fromBytes(digest);
};

// The nonce comes from the host and from secret and message, so that neither a weak source nor a
// repeated message gives the key away.
const nonce = (curve, secret, digest) => {
  const size = curve.orderSize;
  const blocks = [];
  const fresh = randomBytes(size);
  for (let at = 0; at < 2; at++) {
    const state = native.newHash('sha512', Uint8Array.of(at, ...toBytes(secret, size)));
    native.updateHash(state, fresh);
    native.updateHash(state, digest);
    blocks.push(...native.finishHash(state));
  }
  return (fromBytes(blocks.slice(0, size + 16)) % (curve.n - 1n)) + 1n;
};

export const sign = (curve, secret, digest) => {
  const { n } = curve;
  const message = numberOf(curve, digest);
  for (;;) {
    const k = nonce(curve, secret, digest);
    const r = publicOf(curve, k).x % n;
    // Neither k nor the secret meets a value that others know without a random factor.
    const mask = randomBelow(n);
    const s = (inverse((k * mask) % n, n) * ((message * mask + ((r * mask) % n) * secret) % n)) % n;
    if (r !== 0n && s !== 0n) return { r, s };
  }
};

export const verify = (curve, point, digest, { r, s }) => {
  const { n } = curve;
  if (r <= 0n || r >= n || s <= 0n || s >= n) return false;
  const over = inverse(s, n);
  const sum = sumOf(curve, [curve, (numberOf(curve, digest) * over) % n], [point, (r * over) % n]);
  return sum !== undefined && sum.x % n === r;
};

export const newSecret = (curve) => randomBelow(curve.n);
