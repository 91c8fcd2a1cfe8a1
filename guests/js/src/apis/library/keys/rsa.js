// RSA: the operation on numbers, its paddings (PKCS #1 v1.5, PSS, OAEP), and new keys.
import { digest, digestSize, mask, oidOfDigest } from 'internal/keys/digests';
import { nothing, octets, oid, sequence } from 'internal/keys/der';
import { areEqual, bitLength, concat, fromBytes, inverse, modulo, power, randomBelow, randomBytes, randomPrime, toBytes } from 'internal/keys/numbers';

// Longest modulus in bits, as in OpenSSL: time grows with its cube.
export const MAX_MODULUS = 16384;

export const sizeOf = ({ n }) => Math.ceil(bitLength(n) / 8);

// The public operation. Returns undefined for bytes that are not a number below the modulus.
export const applyPublic = (key, bytes) => {
  const value = fromBytes(bytes);
  return value < key.n && bytes.length <= sizeOf(key) ? toBytes(power(value, key.e, key.n), sizeOf(key)) : undefined;
};

// The private operation, by the primes. The time of BigInt depends on its values, so a random factor
// goes in and out again; a result that does not lead back would give a prime away.
export const applyPrivate = (key, bytes) => {
  const { n, e, p, q, dp, dq, qi } = key;
  const value = fromBytes(bytes);
  if (value >= n || bytes.length > sizeOf(key)) return undefined;
  let [factor, back] = [0n, undefined];
  while (back === undefined) {
    factor = randomBelow(n);
    back = inverse(factor, n);
  }
  const hidden = (value * power(factor, e, n)) % n;
  const [left, right] = [power(hidden, dp, p), power(hidden, dq, q)];
  const whole = right + modulo((left - right) * qi, p) * q;
  if (power(whole, e, n) !== hidden) return undefined;
  return toBytes((whole * back) % n, sizeOf(key));
};

// The padding of a signature by PKCS #1 v1.5; undefined for a modulus that is too short.
const padSignature = (size, hash, hashed) => {
  const info = hash === undefined ? hashed : sequence(sequence(oid(oidOfDigest(hash)), nothing), octets(hashed));
  if (size < info.length + 11) return undefined;
  return concat([0, 1], new Uint8Array(size - info.length - 3).fill(255), [0], info);
};
export const signPlain = (key, hash, hashed) => {
  const padded = padSignature(sizeOf(key), hash, hashed);
  return padded === undefined ? undefined : applyPrivate(key, padded);
};
export const verifyPlain = (key, hash, hashed, signature) => {
  const padded = padSignature(sizeOf(key), hash, hashed);
  if (padded === undefined || signature.length !== sizeOf(key)) return false;
  const opened = applyPublic(key, signature);
  return opened !== undefined && areEqual(opened, padded);
};

const xor = (left, right) => left.map((byte, at) => byte ^ right[at]);

// Returns undefined if hash and salt are too long for the key.
export const signPss = (key, hash, maskHash, hashed, saltLength) => {
  const bits = bitLength(key.n) - 1;
  const size = Math.ceil(bits / 8);
  const length = saltLength === 'max' ? size - hashed.length - 2 : saltLength;
  if (length < 0 || size < hashed.length + length + 2) return undefined;
  const salt = randomBytes(length);
  const h = digest(hash, new Uint8Array(8), hashed, salt);
  const block = concat(new Uint8Array(size - length - h.length - 2), [1], salt);
  const masked = xor(block, mask(maskHash, h, block.length));
  masked[0] &= 255 >> (size * 8 - bits);
  return applyPrivate(key, concat(new Uint8Array(sizeOf(key) - size), masked, h, [0xbc]));
};

// With a salt length of `auto`, the signature says itself how long its salt is.
export const verifyPss = (key, hash, maskHash, hashed, saltLength, signature) => {
  const bits = bitLength(key.n) - 1;
  const size = Math.ceil(bits / 8);
  if (signature.length !== sizeOf(key)) return false;
  const opened = applyPublic(key, signature);
  if (opened === undefined || (opened.length > size && opened[0] !== 0)) return false;
  const whole = opened.subarray(opened.length - size);
  if (size < hashed.length + 2 || whole[size - 1] !== 0xbc) return false;
  const masked = whole.subarray(0, size - hashed.length - 1);
  const h = whole.subarray(size - hashed.length - 1, size - 1);
  const spare = 255 >> (size * 8 - bits);
  if ((masked[0] & ~spare) !== 0) return false;
  const block = xor(masked, mask(maskHash, h, masked.length));
  block[0] &= spare;
  const start = block.findIndex((byte) => byte !== 0);
  if (start < 0 || block[start] !== 1) return false;
  const salt = block.subarray(start + 1);
  const wanted = saltLength === 'max' ? size - hashed.length - 2 : saltLength;
  if (wanted !== 'auto' && salt.length !== wanted) return false;
  return areEqual(digest(hash, new Uint8Array(8), hashed, salt), h);
};

