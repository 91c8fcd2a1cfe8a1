// Typed arrays: a sieve, a matrix product, and a checksum over bytes.
const limit = 300000;
const sieve = new Uint8Array(limit + 1);
let primes = 0;
for (let i = 2; i <= limit; i++) {
  if (sieve[i]) continue;
  primes++;
  for (let j = i * i; j <= limit; j += i) sieve[j] = 1;
}
const n = 56;
const a = new Float64Array(n * n);
const b = new Float64Array(n * n);
const c = new Float64Array(n * n);
for (let i = 0; i < n * n; i++) {
  a[i] = (i % 13) - 6;
  b[i] = (i % 7) * 0.5;
}
for (let i = 0; i < n; i++) {
  for (let j = 0; j < n; j++) {
    let s = 0;
    for (let k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
    c[i * n + j] = s;
  }
}
let trace = 0;
for (let i = 0; i < n; i++) trace += c[i * n + i];
const table = new Int32Array(256);
for (let i = 0; i < 256; i++) {
  let r = i;
  for (let k = 0; k < 8; k++) r = r & 1 ? (r >>> 1) ^ 0xedb88320 : r >>> 1;
  table[i] = r;
}
let crc = -1;
for (let i = 0; i < limit; i++) crc = (crc >>> 8) ^ table[(crc ^ sieve[i]) & 255];
return primes + trace + (~crc >>> 0);
