// The synchronous bridge: a worker that blocks makes calls over a shared buffer, and the other side
// answers them from its event loop. It needs a page that is cross-origin isolated.
//
// The buffer has 32 MiB. Three words are its header: the status, the length of the metadata (JSON)
// and the length of the bytes behind it. Errors are `{code, message}`.

/** Length of the buffer. */
export const BUFFER_BYTES = 32 * 1024 * 1024

const HEADER = 12

/** Values of the first word. */
export const Status = { Idle: 0, Request: 1, Response: 2, Error: 3 } as const

/** Message that tells the other side to look at the buffer. */
export const NUDGE = 'proxy-request'

/** An error of the other side. */
export class BridgeError extends Error {
  override name = 'BridgeError'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** One message in the buffer. */
interface Message {
  data: any
  bytes: Uint8Array
}

/** Returns true if workers can share memory with this page. */
export const canShare = (): boolean => typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated === true

class Ends {
  protected readonly words: Int32Array
  readonly #all: Uint8Array

  constructor(readonly buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer, 0, 3)
    this.#all = new Uint8Array(buffer)
  }

  protected write(status: number, data: unknown, bytes: Uint8Array = new Uint8Array()): void {
    const text = new TextEncoder().encode(JSON.stringify(data))
    if (HEADER + text.length + bytes.length > this.#all.length) {
      throw new BridgeError('E2BIG', `${bytes.length} bytes: more than the buffer of the bridge holds`)
    }
    this.#all.set(text, HEADER)
    this.#all.set(bytes, HEADER + text.length)
    this.words[1] = text.length
    this.words[2] = bytes.length
    Atomics.store(this.words, 0, status)
  }

  protected read(): Message {
    const [, length = 0, count = 0] = this.words
    // A copy, because text of shared memory cannot be decoded in place.
    const text = this.#all.slice(HEADER, HEADER + length)
    return { data: JSON.parse(new TextDecoder().decode(text)), bytes: this.#all.slice(HEADER + length, HEADER + length + count) }
  }
}

/** The side that calls and blocks, in a worker. */
export class BridgeCaller extends Ends {
  readonly #nudge: () => void

  constructor(buffer: SharedArrayBuffer, nudge: () => void) {
    super(buffer)
    this.#nudge = nudge
  }

  /** Makes a call and blocks until it is answered. */
  call(op: string, params: object = {}, bytes?: Uint8Array): Message {
    this.write(Status.Request, { op, ...params }, bytes)
    this.#nudge()
    // Looks again after each wake-up: the other side stores its answer and then notifies, and a caller
    // that saw the answer in between may wait for the next one already.
    while (Atomics.load(this.words, 0) === Status.Request) Atomics.wait(this.words, 0, Status.Request)
    const status = Atomics.load(this.words, 0)
    const answer = this.read()
    Atomics.store(this.words, 0, Status.Idle)
    if (status === Status.Error) throw new BridgeError(String(answer.data?.code), String(answer.data?.message))
    return answer
  }
}

/** The side that answers. */
export class BridgeServer extends Ends {
  /** Returns the call that waits for an answer, if there is one. */
  take(): Message | undefined {
    return Atomics.load(this.words, 0) === Status.Request ? this.read() : undefined
  }

  answer(data: unknown, bytes?: Uint8Array): void {
    this.write(Status.Response, data, bytes)
    Atomics.notify(this.words, 0)
  }

  refuse(code: string, message: string): void {
    this.write(Status.Error, { code, message })
    Atomics.notify(this.words, 0)
  }
}

/** Files and requests of a sandbox for a worker of the page, which blocks during each call. */
export class BridgeFiles {
  readonly #caller: BridgeCaller

  /** Takes the two ends that `Sandbox.bridge` returned. */
  constructor({ buffer, port }: { buffer: SharedArrayBuffer; port: MessagePort }) {
    this.#caller = new BridgeCaller(buffer, () => port.postMessage(NUDGE))
  }

  readFile(path: string): Uint8Array {
    return this.#caller.call('readFile', { path }).bytes
  }

  writeFile(path: string, content: Uint8Array): void {
    this.#caller.call('writeFile', { path }, content)
  }

  stat(path: string): { type: string; size: number; permissions: number; mtime: number; ctime: number; atime: number } {
    return this.#caller.call('stat', { path }).data
  }

  readdir(path: string): { name: string; type: string }[] {
    return this.#caller.call('readdir', { path }).data.entries
  }

  mkdir(path: string): void {
    this.#caller.call('mkdir', { path })
  }

  unlink(path: string): void {
    this.#caller.call('unlink', { path })
  }

  rmdir(path: string): void {
    this.#caller.call('rmdir', { path })
  }

  rename(oldPath: string, newPath: string): void {
    this.#caller.call('rename', { oldPath, newPath })
  }

  chmod(path: string, mode: number): void {
    this.#caller.call('chmod', { path, mode })
  }

  /** Sends a request with the grants of the sandbox. */
  fetch(url: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}): { status: number; headers: Record<string, string>; body: Uint8Array } {
    const { data, bytes } = this.#caller.call('fetch', { url, ...init })
    return { status: data.status, headers: data.headers, body: bytes }
  }
}
