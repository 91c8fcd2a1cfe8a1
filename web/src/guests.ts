// Guests: instances of tools' and programs' modules, beside the host in the same worker.
//
// A guest calls the host directly. If the host has no answer yet, the guest's stack is suspended
// (JavaScript Promise Integration) and resumed with the answer. The host is never on the stack while
// a guest computes. A guest that has to end is not resumed, or leaves with `Gone`.

import { Exit, Gone, GRACE, Left, NotLoaded, SLICE, type Turns, departure, enter, fileOf, interrupt, jspi, promising, suspending } from './guest.js'
import { type HostExports, put } from './host.js'
import { BridgedCells, type Shared } from './bridged.js'
import { Modules } from './modules.js'
import type { RemoteCells } from './remote.js'
import { type SharedModule, compileShared } from './shared-memory.js'
import { type Spare, Spares } from './spares.js'

/** Guest of tools that runs in the frame, if there is one. */
const IN_FRAME = 'js-document'

const PENDING = -1

interface Cell {
  readonly id: number
  readonly name: string
  alive: boolean
  /** False while the guest is on the stack, or if it did not leave by itself. */
  isWhole: boolean
  spare?: Spare<Cell>
  instance?: WebAssembly.Instance
  memory?: WebAssembly.Memory
  /** Pages that the guest has; its instance may have more. */
  pages: number
  /** Resumes the suspended guest. */
  resume?: ((value: number) => void) | undefined
  abandon?: ((reason: unknown) => void) | undefined
  /** Time at which the current slice began. */
  since: number
}

/** A module, and what is asked of it for every instance. */
interface Loaded {
  module: WebAssembly.Module
  isProgram: boolean
  /** Functions of WASI that it imports, with their places in the host's table. */
  functions: [string, number | undefined][]
  /** Pages that an instance begins with, if the module is from outside. */
  pages?: number
}

