// Cells in a frame, seen from the host's worker. A cell's calls arrive as messages that the page has
// checked; the bytes of each are the only part of the guest's memory that the host sees, and the
// answer is sent back the same way.

import { Left } from './guest.js'
import type { HostExports } from './host.js'

/** Milliseconds between two looks at a cell that computes. */
const LOOK = 4

/** A message to the frame, by way of the page. */
export type ToCells =
  | { frame: 'enter'; cell: number; guest: string; message: Uint8Array }
  | { frame: 'answer'; id: string; result: { value: number; bytes?: Uint8Array } }
  | { frame: 'interrupt'; cell: number; value: number }
  | { frame: 'release'; cell: number }

/** A message of the frame, by way of the page. */
export type FromCells =
  | { frame: 'call'; id: string; method: string; params: { cell: number; request?: Uint8Array; ticket?: number; room?: number; pages?: number } }
  | { frame: 'left'; cell: number; left: number; reply: Uint8Array }

interface Cell {
  readonly id: number
  readonly guest: string
  /** Pages that were charged. */
  pages: number
  /** The part of the guest's memory that the host sees: one message and the room for its answer. */
  seen: Uint8Array
  /** Call that waits for an answer. */
  waits?: { id: string; room: number } | undefined
  timer?: ReturnType<typeof setInterval> | undefined
}

export class RemoteCells {
  readonly #cells = new Map<number, Cell>()
  readonly #host: () => HostExports
  readonly #send: (message: ToCells) => void

  constructor(host: () => HostExports, send: (message: ToCells) => void) {
    this.#host = host
    this.#send = send
  }

  has(id: number): boolean {
    return this.#cells.has(id)
  }

  prepare(id: number, guest: string): void {
    this.#cells.set(id, { id, guest, pages: 0, seen: new Uint8Array() })
  }

  enter(id: number, message: Uint8Array): void {
    const cell = this.#cells.get(id)!
    this.#send({ frame: 'enter', cell: id, guest: cell.guest, message })
    // The frame is not relied upon: the host looks at deadline and switch by its own clock.
    // T-CELL-001: endless computation.
    cell.timer ??= setInterval(() => this.#look(cell), LOOK)
  }

  /** Answers a call that waited. */
  answer(id: number, value: number): void {
    const cell = this.#cells.get(id)
    if (!cell?.waits) return
    const { id: call, room } = cell.waits
    cell.waits = undefined
    this.#answer(call, value, cell.seen.subarray(0, Math.min(value, room)))
  }

  release(id: number): void {
    clearInterval(this.#cells.get(id)?.timer)
    this.#cells.delete(id)
    this.#send({ frame: 'release', cell: id })
  }

  interrupt(id: number, value: number): void {
    this.#send({ frame: 'interrupt', cell: id, value })
  }

  pages(id: number): number {
    const cell = this.#cells.get(id)!
    return Math.max(cell.pages, Math.ceil(cell.seen.length / 65536))
  }

  memory(id: number): Uint8Array {
    return this.#cells.get(id)!.seen
  }

  receive(message: FromCells): void {
    if (message.frame === 'left') return this.#left(message)
    const { id, params } = message
    const cell = this.#cells.get(params.cell)
    if (!cell) return
    const host = this.#host()
    const room = params.room ?? 0
    if (message.method === 'grow') {
      const pages = params.pages ?? 0
      const isAllowed = host.guest_grow(cell.id, pages) !== 0
      if (isAllowed) cell.pages += pages
      this.#answer(id, isAllowed ? 1 : 0)
    } else if (message.method === 'wait') {
      cell.seen = new Uint8Array(room)
      cell.waits = { id, room }
      host.guest_wait(cell.id, params.ticket ?? 0, 0, room)
    } else {
      const request = params.request ?? new Uint8Array()
      cell.seen = new Uint8Array(request.length + room)
      cell.seen.set(request)
      const value = host.guest_call(cell.id, 0, request.length, request.length, room)
      if (value >= 0) this.#answer(id, value, cell.seen.subarray(request.length, request.length + Math.min(value, room)))
      else this.#end(cell, Left.Returned)
    }
  }

  #answer(id: string, value: number, bytes?: Uint8Array): void {
    this.#send({ frame: 'answer', id, result: bytes ? { value, bytes: bytes.slice() } : { value } })
  }

  #left({ cell: id, left, reply }: Extract<FromCells, { frame: 'left' }>): void {
    const cell = this.#cells.get(id)
    if (!cell) return
    cell.seen = reply
    this.#end(cell, left)
  }

  #end(cell: Cell, left: number): void {
    clearInterval(cell.timer)
    cell.timer = undefined
    if (left !== Left.Returned) cell.seen = new Uint8Array()
    this.#host().guest_left(cell.id, left, 0, cell.seen.length)
  }

  #look(cell: Cell): void {
    if (cell.waits) return
    if (this.#host().guest_rest(cell.id) === 2) this.#end(cell, Left.Returned)
  }
}
