// Checks of web/src/zeros.ts, which no page can see: a memory is cleared as if it had been filled.
'use strict';

const { load } = require('./sources.cjs');

/** Bytes of a page of memory. */
const PAGE = 65536;

/** Parts that are cleared: whole memories, and such that begin and end between two steps. */
const PARTS = [[0, 4 * PAGE], [0, 2 * PAGE], [100, 4 * PAGE], [PAGE + 7, 3 * PAGE + 1], [4 * PAGE - 3, 4 * PAGE], [130, 140], [64, 64]];

/** Places that a guest wrote to: edges of steps, of blocks and of the memory. */
const PLACES = [0, 1, 63, 64, 99, 100, 101, 128, 135, 4095, 4096, PAGE - 1, PAGE, PAGE + 6, PAGE + 7, 2 * PAGE - 1, 2 * PAGE, 3 * PAGE, 3 * PAGE + 1, 4 * PAGE - 4, 4 * PAGE - 1];

/** Returns the first difference between a memory that was cleared and one that was filled. */
function difference(clear, memory, [from, to], places) {
  const bytes = new Uint8Array(memory.buffer);
  bytes.fill(0);
  for (const place of places) bytes[place] = 255;
  const expected = bytes.slice().fill(0, from, to);
  clear(memory, from, to);
  const at = bytes.findIndex((byte, at) => byte !== expected[at]);
  return at < 0 ? undefined : `${from} to ${to}: byte ${at} is ${bytes[at]}`;
}

/** Returns the problems of clearing memories. */
async function checkZeros() {
  const { clear, zerosOf } = await load('zeros.ts');
  const problems = [];
  const shared = new WebAssembly.Memory({ initial: 4, maximum: 4, shared: true });
  for (const memory of [new WebAssembly.Memory({ initial: 4 }), shared]) {
    for (const part of PARTS) {
      for (const places of [[], PLACES, ...PLACES.map((place) => [place])]) problems.push(difference(clear, memory, part, places));
    }
    for (const place of PLACES) {
      const bytes = new Uint8Array(memory.buffer).fill(0);
      bytes[place] = 1;
      const zeros = zerosOf(memory);
      if (zeros > place || place - zeros >= 64) problems.push(`${zeros} zeros before byte ${place}`);
    }
    new Uint8Array(memory.buffer).fill(0);
    if (zerosOf(memory) !== 4 * PAGE) problems.push('an empty memory has others than zeros');
  }
  return problems.filter(Boolean);
}

module.exports = { checkZeros };
