// Zeros of a memory, found and restored without touching the pages that were never written.
//
// Most of a guest's memory is its stack, of which a short run uses a few pages. Filling all of it with
// zeros would make the browser allocate all of it, 8 MiB for each instance. Reading costs less, and a
// page that was only read is not allocated.
//
// T-CELL-020: state of one run seen by the next.

/** Bytes that are looked at together. */
const STEP = 64

/** Bytes that are set to zero together; those of a stack are close to each other. */
const BLOCK = 4096

/**
 * A module with one function, which returns the first step from `at` to `end` that is not zero:
 *
 *     (func (export "f") (param $at i32) (param $end i32) (result i32)
 *       (block (loop
 *         (br_if 1 (i32.ge_u (local.get $at) (local.get $end)))
 *         (br_if 1 (v128.any_true (v128.or … four loads of 16 bytes …)))
 *         (local.set $at (i32.add (local.get $at) (i32.const 64)))
 *         (br 0)))
 *       (local.get $at))
 */
const FINDER = new WebAssembly.Module(
  // prettier-ignore
  new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0,
    1, 7, 1, 96, 2, 127, 127, 1, 127,
    2, 8, 1, 1, 109, 1, 109, 2, 0, 0,
    3, 2, 1, 0,
    7, 5, 1, 1, 102, 0, 0,
    10, 63, 1, 61, 0,
    2, 64, 3, 64,
    32, 0, 32, 1, 79, 13, 1,
    32, 0, 253, 0, 4, 0,
    32, 0, 253, 0, 4, 16, 253, 80,
    32, 0, 253, 0, 4, 32, 253, 80,
    32, 0, 253, 0, 4, 48, 253, 80,
    253, 83, 13, 1,
    32, 0, 65, 192, 0, 106, 33, 0,
    12, 0, 11, 11,
    32, 0, 11,
  ]),
)

type Find = (at: number, end: number) => number

const finders = new WeakMap<WebAssembly.Memory, Find>()

function finder(memory: WebAssembly.Memory): Find {
  let find = finders.get(memory)
  if (!find) {
    find = new WebAssembly.Instance(FINDER, { m: { m: memory } }).exports['f'] as Find
    finders.set(memory, find)
  }
  return find
}

/** True if the module can have the memory: it does not read a shared one. */
const isOwn = (memory: WebAssembly.Memory): boolean => memory.buffer instanceof ArrayBuffer

/** Returns a number of zeros that a memory begins with. Fewer than a step of others may follow. */
export function zerosOf(memory: WebAssembly.Memory): number {
  if (isOwn(memory)) return finder(memory)(0, memory.buffer.byteLength) >>> 0
  const words = new Uint32Array(memory.buffer)
  let first = 0
  while (first < words.length && words[first] === 0) first++
  return first * 4
}

/** Sets a part of a memory to zero. */
export function clear(memory: WebAssembly.Memory, from: number, to: number): void {
  const bytes = new Uint8Array(memory.buffer)
  if (!isOwn(memory)) return void bytes.fill(0, from, to)
  const find = finder(memory)
  // A step must not reach beyond the memory, whose length is a multiple of steps.
  const even = Math.min(to, Math.ceil(from / STEP) * STEP)
  bytes.fill(0, from, even)
  for (let at = find(even, to) >>> 0; at < to; at = find(at, to) >>> 0) {
    const end = Math.min(to, at + BLOCK)
    bytes.fill(0, at, end)
    at = end
  }
}
