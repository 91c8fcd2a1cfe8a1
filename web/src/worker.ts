// The worker of a sandbox: loads the host, passes messages between it and the page, and lets it run.

import { jspi, Turns } from './guest.js'
import { Guests } from './guests.js'
import { type HostExports, complete, wasi } from './host.js'
import { type Change, Keep } from './keep.js'
import { type Request, send } from './network.js'
import { type FromCells, RemoteCells, type ToCells } from './remote.js'
import type { SharedModule } from './shared-memory.js'

/** A message from the page: a request, whose parameters are JSON, or the answer to an inquiry. */
export type ToWorker =
  | { open: { keep: string | undefined; hasFrame: boolean; cellScript: string | undefined; follow: string[]; warm: string | undefined; coming: string[] } }
  | { id: number; method: string; params: string; bytes?: Uint8Array }
  | { inquiry: number; value?: unknown; error?: string }
  | { module: string; compiled?: WebAssembly.Module; error?: string }
  | { shared: string; made?: SharedModule; error?: string }
  | { late: string; bytes?: Uint8Array; error?: string }
  | FromCells

/** A message of the host. */
type FromHost =
  | { id: number; result?: unknown; error?: { message: string }; bytes?: Uint8Array }
  | { inquiry: number; kind: string; params: Record<string, unknown> }
  | { inquiryOver: number }
  | { event: string; params: Record<string, unknown> }

/** A message to the page. Short answers are sent as the text that the host wrote. */
export type FromWorker = { ready: { canSuspend: boolean; isBridged: boolean } } | { failed: string } | { need: string } | { needShared: string } | { needLate: string } | { saving: number } | FromHost | ToCells

/** Milliseconds that the host works before messages are looked at. */
const SLICE = 4

/** Milliseconds between two saves while a run of a kept sandbox goes on. */
const SAVE_EVERY = 1000

/** Longest answer that the page parses, in bytes; a longer one could hold it up. */
const MAX_PASSED = 16 * 1024

/** Methods after which the files of a kept sandbox may differ. */
const CHANGES = new Set(['create', 'exec', 'writeFile', 'mkdir', 'unlink', 'rmdir', 'rename', 'chmod', 'grant', 'revoke', 'deny'])

let host: HostExports
let isScheduled = false
let turned = performance.now()
let timer: ReturnType<typeof setTimeout> | undefined
/** Time at which the timer fires. */
let alarm = 0
let keep: Keep | undefined
let hasFrame = false
/** Origins whose redirects are followed. */
let follow: string[] = []
/** Bytes that belong to the next message of the host. */
let attached: Uint8Array | undefined
const turns = new Turns()
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const requests = new Map<number, AbortController>()
const modules = new Map<string, Promise<WebAssembly.Module>>()
const arrived = new Map<string, { resolve: (module: WebAssembly.Module) => void; reject: (error: Error) => void }>()
/** Requests under way that may change a kept sandbox, by their ids. */
const changing = new Set<number>()

const post = (message: FromWorker | string): void => postMessage(message)
const remote = new RemoteCells(() => host, post)
const guests = new Guests(() => host, need, needLate, turns, remote)

/** Returns a module from the page, which compiles each once for all of its sandboxes. */
function need(name: string): Promise<WebAssembly.Module> {
  let module = modules.get(name)
  if (!module) {
    module = awaited(name)
    post({ need: name })
  }
  return module
}

function awaited(name: string): Promise<WebAssembly.Module> {
  const module = new Promise<WebAssembly.Module>((resolve, reject) => arrived.set(name, { resolve, reject }))
  modules.set(name, module)
  module.catch(() => modules.delete(name))
  return module
}

const made = new Map<string, { resolve: (module: SharedModule) => void; reject: (error: Error) => void }>()

/** Returns a guest with a shared memory from the page. */
function needShared(name: string): Promise<SharedModule> {
  return new Promise((resolve, reject) => {
    made.set(name, { resolve, reject })
    post({ needShared: name })
  })
}

const late = new Map<string, { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }>()

/** Returns data that a guest needs late, from the page. */
function needLate(name: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    late.set(name, { resolve, reject })
    post({ needLate: name })
  })
}