// Returns undefined if the data is too long for the key.
export const encryptOaep = (key, hash, maskHash, label, data) => {
  const [size, length] = [sizeOf(key), digestSize(hash)];
  if (data.length > size - 2 * length - 2) return undefined;
  const block = concat(digest(hash, label), new Uint8Array(size - data.length - 2 * length - 2), [1], data);
  const seed = randomBytes(length);
  const maskedBlock = xor(block, mask(maskHash, seed, block.length));
  return applyPublic(key, concat([0], xor(seed, mask(maskHash, maskedBlock, length)), maskedBlock));
};

// Returns undefined for any fault, and looks at all bytes before it does.
export const decryptOaep = (key, hash, maskHash, label, data) => {
  const [size, length] = [sizeOf(key), digestSize(hash)];
  if (data.length !== size || size < 2 * length + 2) return undefined;
  const whole = applyPrivate(key, data);
  if (whole === undefined) return undefined;
  const maskedBlock = whole.subarray(1 + length);
  const seed = xor(whole.subarray(1, 1 + length), mask(maskHash, maskedBlock, length));
  const block = xor(maskedBlock, mask(maskHash, seed, maskedBlock.length));
  let start = 0;
  let isWrong = whole[0];
  for (let at = length; at < block.length; at++) {
    if (start !== 0) continue;
    if (block[at] === 1) start = at + 1;
    else isWrong |= block[at];
  }
  const isRight = areEqual(digest(hash, label), block.subarray(0, length));
  return isRight && isWrong === 0 && start !== 0 ? block.slice(start) : undefined;
};

export const encryptPlain = (key, data) => {
  const count = sizeOf(key) - data.length - 3;
  if (count < 8) return undefined;
  const filler = randomBytes(count);
  for (let at = 0; at < count; at++) while (filler[at] === 0) filler.set(randomBytes(1), at);
  return applyPublic(key, concat([0, 2], filler, [0], data));
};
// Opens what was padded with the block type: 1 for signatures, 2 for messages.
export const openPlain = (whole, kind) => {
  const end = whole.indexOf(0, 2);
  if (whole[0] !== 0 || whole[1] !== kind || end < 10) return undefined;
  if (kind === 1 && whole.subarray(2, end).some((byte) => byte !== 255)) return undefined;
  return whole.slice(end + 1);
};

const complete = (n, e, d, p, q) => ({ n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) });

// Returns undefined for an exponent that no key can have.
export const newKey = (bits, e) => {
  if (e < 3n || e % 2n === 0n) return undefined;
  const half = Math.ceil(bits / 2);
  const isFit = (prime) => inverse(e, prime - 1n) !== undefined;
  for (;;) {
    let [p, q] = [randomPrime(half, 2, isFit), randomPrime(bits - half, 2, isFit)];
    if (p < q) [p, q] = [q, p];
    // Primes that are close together are found from their product.
    if (bitLength(p - q) < half - Math.min(100, half / 4) || bitLength(p * q) !== bits) continue;
    const [low, high] = [p - 1n, q - 1n];
    let [gcd, rest] = [low, high];
    while (rest !== 0n) [gcd, rest] = [rest, gcd % rest];
    const d = inverse(e, (low * high) / gcd);
    if (d === undefined) continue;
    return complete(p * q, e, d, p, q);
  }
};

// Returns undefined for numbers that are no key: every relation between them is checked.
export const checkKey = (key) => {
  const { n, e, d, p, q, dp, dq, qi } = key;
  if (bitLength(n) > MAX_MODULUS || n % 2n === 0n || e < 3n || e % 2n === 0n || e >= n) return undefined;
  if (d === undefined) return key;
  const fits = p > 1n && q > 1n && p * q === n && (d * e) % (p - 1n) === 1n && (d * e) % (q - 1n) === 1n;
  return fits && dp === d % (p - 1n) && dq === d % (q - 1n) && (qi * q) % p === 1n ? key : undefined;
};
