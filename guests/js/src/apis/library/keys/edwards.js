// Ed25519 (RFC 8032) and X25519 (RFC 7748).
import { native } from 'host';
import { areEqual, concat, fromBytes, inverse, modulo, power, randomBytes, toBytes } from 'internal/keys/numbers';

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = modulo(-121665n * inverse(121666n, P), P);
const ROOT = power(2n, (P - 1n) / 4n, P);
const LOW = 2n ** 255n - 1n;

const little = (bytes) => fromBytes(Uint8Array.from(bytes).reverse());
const littleBytes = (value) => toBytes(value, 32).reverse();
const sha512 = (...pieces) => {
  const state = native.newHash('sha512');
  for (const piece of pieces) native.updateHash(state, piece);
  return native.finishHash(state);
};

const ZERO = { x: 0n, y: 1n, z: 1n, t: 0n };
const plus = (left, right) => {
  const a = modulo((left.y - left.x) * (right.y - right.x), P);
  const b = ((left.y + left.x) * (right.y + right.x)) % P;
  const c = (((2n * left.t * right.t) % P) * D) % P;
  const d = (2n * left.z * right.z) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: modulo(e * f, P), y: modulo(g * h, P), z: modulo(f * g, P), t: modulo(e * h, P) };
};
const twice = ({ x, y, z }) => {
  const [a, b] = [(x * x) % P, (y * y) % P];
  const h = a + b;
  const e = h - (x + y) * (x + y);
  const g = a - b;
  const f = 2n * z * z + g;
  return { x: modulo(e * f, P), y: modulo(g * h, P), z: modulo(f * g, P), t: modulo(e * h, P) };
};

const sumOf = (...products) => {
  const size = Math.max(...products.map(([, scalar]) => scalar.toString(16).length));
  const rows = products.map(([point, scalar]) => {
    const table = [ZERO, point];
    while (table.length < 16) table.push(plus(table.at(-1), point));
    return [table, scalar.toString(16).padStart(size, '0')];
  });
  let sum = ZERO;
  for (let at = 0; at < size; at++) {
    for (let time = 0; time < 4; time++) sum = twice(sum);
    for (const [table, digits] of rows) sum = plus(sum, table[Number.parseInt(digits[at], 16)]);
  }
  return sum;
};

const encode = ({ x, y, z }) => {
  const over = inverse(z, P);
  const bytes = littleBytes((y * over) % P);
  bytes[31] |= Number(((x * over) % P) & 1n) << 7;
  return bytes;
};

// Returns undefined for bytes that are no point.
const decode = (bytes) => {
  const y = little(bytes) & LOW;
  const sign = BigInt(bytes[31] >> 7);
  const [above, below] = [modulo(y * y - 1n, P), (D * y * y + 1n) % P];
  const third = (below * below * below) % P;
  let x = (((above * third) % P) * power(above * third * below * below * below * below, (P - 5n) / 8n, P)) % P;
  const square = (below * x * x) % P;
  if (square !== above) {
    if (square !== modulo(-above, P)) return undefined;
    x = (x * ROOT) % P;
  }
  if (x === 0n && sign === 1n) return undefined;
  if ((x & 1n) !== sign) x = P - x;
  return { x, y: y % P, z: 1n, t: (x * y) % P };
};

const BASE = decode(littleBytes((4n * inverse(5n, P)) % P));
// A random multiple of the order hides the digits of a secret scalar.
const blinded = (scalar) => scalar + ORDER * (fromBytes(randomBytes(8)) | (1n << 63n));

const expand = (seed) => {
  const whole = sha512(seed);
  whole[0] &= 248;
  whole[31] = (whole[31] & 127) | 64;
  return { scalar: little(whole.subarray(0, 32)), prefix: whole.slice(32) };
};

export const publicOfEdwards = (seed) => encode(sumOf([BASE, blinded(expand(seed).scalar)]));

export const signEdwards = (seed, message) => {
  const { scalar, prefix } = expand(seed);
  const known = encode(sumOf([BASE, blinded(scalar)]));
  const r = little(sha512(prefix, message)) % ORDER;
  const point = encode(sumOf([BASE, blinded(r)]));
  const k = little(sha512(point, known, message)) % ORDER;
  return concat(point, littleBytes((r + k * scalar) % ORDER));
};

export const verifyEdwards = (known, message, signature) => {
  if (signature.length !== 64) return false;
  const s = little(signature.subarray(32));
  const point = decode(known);
  if (s >= ORDER || point === undefined) return false;
  const first = signature.slice(0, 32);
  const k = little(sha512(first, known, message)) % ORDER;
  const minus = { x: modulo(-point.x, P), y: point.y, z: 1n, t: modulo(-point.t, P) };
  return areEqual(encode(sumOf([BASE, s], [minus, k])), first);
};

// The ladder of RFC 7748; its steps do not depend on the scalar.
export const agreeMontgomery = (secret, known) => {
  const clamped = Uint8Array.from(secret);
  clamped[0] &= 248;
  clamped[31] = (clamped[31] & 127) | 64;
  const k = little(clamped);
  const u = (little(known) & LOW) % P;
  let [x2, z2, x3, z3] = [1n, 0n, u, 1n];
  let swapped = false;
  for (let bit = 254n; bit >= 0n; bit--) {
    const isSet = ((k >> bit) & 1n) === 1n;
    if (isSet !== swapped) [x2, x3, z2, z3] = [x3, x2, z3, z2];
    swapped = isSet;
    const [a, b, c, d] = [x2 + z2, x2 - z2, x3 + z3, x3 - z3];
    const [da, cb, aa, bb] = [(d * a) % P, (c * b) % P, (a * a) % P, (b * b) % P];
    const e = aa - bb;
    x3 = ((da + cb) * (da + cb)) % P;
    z3 = (((da - cb) * (da - cb)) % P * u) % P;
    x2 = (aa * bb) % P;
    z2 = modulo(e * (aa + 121665n * e), P);
  }
  if (swapped) [x2, z2] = [x3, z3];
  const over = inverse(z2, P) ?? 0n;
  return littleBytes(modulo(x2 * over, P));
};

export const publicOfMontgomery = (secret) => agreeMontgomery(secret, Uint8Array.of(9, ...new Uint8Array(31)));
