// Frames with an opaque origin: the boundary `iframe`, seen from the page.
//
// A frame runs our scripts and nothing else: its policy allows the hash of one script, workers from
// memory, and connections to granted origins. The frame of the tools has their cells in a worker;
// the host with the broker stays outside.

import { Border, type FrameCall, type FromFrame, type Refusal, type ToFrame } from './border.js'

/** Source of `inside/frame.ts` and its hash; the build writes them. */
declare const COFFERDAM_INSIDE_FRAME: string
declare const COFFERDAM_INSIDE_HASH: string

/** Milliseconds that a frame has to start. */
const START = 10_000

export interface FrameOptions {
  /** Content security policy of connections, and further directives of the caller. */
  policy?: string
  /** Name of the worker. */
  name?: string
  /** Place where the frame is shown; hidden if absent. */
  place?: Element | undefined
  /** Flags besides `allow-scripts`. */
  flags?: string[]
  /** Source of the worker, in place of the usual one; for tests of the walls. */
  script?: string
}

/** Directives that the frame cannot do without, in place of the caller's. */
const OWN = new Set(['script-src', 'worker-src', 'child-src', 'base-uri', 'sandbox', 'frame-src', 'object-src'])

/** Returns the whole policy of a frame. The caller's directives narrow it, and never open scripts. */
export function policyOf(given: string, options: { isShown: boolean; hasForms: boolean }): string {
  const directives = new Map(
    given.split(';').flatMap((text): [string, string][] => {
      const [name, ...sources] = text.trim().split(/\s+/)
      return name ? [[name.toLowerCase(), sources.join(' ')]] : []
    }),
  )
  const policy = new Map([
    ['default-src', "'none'"],
    ['script-src', `'${COFFERDAM_INSIDE_HASH}' 'wasm-unsafe-eval'`],
    ['worker-src', 'blob:'],
    ['base-uri', "'none'"],
    // Data that a form sends goes where a request may go.
    ['form-action', options.hasForms ? (directives.get('connect-src') ?? "'none'") : "'none'"],
  ])
  if (options.isShown) policy.set('style-src', "'unsafe-inline'").set('img-src', 'data:')
  for (const [name, sources] of directives) if (!OWN.has(name)) policy.set(name, sources)
  return [...policy].map(([name, sources]) => `${name} ${sources}`).join('; ')
}

interface Waiting {
  resolve: (value: any) => void
  reject: (error: Error) => void
}

export class Frame {
  /** Policy of the frame. */
  readonly policy: string
  readonly element: HTMLIFrameElement
  /** Receives the calls of guests. */
  onCall: (call: FrameCall) => void = () => {}
  /** Called when the frame has gone, by `remove` or by itself. */
  onGone: (why: string) => void = () => {}
  readonly #border: Border
  readonly #waiting = new Map<string, Waiting>()
  readonly #listen = (event: MessageEvent) => this.#receive(event)
  #isGone = false

  private constructor(options: FrameOptions, refuse: (refusal: Refusal) => void) {
    this.policy = policyOf(options.policy ?? '', {
      isShown: options.place !== undefined,
      hasForms: options.flags?.includes('allow-forms') ?? false,
    })
    this.element = document.createElement('iframe')
    this.element.setAttribute('sandbox', ['allow-scripts', ...(options.flags ?? [])].join(' '))
    this.element.referrerPolicy = 'no-referrer'
    this.element.title = 'Cofferdam'
    if (!options.place) {
      this.element.hidden = true
      this.element.style.display = 'none'
    }
    this.#border = new Border(() => (this.#isGone ? undefined : this.element.contentWindow), refuse)
  }

  /** Opens a frame, and waits until its worker runs. Refused messages go to `refuse`. */
  static async open(options: FrameOptions, refuse: (refusal: Refusal) => void = () => {}): Promise<Frame> {
    const frame = new Frame(options, refuse)
    const id = frame.#border.open()
    const origin = location.origin === 'null' ? '*' : location.origin
    const settings = JSON.stringify({ id, origin, name: options.name ?? 'cofferdam', script: options.script })
    frame.element.srcdoc =
      `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${frame.policy.replaceAll('"', '&quot;')}">` +
      `<body><script type="application/json">${settings.replaceAll('<', '\\u003c')}</script>` +
      `<script>${COFFERDAM_INSIDE_FRAME}</script>`
    const ready = frame.#wait(id)
    addEventListener('message', frame.#listen)
    ;(options.place ?? document.documentElement).appendChild(frame.element)
    const timer = setTimeout(() => frame.remove('the frame did not start'), START)
    try {
      await ready
    } catch (error) {
      frame.remove()
      throw error
    } finally {
      clearTimeout(timer)
    }
    let loads = 0
    // The first event is that of the document we gave it, if it comes after the message.
    frame.element.addEventListener('load', () => {
      if (++loads > 1) frame.remove('the frame went elsewhere')
    })
    return frame
  }

  /** Has something done in the frame. */
  execute(method: string, params: object, transfer: Transferable[] = []): Promise<any> {
    if (this.#isGone) return Promise.reject(new Error('the frame is gone'))
    const id = this.#border.open()
    this.#post({ id, type: 'execute', method, params }, transfer)
    return this.#wait(id)
  }

  /** Carries a permitted request. */
  async fetch(params: object, over: AbortSignal): Promise<unknown> {
    if (this.#isGone) throw new Error('the frame is gone')
    const id = this.#border.open()
    const stop = () => this.notify('over', { id })
    over.addEventListener('abort', stop)
    this.#post({ id, type: 'execute', method: 'fetch', params })
    try {
      return await this.#wait(id)
    } finally {
      over.removeEventListener('abort', stop)
    }
  }

  answer(id: string, result: unknown): void {
    this.#post({ id, type: 'answer', result })
  }

  notify(method: string, params: object): void {
    this.#post({ id: '-', type: 'notify', method, params })
  }

  /** Removes the frame with everything in it. */
  remove(why = 'the frame was removed'): void {
    if (this.#isGone) return
    this.#isGone = true
    removeEventListener('message', this.#listen)
    this.element.remove()
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(why))
    this.#waiting.clear()
    this.onGone(why)
  }

  #wait(id: string): Promise<any> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #post(message: ToFrame, transfer: Transferable[] = []): void {
    // An opaque origin cannot be named. A frame that went elsewhere is removed.
    if (!this.#isGone) this.element.contentWindow?.postMessage(message, '*', transfer)
  }

  #receive(event: MessageEvent): void {
    const message: FromFrame | undefined = this.#border.check(event)
    if (!message) return
    if (message.type === 'call') return this.onCall(message)
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'error') waiting?.reject(new Error(message.error.message))
    else waiting?.resolve(message.type === 'result' ? message.result : undefined)
  }
}
