// Cells in workers of their own, seen from the host's worker. A browser without JavaScript Promise
// Integration cannot suspend a guest, so the guest blocks in its own worker until its call is
// answered over the bridge.

import { BridgeServer } from './bridge.js'
import { Left, type Turns } from './guest.js'
import type { HostExports } from './host.js'

/** Workers that wait for their next cell. Each keeps the instance of its last one. */
const MAX_IDLE = 8

/** Length of a cell's buffer. Calls are a few numbers; data is in the guest's memory, which is shared. */
const CELL_BUFFER = 65_536

/** Milliseconds after which a worker that does not end is terminated. */
const BACKSTOP = 1000

const PENDING = -1
const GONE = -2

/** A guest whose memory is shared. */
export interface Shared {
  module: WebAssembly.Module
  /** Functions of WASI that it imports, with their places in the host's table. */
  functions: [string, number | undefined][]
  /** Pages that it begins with. */
  pages: number
}

interface Cell {
  readonly id: number
  readonly guest: string
  isOver: boolean
  worker?: Worker
  server?: BridgeServer
  memory?: WebAssembly.Memory
  /** Pages that the guest has; its memory may have more. */
  pages: number
  /** Address of the flag that asks a tool's guest to stop; zero if it has none. */
  flag: number
  message?: Uint8Array | undefined
  isComputing: boolean
  /** True while a call waits for its answer. */
  waits: boolean
}

/** A message of a cell's worker. */
type FromCell = 'call' | { memory: WebAssembly.Memory; flag: number } | { left: [number, number, number] }

export class BridgedCells {
  readonly #cells = new Map<number, Cell>()
  /** Workers without a cell, with the guests that they have instances of; the last one used last. */
  readonly #idle: { worker: Worker; guest: string }[] = []
  readonly #host: () => HostExports
  readonly #load: (guest: string) => Promise<Shared>
  readonly #turns: Turns
  readonly #script: string

  constructor(host: () => HostExports, load: (guest: string) => Promise<Shared>, turns: Turns, script: string) {
    this.#host = host
    this.#load = load
    this.#turns = turns
    this.#script = script
  }

  has(id: number): boolean {
    return this.#cells.has(id)
  }

  prepare(id: number, guest: string): void {
    this.#cells.set(id, { id, guest, isOver: false, pages: 0, flag: 0, isComputing: false, waits: false })
  }

  /** Enters a tool's guest with a message, or starts a program without one. */
  enter(id: number, message?: Uint8Array): void {
    const cell = this.#cells.get(id)!
    cell.isComputing = true
    cell.message = message
    if (cell.memory) cell.worker!.postMessage({ enter: message })
    else void this.#begin(cell)
  }

  answer(id: number, value: number): void {
    const cell = this.#cells.get(id)
    if (!cell?.waits) return
    cell.waits = false
    cell.server!.answer({ value })
  }

  release(id: number): void {
    const cell = this.#cells.get(id)
    if (!cell) return
    this.#cells.delete(id)
    cell.isOver = true
    const { worker } = cell
    if (!worker) return
    if (!cell.isComputing) return this.#retire(worker, cell.guest)
    const gone = () => cell.server!.refuse('GONE', 'the cell is over')
    const timer = setTimeout(() => worker.terminate(), BACKSTOP)
    worker.onmessage = (event: MessageEvent<FromCell>) => {
      if (event.data === 'call') return gone()
      if (!('left' in event.data)) return
      clearTimeout(timer)
      this.#retire(worker, cell.guest)
    }
    // A guest that waits leaves now, any other at its next call or rest.
    if (cell.waits) gone()
    cell.waits = false
  }

  interrupt(id: number, value: number): void {
    const cell = this.#cells.get(id)
    if (!cell?.memory || cell.flag === 0) return
    new DataView(cell.memory.buffer).setUint32(cell.flag, value, true)
  }

  pages(id: number): number {
    const cell = this.#cells.get(id)
    return Math.min(cell?.pages ?? 0, (cell?.memory?.buffer.byteLength ?? 0) / 65536)
  }

