// The frames of a sandbox: one with the cells of its tools, and one for each origin that was granted
// after the policy of the first was written.

import type { FrameCall, Refusal } from './border.js'
import { bytes } from './files.js'
import { Frame } from './frame.js'
import type { FromCells, ToCells } from './remote.js'
import { SandboxError, type SandboxOptions } from './types.js'

/** Milliseconds after which a frame that does not release a cell is removed. */
const BACKSTOP = 1000

const GUEST = 'js-document'

/** Way to leave of a guest whose frame is gone; `Exit` in the host. */
const NOT_LOADED = 5

/** Flags that a configuration may name, and the reason why some are refused. */
const FLAGS: Record<string, string | undefined> = {
  'allow-scripts': undefined,
  'allow-forms': undefined,
  'allow-popups': 'a window that a tool opens could carry data to any address, which no grant covers',
  'allow-modals': "a dialog of a tool could be taken for the page's own, or for the prompt",
}

/** Returns the flags of the frame besides `allow-scripts`, or throws the reason why one is refused. */
export function flagsOf(options: SandboxOptions): string[] {
  const flags = (options.config?.iframeOptions?.sandbox ?? '').split(/\s+/).filter(Boolean)
  for (const flag of flags) {
    const why = FLAGS[flag]
    if (why) throw new SandboxError(`config.iframeOptions.sandbox: ${flag}: ${why}`)
  }
  if (flags.includes('allow-forms') && !options.place) {
    throw new SandboxError('config.iframeOptions.sandbox: allow-forms: nobody can fill in a form of a hidden frame; give a place')
  }
  return flags.filter((flag) => flag === 'allow-forms')
}

export class FrameCells {
  readonly #options: SandboxOptions
  readonly #post: (message: FromCells) => void
  readonly #refuse: (refusal: Refusal) => void
  #policy = ''
  #flags: string[] = []
  #frame: Promise<Frame> | undefined
  #shownPolicy = ''
  /** Frames for requests, by origin. */
  readonly #couriers = new Map<string, Promise<Frame>>()
  /** Cells that compute, with the timer of a release that was asked for. */
  readonly #inside = new Map<number, ReturnType<typeof setTimeout> | undefined>()
  #isClosed = false

  constructor(options: SandboxOptions, post: (message: FromCells) => void, refuse: (refusal: Refusal) => void) {
    this.#options = options
    this.#post = post
    this.#refuse = refuse
    // The guest is needed as bytes: a compiled module cannot be sent to an opaque origin.
    bytes(`${GUEST}.wasm`).catch(() => {})
  }

  /** Policy of the tools' frame. */
  get policy(): string {
    return this.#shownPolicy
  }

  /** Opens the frame with the policy that the host made from the capabilities. */
  async open(policy: string, flags: string[]): Promise<void> {
    this.#policy = policy
    this.#flags = flags
    await this.ready()
  }

  /** Waits for the frame; opens another if it is gone. */
  ready(): Promise<Frame> {
    this.#frame ??= this.#start()
    return this.#frame
  }

  async #start(): Promise<Frame> {
    const settings = { policy: this.#policy, flags: this.#flags, place: this.#options.place, name: this.#options.config?.workerOptions?.name ?? 'cofferdam' }
    const [frame, guest] = await Promise.all([Frame.open(settings, this.#refuse), bytes(`${GUEST}.wasm`)])
    this.#shownPolicy = frame.policy
    frame.onCall = (call) => this.#called(call)
    frame.onGone = () => (this.#frame = undefined)
    if (this.#isClosed) frame.remove()
    await frame.execute('load', { guest: GUEST, bytes: guest })
    return frame
  }

  /** Passes a message of the host to the frame. */
  receive(message: ToCells): void {
    if (message.frame === 'enter') void this.#enter(message)
    else if (message.frame === 'answer') void this.#frame?.then((frame) => frame.answer(message.id, message.result))
    else if (message.frame === 'interrupt') void this.#frame?.then((frame) => frame.notify('interrupt', { cell: message.cell, value: message.value }))
    else this.#release(message.cell)
  }

  async #enter({ cell, guest, message }: Extract<ToCells, { frame: 'enter' }>): Promise<void> {
    this.#inside.set(cell, undefined)
    try {
      const frame = await this.ready()
      const { left, reply } = await frame.execute('enter', { cell, guest, message })
      const isReply = Number.isInteger(left) && reply instanceof Uint8Array
      this.#post({ frame: 'left', cell, left: isReply ? left : NOT_LOADED, reply: isReply ? reply : new Uint8Array() })
    } catch {
      this.#post({ frame: 'left', cell, left: NOT_LOADED, reply: new Uint8Array() })
    } finally {
      clearTimeout(this.#inside.get(cell))
      this.#inside.delete(cell)
    }
  }

  #release(cell: number): void {
    void this.#frame?.then((frame) => {
      frame.notify('release', { cell })
      if (!this.#inside.has(cell)) return
      this.#inside.set(cell, setTimeout(() => frame.remove('the frame ignored the end of a cell'), BACKSTOP))
    })
  }

  #called({ id, method, params }: FrameCall): void {
    // The frame names its cell; the host knows which are its own.
    if (this.#inside.has(params.cell)) this.#post({ frame: 'call', id, method, params })
    else this.#refuse({ reason: 'id', message: `message refused: id: cell ${params.cell} does not compute`, id })
  }

  /** Carries a permitted request: from a frame whose own policy allows it too. */
  async fetch(params: Record<string, any>, over: AbortSignal): Promise<unknown> {
    const origin = new URL(params['url']).origin
    const frame = await (allows(this.#policy, origin) ? this.ready() : this.#courier(origin))
    return frame.fetch({ ...params, follow: this.#options.follow?.includes(origin) ?? false }, over)
  }

  /** Returns a frame for an origin that was granted after the first policy was written. */
  #courier(origin: string): Promise<Frame> {
    let courier = this.#couriers.get(origin)
    if (!courier) {
      courier = Frame.open({ policy: `connect-src ${origin}`, script: "postMessage('up')" }, this.#refuse)
      this.#couriers.set(origin, courier)
      courier.then(
        (frame) => (frame.onGone = () => this.#couriers.delete(origin)),
        () => this.#couriers.delete(origin),
      )
    }
    return courier
  }

  /** Calls the document of the frame. */
  async draw(call: object): Promise<unknown> {
    return (await this.ready()).execute('document', call)
  }

  /** Removes the frames. */
  close(): void {
    this.#isClosed = true
    for (const frame of [this.#frame, ...this.#couriers.values()]) frame?.then((frame) => frame.remove()).catch(() => {})
    for (const timer of this.#inside.values()) clearTimeout(timer)
  }
}

/** Returns true if a policy allows connections to exactly this origin. */
function allows(policy: string, origin: string): boolean {
  const sources = /(?:^|;)\s*connect-src\s+([^;]*)/.exec(policy)?.[1]?.split(/\s+/) ?? []
  return sources.includes(origin) || sources.includes(new URL(origin).protocol)
}