export class Guests {
  readonly #cells = new Map<number, Cell>()
  readonly #modules = new Map<string, Promise<Loaded>>()
  readonly #host: () => HostExports
  readonly #load: (name: string) => Promise<WebAssembly.Module>
  readonly #loadLate: (name: string) => Promise<Uint8Array>
  /** Late data of guests that were loaded. */
  readonly #late = new Map<string, Uint8Array>()
  readonly #turns: Turns
  readonly #remote: RemoteCells
  readonly #foreign: Modules
  /** True if the sandbox has a frame. */
  hasFrame = false
  #functions: Map<string, number> | undefined
  /** Guests that were loaded. */
  readonly #loaded = new Map<string, Loaded>()
  readonly #spares = new Spares<Cell>(
    (name) => this.#make(name),
    () => this.#running === 0,
  )
  /** Guests that compute, or wait for an answer. A kept cell between two runs does neither. */
  #running = 0
  /** Cells in workers of their own, if this browser needs them. */
  #bridged: BridgedCells | undefined

  constructor(
    host: () => HostExports,
    load: (name: string) => Promise<WebAssembly.Module>,
    loadLate: (name: string) => Promise<Uint8Array>,
    turns: Turns,
    remote: RemoteCells,
  ) {
    this.#host = host
    this.#load = load
    this.#loadLate = loadLate
    this.#turns = turns
    this.#remote = remote
    this.#foreign = new Modules(host, load)
  }

  /** Gives every cell a worker of its own, whose script this is; `load` returns guests. */
  bridge(script: string, load: (name: string) => Promise<SharedModule>): void {
    const shared = new Map<string, Promise<Shared>>()
    const make = async (name: string): Promise<Shared> => {
      const foreign = this.#foreign.get(name)
      const { module, pages } = await (foreign ? compileShared(foreign.bytes) : load(fileOf(name, false)))
      return { module, pages, functions: this.#look(module).functions }
    }
    const kept = (name: string) => {
      let made = shared.get(name)
      if (!made) shared.set(name, (made = make(name)))
      made.catch(() => shared.delete(name))
      return made
    }
    this.#bridged = new BridgedCells(this.#host, kept, this.#turns, script)
  }

  /** The functions that the host calls. */
  imports(): WebAssembly.ModuleImports {
    // Cells elsewhere: in a frame, or in workers of their own.
    const elsewhere = (id: number) => {
      if (this.#remote.has(id)) return this.#remote
      return this.#bridged?.has(id) ? this.#bridged : undefined
    }
    const bytes = (at: number, length: number) => new Uint8Array(this.#host().memory.buffer, at, length)
    const cell = (id: number) => this.#cells.get(id)
    const guest = (id: number) =>
      elsewhere(id)?.memory(id) ?? new Uint8Array(cell(id)?.memory?.buffer ?? new ArrayBuffer(0))
    return {
      prepare: (id: number, at: number, length: number) => {
        const name = new TextDecoder().decode(bytes(at, length))
        if (this.hasFrame && name === IN_FRAME) this.#remote.prepare(id, name)
        else if (this.#bridged) this.#bridged.prepare(id, name)
        else this.#cells.set(id, { id, name, alive: true, isWhole: false, pages: 0, since: 0 })
      },
      enter: (id: number, at: number, length: number) => {
        const message = bytes(at, length).slice()
        const entered = cell(id)
        elsewhere(id)?.enter(id, message)
        if (entered) void this.#run(entered, () => enter(entered.instance!, message))
      },
      start: (id: number) => {
        const started = cell(id)
        this.#bridged?.enter(id)
        if (started) void this.#run(started, () => this.#start(started))
      },
      answer: (id: number, value: number) => {
        elsewhere(id)?.answer(id, value)
        const resumed = cell(id)
        if (!resumed?.resume) return
        const resume = resumed.resume
        resumed.resume = resumed.abandon = undefined
        resumed.since = performance.now()
        resume(value)
      },
      release: (id: number) => {
        elsewhere(id)?.release(id)
        const released = cell(id)
        if (!released) return
        released.alive = false
        this.#cells.delete(id)
        // Frees the stack of a guest that waits.
        released.abandon?.(new Gone())
        if (released.isWhole && released.spare && this.#loaded.has(released.name)) this.#spares.give(released.name, released.spare)
        if (this.#running === 0) this.#spares.refill()
      },
      memory_len: (id: number) => elsewhere(id)?.pages(id) ?? cell(id)?.pages ?? 0,
      memory_read: (id: number, at: number, to: number, length: number) => {
        bytes(to, length).set(guest(id).subarray(at >>> 0, (at >>> 0) + length))
      },
      memory_write: (id: number, at: number, from: number, length: number) => {
        guest(id).set(bytes(from, length), at >>> 0)
      },
      compile: (ticket: number, at: number, length: number) => {
        const module = bytes(at, length).slice()
        // The host is still on the stack.
        void Promise.resolve().then(() => this.#foreign.compile(ticket, module))
      },
      compiled_text: (ticket: number, at: number, length: number) => {
        bytes(at, length).set(this.#foreign.text(ticket).subarray(0, length))
      },
      interrupt: (id: number, value: number) => {
        elsewhere(id)?.interrupt(id, value)
        interrupt(cell(id)?.instance, value)
      },
    }
  }

  /** Begins to fetch a guest that will be needed. */
  prefetch(name: string): Promise<Loaded> {
    const foreign = this.#foreign.get(name)
    if (foreign) return Promise.resolve({ ...this.#look(foreign.module), pages: foreign.pages })
    let loaded = this.#modules.get(name)
    if (!loaded) {
      loaded = this.#load(fileOf(name, jspi !== undefined)).then((module) => {
        const looked = this.#look(module)
        this.#loaded.set(name, looked)
        return looked
      })
      this.#modules.set(name, loaded)
      // A failure is not kept: the network may be back for the next run.
      loaded.catch(() => this.#modules.delete(name))
    }
    return loaded
  }

  #look(module: WebAssembly.Module): Loaded {
    const table = (this.#functions ??= functions(this.#host()))
    const isProgram = WebAssembly.Module.exports(module).some((e) => e.name === '_start')
    const imports = WebAssembly.Module.imports(module).filter((i) => i.module === 'wasi_snapshot_preview1')
    return { module, isProgram, functions: imports.map(({ name }) => [name, table.get(name)]) }
  }

  /** Has an instance made before the first run. */
  warm(name: string): void {
    void this.prefetch(name).then(
      () => this.#spares.want(name),
      () => {},
    )
  }

  /** Lets a guest run, and tells the host how it left. */
  async #run(cell: Cell, compute: () => Promise<[number, number] | Left>): Promise<void> {
    let left: [Left, number, number]
    this.#running++
    try {
      // The host is still on the stack.
      await null
      if (!cell.instance) {
        if (!(await this.#instantiate(cell))) return void this.#running--
      }
      cell.since = performance.now()
      cell.isWhole = false
      const result = await compute()
      left = Array.isArray(result) ? [Left.Returned, ...result] : [result, 0, 0]
      cell.isWhole = Array.isArray(result)
    } catch (error) {
      left = departure(error)
      // A program leaves through `proc_exit`.
      cell.isWhole = error instanceof Exit
    }
    if (cell.alive) this.#host().guest_left(cell.id, ...left)
    // Instances are prepared after the host has answered.
    if (--this.#running === 0) this.#spares.resume()
  }

  /** Instantiates a guest; returns false if its cell was released meanwhile. */
  async #instantiate(cell: Cell): Promise<boolean> {
    let loaded
    try {
      loaded = await this.prefetch(cell.name)
    } catch (error) {
      console.error('cofferdam:', error)
      throw new NotLoaded()
    }
    if (!cell.alive) return false
    // T-PROC-007: memory of programs. That of a foreign module is charged before it exists.
    if (loaded.pages !== undefined && !this.#host().guest_grow(cell.id, loaded.pages)) throw new NotLoaded()
    const live = [...this.#cells.values()].filter((other) => other.name === cell.name).length
    const spare = loaded.pages === undefined ? this.#spares.take(cell.name, live) : undefined
    cell.spare = spare ?? this.#instance(loaded)
    cell.spare.slot.cell = cell
    cell.instance = cell.spare.instance
    const { memory, pages } = cell.spare
    // Charged like any other memory, before it counts as the guest's.
    if (loaded.pages === undefined && !this.#host().guest_grow(cell.id, pages)) throw new NotLoaded()
    cell.memory = memory
    cell.pages = pages
    return true
  }

  /** Makes an instance of a guest that was loaded, for the next cell. */
  #make(name: string): Spare<Cell> | undefined {
    const loaded = this.#loaded.get(name)
    try {
      return loaded && this.#instance(loaded)
    } catch {
      return undefined
    }
  }

  #instance(loaded: Loaded): Spare<Cell> {
    const slot: Spare<Cell>['slot'] = { cell: undefined }
    try {
      const instance = new WebAssembly.Instance(loaded.module, this.#linked(slot, loaded))
      const memory = instance.exports['memory']
      if (memory instanceof WebAssembly.Memory) return { instance, memory, slot, pages: memory.buffer.byteLength / 65536 }
    } catch (error) {
      // A browser has room for some hundred memories; the run is told.
      if (!(error instanceof RangeError)) console.error('cofferdam:', error)
    }
    throw new NotLoaded()
  }

  async #start(cell: Cell): Promise<[number, number] | Left> {
    if (!jspi) throw new NotLoaded()
    await promising(cell.instance!.exports['_start']!)()
    return [0, 0]
  }

  /** Returns the imports of one guest. */
  #linked(slot: Spare<Cell>['slot'], { isProgram, functions }: Loaded): WebAssembly.Imports {
    const host = this.#host()
    // An instance computes only while it belongs to a cell.
    const own = (): Cell => slot.cell!
    const suspend = (ask: () => void): Promise<number> =>
      new Promise((resolve, reject) => {
        own().resume = resolve
        own().abandon = reject
        ask()
      })
    const answered = (value: number): number | Promise<number> => {
      if (value >= 0) return value | 0
      if (value === PENDING && jspi) return suspend(() => {})
      throw new Gone()
    }
    const call = (request: number, requestLength: number, room: number, roomLength: number) =>
      answered(host.guest_call(own().id, request >>> 0, requestLength >>> 0, room >>> 0, roomLength >>> 0))
    const gate: WebAssembly.ModuleImports = {
      // A tool's call is answered at once.
      call: isProgram ? suspending(call as (...args: number[]) => unknown) : (call as WebAssembly.ImportValue),
      wait: suspending((ticket, room, roomLength) => {
        if (!jspi) throw new Gone()
        return suspend(() => host.guest_wait(own().id, ticket! >>> 0, room! >>> 0, roomLength! >>> 0))
      }),
      pace: () => (performance.now() - own().since > SLICE ? 1 : 0),
      rest: suspending(() => this.#rest(own())),
      late: suspending(() => this.#fill(own())),
      grow: (pages: number) => {
        const by = pages >>> 0
        const cell = own()
        const before = cell.pages
        if (by === 0) return before
        if (!cell.memory || !host.guest_grow(cell.id, by)) return -1
        const missing = before + by - cell.memory.buffer.byteLength / 65536
        try {
          if (missing > 0) cell.memory.grow(missing)
        } catch {
          return -1
        }
        cell.pages += by
        return before
      },
    }
    return { cofferdam: gate, wasi_snapshot_preview1: isProgram ? this.#wasi(slot, functions, answered) : {} }
  }

  /** Fills in the data that a guest's file leaves out; see `imaging` in the host. */
  #fill(cell: Cell): undefined | Promise<void> {
    const late = this.#late.get(cell.name)
    if (late) return fill(cell.memory!, late)
    return this.#loadLate(`${cell.name}.late`).then(
      (late) => {
        this.#late.set(cell.name, late)
        if (!cell.alive) throw new Gone()
        fill(cell.memory!, late)
        cell.since = performance.now()
      },
      (error) => {
        console.error('cofferdam:', error)
        throw new NotLoaded()
      },
    )
  }

  #rest(cell: Cell): undefined | Promise<void> {
    const next = this.#host().guest_rest(cell.id)
    if (next === 2) throw new Gone()
    if (next === 0 || !jspi) {
      cell.since = performance.now() - SLICE + GRACE
      return undefined
    }
    return this.#turns.next().then(() => {
      if (!cell.alive) throw new Gone()
      cell.since = performance.now()
    })
  }

  /** Returns the functions of WASI that a program imports. */
  #wasi(slot: Spare<Cell>['slot'], functions: Loaded['functions'], answered: (value: number) => number | Promise<number>): WebAssembly.ModuleImports {
    const host = this.#host()
    const args = host.guest_args()
    const imports: WebAssembly.ModuleImports = {}
    for (const [name, index] of functions) {
      if (name === 'proc_exit') {
        imports[name] = (code: number) => {
          throw new Exit(code >>> 0)
        }
      } else if (index !== undefined) {
        imports[name] = suspending((...values: (number | bigint)[]) => {
          const to = new DataView(host.memory.buffer, args)
          for (let i = 0; i < values.length; i++) {
            const value = values[i]!
            if (typeof value === 'bigint') to.setBigUint64(8 * i, value, true)
            else put(to, 8 * i, value >>> 0)
          }
          return answered(host.guest_import(slot.cell!.id, index))
        })
      }
    }
    return imports
  }
}

/** Copies ranges into a memory: address, length and bytes of each. */
function fill(memory: WebAssembly.Memory, ranges: Uint8Array): undefined {
  const numbers = new DataView(ranges.buffer, ranges.byteOffset, ranges.byteLength)
  const to = new Uint8Array(memory.buffer)
  for (let at = 0; at < ranges.length; ) {
    const length = numbers.getUint32(at + 4, true)
    to.set(ranges.subarray(at + 8, at + 8 + length), numbers.getUint32(at, true))
    at += 8 + length
  }
}

/** Returns the places of WASI's functions in the host's table. */
function functions(host: HostExports): Map<string, number> {
  const table = new Map<string, number>()
  for (let index = 0; ; index++) {
    const name = BigInt.asUintN(64, host.guest_import_name(index))
    if (name === 0n) return table
    const bytes = new Uint8Array(host.memory.buffer, Number(name & 0xffffffffn), Number(name >> 32n))
    table.set(new TextDecoder().decode(bytes), index)
  }
}
