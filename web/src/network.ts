// Requests of tools by the browser's `fetch`: without credentials, without caches, and without
// redirects, whose targets a browser hides.

/** A permitted request. */
export interface Request {
  method: string
  url: string
  headers: [string, string][]
  /** Base64. */
  body: string
  timeMs: number
  /** True if redirects are followed, to targets that nobody can check. */
  follow?: boolean
  /** Longest body of the response, in bytes. */
  most: number
}

export interface Response {
  status: number
  statusText: string
  headers: [string, string][]
  body: string
}

/** Headers that are the browser's; some make it ask the server for permission first. */
const OWN = new Set(['user-agent', 'accept-encoding', 'connection', 'host'])

/** Sends one request. Throws a text for the tool. */
export async function send(request: Request, over: AbortSignal): Promise<Response> {
  const late = AbortSignal.timeout(Math.max(1, Math.min(request.timeMs, 2 ** 31 - 1)))
  let response
  try {
    response = await fetch(request.url, {
      method: request.method,
      headers: request.headers.filter(([name]) => !OWN.has(name.toLowerCase())),
      body: request.body === '' ? null : decode(request.body),
      credentials: 'omit',
      cache: 'no-store',
      redirect: request.follow ? 'follow' : 'manual',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([over, late]),
    })
  } catch (error) {
    if (late.aborted) throw 'took longer than its time limit'
    // The browser tells no reason: the name, the connection or the server's CORS policy.
    throw `cannot be reached from this page (${(error as Error).message})`
  }
  if (response.type === 'opaqueredirect') throw 'redirects, and a browser hides the target'
  const body = await read(response, request.most)
  const { status, statusText } = response
  return { status, statusText, headers: [...response.headers], body: encode(body) }
}

async function read(response: globalThis.Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) break
    length += chunk.value.length
    if (length > most) {
      await reader?.cancel()
      throw `sends more than ${most} bytes`
    }
    chunks.push(chunk.value)
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** Decodes Base64. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

/** Encodes Base64. */
export function encode(bytes: Uint8Array): string {
  let text = ''
  // Pieces, because arguments of a call are on the stack.
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768))
  return btoa(text)
}
