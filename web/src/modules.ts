// WASI modules from outside: prepared by the pacer, which is WebAssembly itself, compiled by the
// browser, and kept by their hashes.

import { type HostExports, complete, wasi } from './host.js'
import { digest, random } from './names.js'

/** Modules that are kept, ready to run. */
const MAX_KEPT = 32

/** The exports of `pacer.wasm`. */
interface Pacer {
  memory: WebAssembly.Memory
  _initialize?: () => void
  pacer_alloc(length: number): number
  pacer_prepare(module: number, length: number): number
  pacer_result(): number
  pacer_result_len(): number
}

/** A module that is ready to run, and the memory that each instance begins with. */
export interface Foreign {
  module: WebAssembly.Module
  pages: number
  /** The prepared module, for places that need another memory. */
  bytes: Uint8Array<ArrayBuffer>
}

export class Modules {
  readonly #host: () => HostExports
  readonly #load: (name: string) => Promise<WebAssembly.Module>
  readonly #kept = new Map<string, Foreign>()
  /** Texts of results that the host has not taken. */
  readonly #texts = new Map<number, Uint8Array>()

  constructor(host: () => HostExports, load: (name: string) => Promise<WebAssembly.Module>) {
    this.#host = host
    this.#load = load
  }

  /** Returns a module by the name that its compilation gave it. */
  get(name: string): Foreign | undefined {
    return this.#kept.get(name)
  }

  /** Compiles a module, and tells the host its name or the reason why it cannot run. */
  async compile(ticket: number, wasm: Uint8Array<ArrayBuffer>): Promise<void> {
    let [isFit, text] = [true, '']
    try {
      text = await this.#name(wasm)
    } catch (error) {
      ;[isFit, text] = [false, String((error as Error)?.message ?? error)]
    }
    const bytes = new TextEncoder().encode(text)
    this.#texts.set(ticket, bytes)
    this.#host().guest_compiled(ticket, isFit ? 1 : 0, bytes.length)
    this.#texts.delete(ticket)
  }

  text(ticket: number): Uint8Array {
    return this.#texts.get(ticket) ?? new Uint8Array()
  }

  async #name(wasm: Uint8Array<ArrayBuffer>): Promise<string> {
    // A module without a hash is prepared anew for each run.
    const name = `module:${(await digest(wasm)) ?? random()}`
    const foreign = this.#kept.get(name) ?? (await this.#prepare(wasm))
    // The module that was used last is the last to go.
    this.#kept.delete(name)
    this.#kept.set(name, foreign)
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return name
  }

  async #prepare(wasm: Uint8Array): Promise<Foreign> {
    // A fresh instance for each module: a hostile one may make it trap.
    const module = await this.#load('pacer.wasm')
    let pacer: Pacer
    const given = { wasi_snapshot_preview1: wasi(() => pacer) }
    pacer = (await WebAssembly.instantiate(module, complete(module, given))).exports as unknown as Pacer
    pacer._initialize?.()
    const at = pacer.pacer_alloc(wasm.length)
    new Uint8Array(pacer.memory.buffer).set(wasm, at)
    let pages
    try {
      pages = pacer.pacer_prepare(at, wasm.length)
    } catch {
      throw new Error('cannot be prepared for this browser')
    }
    const result = new Uint8Array(pacer.memory.buffer, pacer.pacer_result(), pacer.pacer_result_len()).slice()
    if (pages < 0) throw new Error(new TextDecoder().decode(result))
    return { module: await WebAssembly.compile(result), pages, bytes: result }
  }
}
