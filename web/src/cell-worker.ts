// The worker of a single cell, for browsers without JavaScript Promise Integration: the guest blocks
// in its calls, which go over the bridge to the host's worker. The guest's memory is shared, so the
// host reads and writes it in place.

import { BridgeCaller, BridgeError } from './bridge.js'
import { Exit, Gone, NotLoaded, SLICE, departure } from './guest.js'

/** Longest message that fits the inbox of a guest. */
const INBOX = 4096

interface Begin {
  module: WebAssembly.Module
  buffer: SharedArrayBuffer
  /** Functions of WASI that the guest imports, with their places in the host's table. */
  functions: [string, number | undefined][]
}

let bridge: BridgeCaller
let instance: WebAssembly.Instance
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

function begin({ module, buffer, functions }: Begin): { memory: WebAssembly.Memory; flag: number } {
  bridge = new BridgeCaller(buffer, () => postMessage('call'))
  const wasi: WebAssembly.ModuleImports = {}
  for (const [name, index] of functions) {
    if (name === 'proc_exit') {
      wasi[name] = (code: number) => {
        throw new Exit(code >>> 0)
      }
    } else if (index !== undefined) wasi[name] = (...values: (number | bigint)[]) => ask('import', [index, ...whole(values)]) | 0
  }
  const memory = () => instance.exports['memory'] as WebAssembly.Memory
  const gate: WebAssembly.ModuleImports = {
    call: (...values: number[]) => ask('call', whole(values)),
    wait: (...values: number[]) => ask('wait', whole(values)),
    pace: () => (performance.now() - since > SLICE ? 1 : 0),
    rest: () => void ask('rest', []),
    grow: (pages: number) => {
      if (pages === 0) return memory().buffer.byteLength / 65536
      if (ask('grow', [pages >>> 0]) === 0) return -1
      try {
        return memory().grow(pages >>> 0)
      } catch {
        return -1
      }
    },
  }
  instance = new WebAssembly.Instance(module, { cofferdam: gate, wasi_snapshot_preview1: wasi })
  const flag = instance.exports['cofferdam_interrupt']
  return { memory: memory(), flag: flag instanceof WebAssembly.Global ? flag.value : 0 }
}

/** Enters a tool's guest, or starts a program. */
function compute(message: Uint8Array | undefined): [number, number, number] {
  const exports = instance.exports as Record<string, any>
  since = performance.now()
  if (!message) {
    exports['_start']()
    return [0, 0, 0]
  }
  const at = message.length <= INBOX ? exports['cofferdam_inbox'].value : exports['cofferdam_reserve'](message.length) >>> 0
  if (at === 0) return [6, 0, 0]
  new Uint8Array(exports['memory'].buffer).set(message, at)
  const reply = BigInt.asUintN(64, exports['cofferdam_enter'](at, message.length))
  return [0, Number(reply >> 32n), Number(reply & 0xffffffffn)]
}

onmessage = (event: MessageEvent<{ begin: Begin } | { enter: Uint8Array | undefined }>) => {
  const order = event.data
  try {
    if ('begin' in order) postMessage(begin(order.begin))
    else postMessage({ left: compute(order.enter) })
  } catch (error) {
    if ('begin' in order) console.error('cofferdam:', error)
    postMessage({ left: departure('begin' in order ? new NotLoaded() : error) })
  }
}
