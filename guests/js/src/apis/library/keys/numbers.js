// Arithmetic of public keys on BigInt: bytes, inverses, powers, primes.
import { native } from 'host';

const HEX = Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

export const fromBytes = (bytes) => {
  let text = '0x0';
  for (let at = 0; at < bytes.length; at++) text += HEX[bytes[at]];
  return BigInt(text);
};

// Big endian, with zeros in front up to `length`.
export const toBytes = (value, length = undefined) => {
  let text = value.toString(16);
  const size = length ?? Math.ceil(text.length / 2);
  text = text.padStart(size * 2, '0');
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
};

export const bitLength = (value) => {
  if (value === 0n) return 0;
  const text = value.toString(16);
  return text.length * 4 - Math.clz32(Number.parseInt(text[0], 16)) + 28;
};

export const concat = (...pieces) => {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

// Looks at every byte, so that the time says nothing about the place of a difference.
export const areEqual = (left, right) => {
  if (left.length !== right.length) return false;
  let differs = 0;
  for (let at = 0; at < left.length; at++) differs |= left[at] ^ right[at];
  return differs === 0;
};

export const modulo = (value, modulus) => {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
};

// Returns undefined if there is no inverse.
export const inverse = (value, modulus) => {
  let [low, high] = [modulo(value, modulus), modulus];
  let [left, right] = [1n, 0n];
  while (low > 1n) {
    const times = high / low;
    [low, high] = [high - times * low, low];
    [left, right] = [right - times * left, left];
  }
  return low === 1n ? modulo(left, modulus) : undefined;
};

// Four bits of the exponent at a time.
export const power = (base, exponent, modulus) => {
  const digits = exponent.toString(16);
  const first = modulo(base, modulus);
  const table = [1n % modulus, first];
  const count = digits.length > 8 ? 16 : 2;
  while (table.length < count) table.push((table.at(-1) * first) % modulus);
  let result = table[0];
  for (const digit of digits) {
    const value = Number.parseInt(digit, 16);
    if (count === 2) {
      for (let bit = 8; bit > 0; bit >>= 1) {
        result = (result * result) % modulus;
        if ((value & bit) !== 0) result = (result * first) % modulus;
      }
      continue;
    }
    if (result !== 1n) {
      result = (result * result) % modulus;
      result = (result * result) % modulus;
      result = (result * result) % modulus;
      result = (result * result) % modulus;
    }
    if (value !== 0) result = (result * table[value]) % modulus;
  }
  return result;
};

export const randomBytes = (size) => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) native.fillRandom(bytes.subarray(at, at + 65536));
  return bytes;
};

// From 1 to `limit` - 1. Eight more bytes than the limit has make the remainder as good as even.
export const randomBelow = (limit) =>
  (fromBytes(randomBytes(Math.ceil(bitLength(limit) / 8) + 8)) % (limit - 1n)) + 1n;

const SMALL = [];
for (let odd = 3; odd < 2000; odd += 2) if (SMALL.every((prime) => odd % prime !== 0)) SMALL.push(odd);

// Rounds of Miller and Rabin with random bases; a composite passes one with less than a quarter.
const ROUNDS = 20;
const isWitness = (base, value, odd, twos) => {
  let now = power(base, odd, value);
  if (now === 1n || now === value - 1n) return false;
  for (let step = 1; step < twos; step++) {
    now = (now * now) % value;
    if (now === value - 1n) return false;
  }
  return true;
};
export const isProbablePrime = (value, rounds = ROUNDS) => {
  if (value < 2n) return false;
  if (value < 4n) return true;
  if (value % 2n === 0n) return false;
  for (const prime of SMALL) if (value % BigInt(prime) === 0n) return value === BigInt(prime);
  let [odd, twos] = [value - 1n, 0];
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  if (isWitness(2n, value, odd, twos)) return false;
  for (let round = 0; round < rounds; round++) {
    if (isWitness(2n + randomBelow(value - 3n), value, odd, twos)) return false;
  }
  return true;
};

// Random primes are far rarer false than chosen ones: five rounds leave less than one in 2^100.
const ROUNDS_OF_RANDOM = 5;
const STEPS = 4096;

// A prime of exactly this many bits, of which the highest `ones` are set. `isFit` may refuse one.
export const randomPrime = (bits, ones = 2, isFit = () => true) => {
  const top = ((1n << BigInt(ones)) - 1n) << BigInt(bits - ones);
  for (;;) {
    const drawn = fromBytes(randomBytes(Math.ceil(bits / 8))) & ((1n << BigInt(bits)) - 1n);
    const start = drawn | top | 1n;
    const rests = bits > 24 ? SMALL.map((prime) => Number(start % BigInt(prime))) : [];
    for (let step = 0; step < STEPS; step += 2) {
      if (rests.some((rest, at) => (rest + step) % SMALL[at] === 0)) continue;
      const candidate = start + BigInt(step);
      if (candidate >> BigInt(bits) !== 0n) break;
      if (isFit(candidate) && isProbablePrime(candidate, bits > 256 ? ROUNDS_OF_RANDOM : ROUNDS)) return candidate;
      if (bits <= 24) break;
    }
  }
};