function poll(): void {
  isScheduled = false
  host.web_poll()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  if (performance.now() - turned < SLICE) queueMicrotask(poll)
  else
    void turns.next().then(() => {
      turned = performance.now()
      poll()
    })
}

/** Copies bytes into the host's memory. */
function place(bytes: Uint8Array): [number, number] {
  const at = host.web_alloc(bytes.length)
  new Uint8Array(host.memory.buffer).set(bytes, at)
  return [at, bytes.length]
}

function receive(message: object, bytes?: Uint8Array): void {
  receiveText(JSON.stringify(message), bytes)
}

/** Replaces halves of surrogate pairs, which JSON writes as escapes: the host has UTF-8 alone, and
    would not understand the message. */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json
  // An escaped backslash is not the beginning of an escape.
  return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (all, half) => (half ? '\ufffd' : all))
}

function receiveText(text: string, bytes?: Uint8Array): void {
  if (bytes) host.web_attach(...place(bytes))
  host.web_receive(...place(encoder.encode(wellFormed(text))))
}

/** Answers of requests that this worker made itself. */
const own = new Map<number, (answer: { result?: any; error?: { message: string }; bytes?: Uint8Array }) => void>()
let lastOwn = 0

function ask(method: string, params: object): Promise<{ result?: any; bytes?: Uint8Array }> {
  return new Promise((resolve, reject) => {
    const id = --lastOwn
    own.set(id, (answer) => (answer.error ? reject(new Error(answer.error.message)) : resolve(answer)))
    receive({ id, method, params })
  })
}

/** Handles a message of the host: some stay here, the rest is the page's. */
function forward(message: FromHost): void {
  if (attached && 'id' in message) message.bytes = attached
  attached = undefined
  if ('kind' in message && message.kind === 'fetch' && !hasFrame) {
    const { inquiry, params } = message
    const over = new AbortController()
    requests.set(inquiry, over)
    const request = params as unknown as Request
    send({ ...request, follow: follow.includes(new URL(request.url).origin) }, over.signal)
      .then(
        (value) => receive({ inquiry, value }),
        (error) => receive({ inquiry, error: String(error) }),
      )
      .finally(() => requests.delete(inquiry))
    return
  }
  if ('kind' in message && message.kind === 'late') {
    const { inquiry } = message
    loadLatePart().then(
      () => receive({ inquiry, value: null }),
      (error) => receive({ inquiry, error: String((error as Error)?.message ?? error) }),
    )
    return
  }
  if ('event' in message && message.event === 'ledger') return keep?.note(message.params as Change)
  if ('inquiryOver' in message) requests.get(message.inquiryOver)?.abort()
  if ('id' in message) {
    const answer = own.get(message.id)
    if (answer) {
      own.delete(message.id)
      return answer(message)
    }
    // A request that may have changed something is answered when the change is kept.
    if (changing.delete(message.id)) {
      if ((message.result as { sandbox?: string })?.sandbox) sandbox = (message.result as { sandbox: string }).sandbox
      post({ saving: message.id })
      void save().then(() => post(message))
      return
    }
  }
  post(message)
}

let sandbox = ''
let saving: Promise<void> | undefined
let isStale = false

/** Writes the files of a kept sandbox; the host is between two calls whenever this runs. */
function save(): Promise<void> {
  if (!keep || !sandbox) return Promise.resolve()
  if (saving) {
    isStale = true
    return saving
  }
  saving = (async () => {
    do {
      isStale = false
      const { bytes } = await ask('export', { sandbox })
      await keep.save(bytes!)
    } while (isStale)
  })()
    .catch((error) => console.error('cofferdam: keep:', error))
    .finally(() => (saving = undefined))
  return saving
}

const web: WebAssembly.ModuleImports = {
  attach(at: number, length: number) {
    attached = new Uint8Array(host.memory.buffer, at, length).slice()
  },
  send(at: number, length: number) {
    const text = decoder.decode(new Uint8Array(host.memory.buffer, at, length))
    // An answer for the page alone is parsed there, and not copied as an object.
    const isPassed = text.startsWith('{"id":') && length <= MAX_PASSED
    if (isPassed && !keep && !attached && own.size === 0) post(text)
    else forward(JSON.parse(text))
  },
  wake: schedule,
  sleep(milliseconds: number) {
    const until = performance.now() + milliseconds
    // A timer that fires too early is set again; one for each call would cost more than that.
    if (timer !== undefined && alarm <= until) return
    clearTimeout(timer)
    alarm = until
    timer = setTimeout(
      () => {
        timer = undefined
        turned = performance.now()
        schedule()
      },
      Math.min(milliseconds, 2 ** 31 - 1),
    )
  },
}

