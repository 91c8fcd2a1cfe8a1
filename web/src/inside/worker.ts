// The worker in a frame: cells of tools whose host is outside. Each call of a guest becomes a
// message to the page, and the guest's stack is suspended until the answer arrives. Nothing is
// decided here.

import { Gone, Left, NotLoaded, SLICE, Turns, departure, enter, interrupt, suspending } from '../guest.js'
import type { ToFrame } from '../border.js'

interface Cell {
  readonly id: number
  alive: boolean
  instance?: WebAssembly.Instance
  /** Time at which the current slice began. */
  since: number
  /** Execution under way, and the number of its last call. */
  execution: string
  calls: number
  answered?: (answer: { value: number; bytes?: Uint8Array }) => void
  abandon?: (reason: unknown) => void
}

const modules = new Map<string, WebAssembly.Module>()
const cells = new Map<number, Cell>()
const turns = new Turns()

/** Makes a call and waits for its answer. */
function ask(cell: Cell, method: string, params: object): Promise<{ value: number; bytes?: Uint8Array }> {
  return new Promise((resolve, reject) => {
    cell.answered = resolve
    cell.abandon = reject
    postMessage({ id: `${cell.execution}#${++cell.calls}`, type: 'call', method, params: { cell: cell.id, ...params } })
  })
}

function instantiate(cell: Cell, guest: string): WebAssembly.Instance {
  const module = modules.get(guest)
  if (!module) throw new NotLoaded()
  const memory = () => cell.instance!.exports['memory'] as WebAssembly.Memory
  const placed = ({ value, bytes }: { value: number; bytes?: Uint8Array }, room: number): number => {
    cell.since = performance.now()
    if (bytes) new Uint8Array(memory().buffer).set(bytes, room)
    return value
  }
  return new WebAssembly.Instance(module, {
    cofferdam: {
      call: suspending(async (at, length, room, roomLength) => {
        const request = new Uint8Array(memory().buffer).slice(at! >>> 0, (at! >>> 0) + (length! >>> 0))
        return placed(await ask(cell, 'call', { request, room: roomLength! >>> 0 }), room! >>> 0)
      }),
      wait: suspending(async (ticket, room, roomLength) =>
        placed(await ask(cell, 'wait', { ticket: ticket! >>> 0, room: roomLength! >>> 0 }), room! >>> 0),
      ),
      pace: () => (performance.now() - cell.since > SLICE ? 1 : 0),
      rest: suspending(async () => {
        await turns.next()
        if (!cell.alive) throw new Gone()
        cell.since = performance.now()
      }),
      grow: suspending(async (pages) => {
        if (pages === 0) return memory().buffer.byteLength / 65536
        const { value } = await ask(cell, 'grow', { pages: pages! >>> 0 })
        if (value === 0) return -1
        try {
          return memory().grow(pages! >>> 0)
        } catch {
          return -1
        }
      }),
    },
  })
}

/** Enters a cell and returns its reply. */
async function run(cell: Cell, guest: string, message: Uint8Array): Promise<{ left: number; reply: Uint8Array }> {
  try {
    if (!cell.instance) {
      cell.instance = instantiate(cell, guest)
      const pages = (cell.instance.exports['memory'] as WebAssembly.Memory).buffer.byteLength / 65536
      // Charged like any other memory, before the guest computes.
      if ((await ask(cell, 'grow', { pages })).value === 0) throw new NotLoaded()
    }
    cell.since = performance.now()
    const reply = await enter(cell.instance, message)
    if (!Array.isArray(reply)) return { left: reply, reply: new Uint8Array() }
    const [at, length] = reply
    const { buffer } = cell.instance.exports['memory'] as WebAssembly.Memory
    // The host outside refuses a reply that is too long; one outside of the memory is cut.
    return { left: Left.Returned, reply: new Uint8Array(buffer).slice(at, at + length) }
  } catch (error) {
    return { left: departure(error)[0], reply: new Uint8Array() }
  }
}

async function execute(id: string, method: string, params: any): Promise<unknown> {
  switch (method) {
    case 'load':
      modules.set(params.guest, await WebAssembly.compile(params.bytes))
      return null
    case 'enter': {
      let cell = cells.get(params.cell)
      if (!cell) {
        cell = { id: params.cell, alive: true, since: 0, execution: id, calls: 0 }
        cells.set(cell.id, cell)
      }
      ;[cell.execution, cell.calls] = [id, 0]
      return run(cell, params.guest, params.message)
    }
  }
  throw new Error(`${method}: unknown`)
}

onmessage = (event: MessageEvent<ToFrame>) => {
  const message = event.data
  if (message.type === 'execute') {
    execute(message.id, message.method, message.params).then(
      (result) => postMessage({ id: message.id, type: 'result', result }),
      (error) => postMessage({ id: message.id, type: 'error', error: { code: 'FAILED', message: String(error?.message ?? error) } }),
    )
  } else if (message.type === 'answer') {
    const cell = [...cells.values()].find((cell) => `${cell.execution}#${cell.calls}` === message.id)
    cell?.answered?.(message.result)
  } else if (message.method === 'interrupt') {
    interrupt(cells.get(message.params.cell)?.instance, message.params.value)
  } else if (message.method === 'release') {
    const cell = cells.get(message.params.cell)
    cells.delete(message.params.cell)
    if (!cell) return
    cell.alive = false
    cell.abandon?.(new Gone())
  }
}
postMessage('up')
