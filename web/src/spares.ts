// Instances that wait for their cell: made while nothing runs, so that a run does not wait for them.
//
// An instance whose guest has left by itself is used again, because the pages of a new memory cost
// more than the rest of a short run. Its memory and its mutable globals are set to those of a fresh
// instance; its table is never written, and there is nothing else. A memory does not shrink, so the
// guest is told a size that begins anew (`grow` and `memory.size` are calls of ours). An instance that
// was stopped or trapped, or has grown much, is dropped.
//
// T-CELL-020: state of one run seen by the next.

import { clear, zerosOf } from './zeros.js'

/** Most instances of one guest that wait. */
const MOST = 5

/** Bytes by which an instance may have grown and still be used again. */
const MOST_GROWN = 8 * 1024 * 1024

/** Name of an exported mutable global, before its number. */
const GLOBAL = 'cofferdam_global_'

/** An instance, and the place where its imports find the cell it belongs to. */
export interface Spare<Cell> {
  instance: WebAssembly.Instance
  memory: WebAssembly.Memory
  slot: { cell: Cell | undefined }
  /** Pages that a fresh instance has. */
  pages: number
}

/** The state of a fresh instance: the part of its memory that is not zero, and its globals. */
export interface Fresh {
  at: number
  bytes: Uint8Array
  globals: [string, unknown][]
  pages: number
}

/** Returns the state of a fresh instance. */
export function look(instance: WebAssembly.Instance, memory: WebAssembly.Memory): Fresh {
  const words = new Uint32Array(memory.buffer)
  const first = zerosOf(memory)
  let last = words.length
  while (last * 4 > first && words[last - 1] === 0) last--
  const globals = Object.entries(instance.exports).filter(([key]) => key.startsWith(GLOBAL))
  return {
    at: first,
    bytes: new Uint8Array(memory.buffer).slice(first, last * 4),
    globals: globals.map(([key, global]) => [key, (global as WebAssembly.Global).value]),
    pages: memory.buffer.byteLength / 65536,
  }
}

/** Sets an instance to the state of a fresh one; returns false if that is not possible. */
export function clean(fresh: Fresh, instance: WebAssembly.Instance, memory: WebAssembly.Memory): boolean {
  // A guest without exported globals is not known well enough.
  if (fresh.globals.length === 0 || memory.buffer.byteLength > fresh.pages * 65536 + MOST_GROWN) return false
  clear(memory, 0, fresh.at)
  new Uint8Array(memory.buffer).set(fresh.bytes, fresh.at)
  clear(memory, fresh.at + fresh.bytes.length, memory.buffer.byteLength)
  for (const [key, value] of fresh.globals) (instance.exports[key] as WebAssembly.Global).value = value
  return true
}

export class Spares<Cell> {
  readonly #ready = new Map<string, Spare<Cell>[]>()
  /** Used instances, whose memory is not clean yet. */
  readonly #used = new Map<string, Spare<Cell>[]>()
  readonly #fresh = new Map<string, Fresh>()
  /** Guests of which an instance was used. */
  readonly #taken = new Set<string>()
  /** Instances of each guest that were in use at once. */
  readonly #wanted = new Map<string, number>()
  readonly #make: (name: string) => Spare<Cell> | undefined
  readonly #isIdle: () => boolean
  #timer: ReturnType<typeof setTimeout> | undefined
  /** True if instances were to be prepared while something ran. */
  #isDue = false

  constructor(make: (name: string) => Spare<Cell> | undefined, isIdle: () => boolean) {
    this.#make = make
    this.#isIdle = isIdle
  }

  /** Returns an instance that is ready, if there is one. */
  take(name: string, live: number): Spare<Cell> | undefined {
    this.#taken.add(name)
    this.#wanted.set(name, Math.min(MOST, Math.max(this.#wanted.get(name) ?? 1, live)))
    const ready = this.#ready.get(name)?.pop()
    if (ready) return ready
    const used = this.#used.get(name)?.pop()
    return used && this.#cleaned(name, used)
  }

  /** Takes an instance whose guest has left by itself. */
  give(name: string, spare: Spare<Cell>): void {
    spare.slot.cell = undefined
    if (spare.memory.buffer.byteLength > spare.pages * 65536 + MOST_GROWN) return
    const used = this.#used.get(name) ?? []
    if (used.length < MOST) used.push(spare)
    this.#used.set(name, used)
  }

  /** Prepares instances when nothing runs, one at a time. */
  refill(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#isDue = !this.#isIdle()
      if (!this.#isDue && this.#step()) this.refill()
    })
  }

  /** Goes on with what a run interrupted. */
  resume(): void {
    if (this.#isDue) this.refill()
    this.#isDue = false
  }

  /** Asks for an instance before the first is used. */
  want(name: string): void {
    if (!this.#wanted.has(name)) this.#wanted.set(name, 1)
    this.refill()
  }

  /** Prepares one instance; returns false if none is wanted. */
  #step(): boolean {
    for (const [name, count] of this.#wanted) {
      const ready = this.#ready.get(name) ?? []
      this.#ready.set(name, ready)
      if (ready.length >= count) continue
      const used = this.#used.get(name)?.pop()
      const cleaned = used && this.#cleaned(name, used)
      const spare = cleaned ?? this.#make(name)
      // The first run does not wait until its guest was looked at.
      if (spare && !cleaned && this.#taken.has(name)) this.#see(name, spare)
      if (!spare) {
        this.#wanted.delete(name)
        continue
      }
      ready.push(spare)
      return true
    }
    return false
  }

  /** Remembers the state of a fresh instance, once for each guest. */
  #see(name: string, { instance, memory }: Spare<Cell>): void {
    if (!this.#fresh.has(name)) this.#fresh.set(name, look(instance, memory))
  }

  #cleaned(name: string, spare: Spare<Cell>): Spare<Cell> | undefined {
    const fresh = this.#fresh.get(name)
    return fresh && clean(fresh, spare.instance, spare.memory) ? spare : undefined
  }
}