async function open(name: string | undefined, warm: string | undefined): Promise<void> {
  const [module, kept] = await Promise.all([need('host.wasm'), name === undefined ? undefined : Keep.open(name)])
  const given = { cofferdam_web: web, cofferdam_guests: guests.imports(), wasi_snapshot_preview1: wasi(() => host) }
  const instance = await WebAssembly.instantiate(module, complete(module, given))
  first = instance.exports
  host = guarded(first) as unknown as HostExports
  host._initialize?.()
  if (warm) guests.warm(warm)
  if (!kept) return
  await ask('restore', await kept.ledger())
  keep = kept
  setInterval(() => changing.size > 0 && void save(), SAVE_EVERY)
}

/** Exports of the host, for its second part. */
let first: WebAssembly.Exports
let latePart: Promise<unknown> | undefined

/** Loads the part of the host that few pages need; see `late` in the host. It fills in the table and
    the memory of the first part. */
function loadLatePart(): Promise<unknown> {
  latePart ??= need('host-late.wasm').then((module) => WebAssembly.instantiate(module, { first }))
  // A failure is not kept: the network may be back.
  latePart.catch(() => (latePart = undefined))
  return latePart
}

/** Wraps the host's functions: one that traps has failed for good, and the page is told. */
function guarded(exports: WebAssembly.Exports): Record<string, unknown> {
  const guard = (run: Function) => (...args: unknown[]) => {
    try {
      return run(...args)
    } catch (error) {
      post({ failed: String((error as Error)?.message ?? error) })
      throw error
    }
  }
  // The others, with numbers as names, are for the second part alone.
  const own = Object.entries(exports).filter(([name]) => /^(web|guest)_|^(memory|_initialize)$/.test(name))
  const wrapped = own.map(([name, value]) => [name, typeof value === 'function' ? guard(value) : value])
  return Object.fromEntries(wrapped)
}

let opened: Promise<void>
/** True if the host takes messages. */
let isOpen = false

onmessage = async (event: MessageEvent<ToWorker>) => {
  turned = performance.now()
  const message = event.data
  if ('open' in message) {
    hasFrame = guests.hasFrame = message.open.hasFrame
    const { cellScript } = message.open
    follow = message.open.follow
    // The page sends these without being asked.
    for (const name of message.open.coming) if (!modules.has(name)) void awaited(name)
    if (cellScript) guests.bridge(cellScript, needShared)
    opened = open(message.open.keep, message.open.warm)
    opened.then(
      () => post({ ready: { canSuspend: jspi !== undefined || cellScript !== undefined, isBridged: cellScript !== undefined } }),
      (error) => post({ failed: String(error?.message ?? error) }),
    )
    return
  }
  if ('module' in message) {
    if (!modules.has(message.module)) void awaited(message.module)
    const waits = arrived.get(message.module)
    if (message.compiled) waits?.resolve(message.compiled)
    else waits?.reject(new Error(message.error))
    return
  }
  if ('shared' in message) {
    const waits = made.get(message.shared)
    if (message.made) waits?.resolve(message.made)
    else waits?.reject(new Error(message.error))
    return
  }
  if ('late' in message) {
    const waits = late.get(message.late)
    if (message.bytes) waits?.resolve(message.bytes)
    else waits?.reject(new Error(message.error))
    return
  }
  // The page was told of a host that cannot be opened.
  if (!isOpen && !(await opened.then(() => true, () => false))) return
  isOpen = true
  if ('frame' in message) return remote.receive(message)
  if (!('method' in message)) return receive(message)
  const { id, method, bytes } = message
  if (keep && CHANGES.has(method)) changing.add(id)
  const archive = keep && method === 'create' ? await keep.archive() : undefined
  const params = archive ? JSON.stringify({ ...JSON.parse(message.params), archive: { attached: true } }) : message.params
  receiveText(`{"id":${id},"method":"${method}","params":${params}}`, archive ?? bytes)
}
