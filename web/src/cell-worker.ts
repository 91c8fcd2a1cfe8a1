// The worker of a single cell, for browsers without JavaScript Promise Integration: the guest blocks
// in its calls, which go over the bridge to the host's worker. The guest's memory is shared, so the
// host reads and writes it in place.

import { BridgeCaller, BridgeError } from './bridge.js'
import { Exit, Gone, NotLoaded, SLICE, departure } from './guest.js'
import { type Fresh, clean, look } from './spares.js'

/** Longest message that fits the inbox of a guest. */
const INBOX = 4096

interface Begin {
  /** Name of the guest. An instance of the same guest is used again. */
  guest: string
  module: WebAssembly.Module
  buffer: SharedArrayBuffer
  /** Functions of WASI that the guest imports, with their places in the host's table. */
  functions: [string, number | undefined][]
}

/** Names of modules from outside, whose instances are not used again. */
const FOREIGN = 'module:'

let bridge: BridgeCaller
let instance: WebAssembly.Instance
let fresh: Fresh | undefined
let guest = ''
/** False while the guest is on the stack, or if it did not leave by itself. */
let isWhole = false
/** Pages that the guest has; its instance may have more. */
let pages = 0
let since = 0

/** Makes a call of the guest, or leaves the guest if it is over. */
function ask(op: string, args: (number | string)[]): number {
  try {
    const { data } = bridge.call(op, { args })
    since = performance.now()
    return data.value
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'GONE') throw new Gone()
    throw error
  }
}

const whole = (values: (number | bigint)[]): (number | string)[] =>
  values.map((value) => (typeof value === 'bigint' ? String(BigInt.asUintN(64, value)) : value >>> 0))

const memory = () => instance.exports['memory'] as WebAssembly.Memory

/** Gives the worker an instance in its first state: a new one, or that of the cell before, cleaned. */
function begin({ guest: name, module, buffer, functions }: Begin): { memory: WebAssembly.Memory; flag: number } {
  bridge = new BridgeCaller(buffer, () => postMessage('call'))
  if (!(isWhole && name === guest && fresh && clean(fresh, instance, memory()))) {
    fresh = undefined
    instance = new WebAssembly.Instance(module, linked(functions))
    if (!name.startsWith(FOREIGN)) fresh = look(instance, memory())
    guest = name
  }
  pages = fresh?.pages ?? memory().buffer.byteLength / 65536
  isWhole = true
  const flag = instance.exports['cofferdam_interrupt']
  return { memory: memory(), flag: flag instanceof WebAssembly.Global ? flag.value : 0 }
}

function linked(functions: Begin['functions']): WebAssembly.Imports {
  const wasi: WebAssembly.ModuleImports = {}
  for (const [name, index] of functions) {
    if (name === 'proc_exit') {
      wasi[name] = (code: number) => {
        throw new Exit(code >>> 0)
      }
    } else if (index !== undefined) wasi[name] = (...values: (number | bigint)[]) => ask('import', [index, ...whole(values)]) | 0
  }
  const gate: WebAssembly.ModuleImports = {
    call: (...values: number[]) => ask('call', whole(values)),
    wait: (...values: number[]) => ask('wait', whole(values)),
    pace: () => (performance.now() - since > SLICE ? 1 : 0),
    rest: () => void ask('rest', []),
    grow: (by: number) => {
      const before = pages
      if (by === 0) return before
      if (ask('grow', [by >>> 0]) === 0) return -1
      const missing = before + (by >>> 0) - memory().buffer.byteLength / 65536
      try {
        if (missing > 0) memory().grow(missing)
      } catch {
        return -1
      }
      pages += by >>> 0
      return before
    },
  }
  return { cofferdam: gate, wasi_snapshot_preview1: wasi }
}

/** Enters a tool's guest, or starts a program. */
function compute(message: Uint8Array | undefined): [number, number, number] {
  const exports = instance.exports as Record<string, any>
  since = performance.now()
  isWhole = false
  if (!message) {
    exports['_start']()
    isWhole = true
    return [0, 0, 0]
  }
  const at = message.length <= INBOX ? exports['cofferdam_inbox'].value : exports['cofferdam_reserve'](message.length) >>> 0
  if (at === 0) return [6, 0, 0]
  new Uint8Array(exports['memory'].buffer).set(message, at)
  const reply = BigInt.asUintN(64, exports['cofferdam_enter'](at, message.length))
  isWhole = true
  return [0, Number(reply >> 32n), Number(reply & 0xffffffffn)]
}

onmessage = (event: MessageEvent<{ begin: Begin } | { enter: Uint8Array | undefined }>) => {
  const order = event.data
  try {
    if ('begin' in order) postMessage(begin(order.begin))
    else postMessage({ left: compute(order.enter) })
  } catch (error) {
    if ('begin' in order) console.error('cofferdam:', error)
    // A program leaves through `proc_exit`.
    isWhole = error instanceof Exit
    postMessage({ left: departure('begin' in order ? new NotLoaded() : error) })
  }
}
