// The document of a frame: starts the worker of the cells and passes messages. It carries permitted
// requests, which the frame's policy checks once more, and holds the frame's own document if a tool
// may draw there.

import { type Call, LiveDocument } from '../document.js'
import { type Request, send } from '../network.js'
import type { ToFrame } from '../border.js'

/** Source of `worker.ts`, or of a probe in tests. */
declare const COFFERDAM_INSIDE_WORKER: string

interface Settings {
  /** Id of the message that says that the frame is ready. */
  id: string
  /** Origin of the page. */
  origin: string
  name: string
  /** Source of the worker, in place of the usual one. */
  script?: string
}

const block = document.querySelector('script[type="application/json"]')!
const settings: Settings = JSON.parse(block.textContent!)
document.querySelectorAll('script').forEach((script) => script.remove())

const post = (message: unknown): void => parent.postMessage(message, settings.origin)
const drawn = new LiveDocument(document, { isFrame: true })
const requests = new Map<string, AbortController>()

// A link would take the frame elsewhere, with whatever its address says.
document.addEventListener('click', (event) => {
  if (event.composedPath().some((node) => node instanceof Element && node.matches('a[href], area[href]'))) event.preventDefault()
}, true)

const source = new Blob([settings.script ?? COFFERDAM_INSIDE_WORKER], { type: 'text/javascript' })
const worker = new Worker(URL.createObjectURL(source), { name: settings.name })
worker.onmessage = (event) => post(event.data === 'up' ? { id: settings.id, type: 'ready' } : event.data)
worker.onerror = (event) => post({ id: settings.id, type: 'error', error: { code: 'WORKER', message: event.message ?? 'its worker cannot be started' } })

/** Carries out what needs no cell. */
async function execute(id: string, method: string, params: unknown): Promise<unknown> {
  if (method === 'document') return drawn.answer(params as Call) ?? null
  const over = new AbortController()
  requests.set(id, over)
  try {
    return await send(params as Request, over.signal)
  } finally {
    requests.delete(id)
  }
}

addEventListener('message', (event: MessageEvent<ToFrame>) => {
  // An opaque page has no origin to compare.
  if (event.source !== parent || (settings.origin !== '*' && event.origin !== settings.origin)) return
  const message = event.data
  if (message.type === 'execute' && (message.method === 'fetch' || message.method === 'document')) {
    const { id, method, params } = message
    execute(id, method, params).then(
      (result) => post({ id, type: 'result', result }),
      (error) => post({ id, type: 'error', error: { code: 'FAILED', message: String(error?.message ?? error) } }),
    )
  } else if (message.type === 'notify' && message.method === 'over') requests.get(message.params.id)?.abort()
  else worker.postMessage(message)
})