  memory(id: number): Uint8Array {
    return new Uint8Array(this.#cells.get(id)?.memory?.buffer ?? new ArrayBuffer(0))
  }

  async #begin(cell: Cell): Promise<void> {
    let shared
    try {
      shared = await this.#load(cell.guest)
    } catch (error) {
      console.error('cofferdam:', error)
    }
    if (cell.isOver) return
    // T-PROC-007: memory of programs, charged before it exists.
    if (!shared || !this.#host().guest_grow(cell.id, shared.pages)) return this.#left(cell, [Left.NotLoaded, 0, 0])
    const { module, functions } = shared
    cell.pages = shared.pages
    cell.server = new BridgeServer(new SharedArrayBuffer(CELL_BUFFER))
    cell.worker = this.#takeIdle(cell.guest) ?? new Worker(this.#script, { name: 'cofferdam-cell' })
    cell.worker.onmessage = (event: MessageEvent<FromCell>) => this.#receive(cell, event.data)
    cell.worker.onerror = () => this.#left(cell, [Left.NotLoaded, 0, 0])
    cell.worker.postMessage({ begin: { guest: cell.guest, module, functions, buffer: cell.server.buffer } })
  }

  #receive(cell: Cell, message: FromCell): void {
    if (message === 'call') return this.#called(cell)
    if ('left' in message) return this.#left(cell, message.left)
    cell.memory = message.memory
    cell.flag = message.flag
    cell.worker!.postMessage({ enter: cell.message })
  }

  #left(cell: Cell, left: [number, number, number]): void {
    cell.isComputing = false
    if (!cell.isOver) this.#host().guest_left(cell.id, ...left)
  }

  #called(cell: Cell): void {
    const call = cell.server!.take()
    if (!call) return
    const args: (number | string)[] = call.data.args
    const [a = 0, b = 0, c = 0, d = 0] = args as number[]
    const host = this.#host()
    cell.waits = true
    switch (call.data.op) {
      case 'call':
        return this.#settle(cell, host.guest_call(cell.id, a, b, c, d))
      case 'import': {
        const to = new DataView(host.memory.buffer, host.guest_args())
        args.slice(1).forEach((value, i) => to.setBigUint64(8 * i, BigInt(value), true))
        return this.#settle(cell, host.guest_import(cell.id, a))
      }
      case 'wait':
        return host.guest_wait(cell.id, a, b, c)
      case 'grow': {
        const isGranted = host.guest_grow(cell.id, a)
        if (isGranted) cell.pages += a
        return this.#settle(cell, isGranted)
      }
      case 'rest':
        return void this.#rest(cell)
    }
    cell.waits = false
    cell.server!.refuse('ENOSYS', 'unknown call')
  }

  /** Answers a call, unless it has to wait. */
  #settle(cell: Cell, value: number): void {
    if (value === PENDING || !cell.waits) return
    cell.waits = false
    if (value >= 0) cell.server!.answer({ value })
    else cell.server!.refuse('GONE', 'the cell is over')
  }

  async #rest(cell: Cell): Promise<void> {
    const next = this.#host().guest_rest(cell.id)
    if (next === 1) await this.#turns.next()
    this.#settle(cell, next === 2 ? GONE : 0)
  }

  /** Returns an idle worker: one with an instance of the guest, or the one that was idle for longest. */
  #takeIdle(guest: string): Worker | undefined {
    const at = this.#idle.findLastIndex((idle) => idle.guest === guest)
    if (at >= 0) return this.#idle.splice(at, 1)[0]!.worker
    return this.#idle.length < MAX_IDLE ? undefined : this.#idle.shift()?.worker
  }

  /** Keeps a worker for the next cell. */
  #retire(worker: Worker, guest: string): void {
    worker.onmessage = null
    this.#idle.push({ worker, guest })
    if (this.#idle.length > MAX_IDLE) this.#idle.shift()!.worker.terminate()
  }
}
