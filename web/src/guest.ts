// One guest: what the places that instantiate guests share. These are the worker of the host, the
// worker in a frame, and the worker of a single cell behind the shared-memory bridge.

/** Milliseconds that a guest computes before the event loop turns. */
export const SLICE = 4

/** Milliseconds after which a guest that was asked to stop is looked at again. */
export const GRACE = 1.6

/** Longest message that fits the inbox of a guest; `INBOX_LEN` of the host. */
const INBOX = 4096

/** Ways to leave, in the order of `Exit` in the host. */
export const enum Left {
  Returned,
  Abort,
  Memory,
  Arithmetic,
  Stack,
  NotLoaded,
  NoRoom,
}

/** Thrown through a guest that has to leave the stack. */
export class Gone {}

/** Thrown by `proc_exit`. */
export class Exit {
  constructor(readonly code: number) {}
}

export class NotLoaded extends Error {}

interface Jspi {
  Suspending: new (run: (...args: never[]) => unknown) => WebAssembly.ImportValue
  promising(run: WebAssembly.ExportValue): (...args: unknown[]) => Promise<unknown>
}

/** JavaScript Promise Integration, if the browser has it. */
export const jspi = 'Suspending' in WebAssembly ? (WebAssembly as unknown as Jspi) : undefined

/** Returns an export that may suspend, or that returns at once where nothing can. */
export function promising(run: WebAssembly.ExportValue): (...args: unknown[]) => Promise<unknown> {
  if (jspi) return jspi.promising(run)
  return async (...args) => (run as (...args: unknown[]) => unknown)(...args)
}

/** Returns an import that may wait: a suspending one, or a plain one where nothing can suspend. */
export function suspending(run: (...args: number[]) => unknown): WebAssembly.ImportValue {
  return jspi ? new jspi.Suspending(run as (...args: never[]) => unknown) : run
}

/** Returns the file of a guest. The short file of JavaScript waits for data that it needs late. */
export function fileOf(guest: string, canSuspend: boolean): string {
  return guest === 'js' && !canSuspend ? 'js-node.wasm' : `${guest}.wasm`
}

/** Waits until the event loop has turned, without the delay of a timer. */
export class Turns {
  readonly #channel = new MessageChannel()
  readonly #waiting: (() => void)[] = []

  constructor() {
    this.#channel.port1.onmessage = () => this.#waiting.shift()?.()
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#channel.port2.postMessage(null)
    })
  }
}

/** Entry points, made once for each instance. */
const entries = new WeakMap<WebAssembly.Instance, (...args: unknown[]) => Promise<unknown>>()

/** Passes a message to a tool's guest and returns the place of its reply: address and length. */
export async function enter(instance: WebAssembly.Instance, message: Uint8Array): Promise<[number, number] | Left> {
  const { exports } = instance
  let at: number
  if (message.length <= INBOX) at = (exports['cofferdam_inbox'] as WebAssembly.Global).value
  else at = Number(await promising(exports['cofferdam_reserve']!)(message.length)) >>> 0
  if (at === 0) return Left.NoRoom
  new Uint8Array((exports['memory'] as WebAssembly.Memory).buffer).set(message, at)
  let entry = entries.get(instance)
  if (!entry) entries.set(instance, (entry = promising(exports['cofferdam_enter']!)))
  const reply = BigInt.asUintN(64, (await entry(at, message.length)) as bigint)
  return [Number(reply >> 32n), Number(reply & 0xffffffffn)]
}

/** Sets the flag that asks a tool's guest to stop. */
export function interrupt(instance: WebAssembly.Instance | undefined, value: number): void {
  const flag = instance?.exports['cofferdam_interrupt']
  const memory = instance?.exports['memory']
  if (!(flag instanceof WebAssembly.Global) || !(memory instanceof WebAssembly.Memory)) return
  if (flag.value + 4 <= memory.buffer.byteLength) new DataView(memory.buffer).setUint32(flag.value, value, true)
}

/** Returns the way a guest left by the error that ended it. */
export function departure(error: unknown): [Left, number, number] {
  if (error instanceof Exit) return [Left.Returned, error.code, 0]
  // The host knows the reason.
  if (error instanceof Gone) return [Left.Returned, 0, 0]
  if (error instanceof NotLoaded) return [Left.NotLoaded, 0, 0]
  const text = String((error as Error)?.message)
  // Chromium throws a RangeError, Firefox an InternalError.
  if (/call stack|recursion/i.test(text)) return [Left.Stack, 0, 0]
  if (/divi|integer overflow|unrepresentable|conversion/i.test(text)) return [Left.Arithmetic, 0, 0]
  if (/unreachable/i.test(text)) return [Left.Abort, 0, 0]
  return [Left.Memory, 0, 0]
}
