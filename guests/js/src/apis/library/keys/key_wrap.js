// The key wrap of AES (RFC 3394).
import { native } from 'host';

// Returns undefined if what was unwrapped is not what was wrapped.
const MARK = new Uint8Array(8).fill(0xa6);
export default (secret, data, isWrapping, mark = MARK) => {
  if (data.length % 8 !== 0 || data.length < (isWrapping ? 16 : 24)) return undefined;
  const convert = (head, tail) => {
    const cipher = native.newCipher('ecb', secret, new Uint8Array(0), isWrapping);
    const block = new Uint8Array(16);
    block.set(head);
    block.set(tail, 8);
    const [first, last] = [native.updateCipher(cipher, block), native.finishCipher(cipher, false)];
    return Uint8Array.from([...first, ...last]);
  };
  const pieces = [];
  for (let at = 0; at < data.length; at += 8) pieces.push(data.slice(at, at + 8));
  let head = isWrapping ? mark.slice() : pieces.shift();
  const rounds = 6 * pieces.length;
  const mix = (number) => {
    for (let at = 7; number > 0; at--, number = Math.floor(number / 256)) head[at] ^= number % 256;
  };
  for (let step = 0; step < rounds; step++) {
    const number = isWrapping ? step + 1 : rounds - step;
    const at = (number - 1) % pieces.length;
    if (!isWrapping) mix(number);
    const block = convert(head, pieces[at]);
    [head, pieces[at]] = [block.slice(0, 8), block.slice(8)];
    if (isWrapping) mix(number);
  }
  if (!isWrapping && head.some((byte, at) => byte !== mark[at])) return undefined;
  const all = isWrapping ? [head, ...pieces] : pieces;
  const whole = new Uint8Array(all.length * 8);
  all.forEach((piece, at) => whole.set(piece, at * 8));
  return whole;
};
