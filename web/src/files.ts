// The files of the package that are fetched on first use, each with its hash.

import { type SharedModule, compileShared } from './shared-memory.js'

/** Hashes of the files; the build writes them. */
declare const COFFERDAM_HASHES: Record<string, string>

const HOST = 'host.wasm'

// Each address is written out, because bundlers look for this form.
const PLACES: Record<string, () => URL> = {
  'host.wasm': () => new URL('./wasm/host.wasm', import.meta.url),
  'host-late.wasm': () => new URL('./wasm/host-late.wasm', import.meta.url),
  'js.wasm': () => new URL('./wasm/js.wasm', import.meta.url),
  'js.late': () => new URL('./wasm/js.late', import.meta.url),
  'js-node.wasm': () => new URL('./wasm/js-node.wasm', import.meta.url),
  'js-document.wasm': () => new URL('./wasm/js-document.wasm', import.meta.url),
  'ts.wasm': () => new URL('./wasm/ts.wasm', import.meta.url),
  'sh.wasm': () => new URL('./wasm/sh.wasm', import.meta.url),
  'basics.wasm': () => new URL('./wasm/basics.wasm', import.meta.url),
  'commands.wasm': () => new URL('./wasm/commands.wasm', import.meta.url),
  'git.wasm': () => new URL('./wasm/git.wasm', import.meta.url),
  'pacer.wasm': () => new URL('./wasm/pacer.wasm', import.meta.url),
}

const compiled = new Map<string, Promise<WebAssembly.Module>>()
const shared = new Map<string, Promise<SharedModule>>()
const fetched = new Map<string, Promise<ArrayBuffer>>()

/** Returns a module of this package. It is fetched and compiled once for all sandboxes of a page. */
export function load(name: string): Promise<WebAssembly.Module> {
  return once(compiled, name, compile)
}

/** Returns a module of this package with a shared memory, which is compiled once as well. */
export function loadShared(name: string): Promise<SharedModule> {
  return once(shared, name, async (name) => compileShared(new Uint8Array(await getChecked(name))))
}

/** Returns the bytes of a module, for places that a compiled module cannot be sent to. */
export function bytes(name: string): Promise<ArrayBuffer> {
  return once(fetched, name, getChecked)
}

function once<T>(kept: Map<string, Promise<T>>, name: string, make: (name: string) => Promise<T>): Promise<T> {
  const begin = () => {
    const made = make(name)
    kept.set(name, made)
    // A failure is not kept: the network may be back for the next attempt.
    made.catch(() => kept.delete(name))
    return made
  }
  // A request that began before this one may fail for a reason that is gone.
  return kept.get(name)?.catch(() => kept.get(name) ?? begin()) ?? begin()
}

async function get(name: string, options: RequestInit = {}): Promise<Response> {
  const place = PLACES[name]
  if (!place || !COFFERDAM_HASHES[name]) throw new Error(`${name}: not part of this package`)
  const response = await fetch(place(), refused.has(name) ? { ...options, cache: 'reload' } : options)
  if (!response.ok) throw new Error(`${name}: status ${response.status}`)
  return response
}

/** Fetches a file whole; the browser checks its hash. */
async function getChecked(name: string): Promise<ArrayBuffer> {
  return (await get(name, { integrity: COFFERDAM_HASHES[name] ?? '' })).arrayBuffer()
}

/** Files whose hash differed, perhaps because a cache has them from an earlier version. */
const refused = new Set<string>()

/** Arrival of the host's bytes. */
let host: Promise<unknown> = Promise.resolve()

/** Fetches a file whole. Requests are sent at once, but the host is read before the others: it has
    work to do until a guest is there. */
function receive(name: string): Promise<ArrayBuffer> {
  const arriving = get(name).then(async (response) => {
    if (name !== HOST) await host
    return response.arrayBuffer()
  })
  if (name === HOST) host = arriving.catch(() => {})
  return arriving
}

/** Fetches a module, compiles it, and checks its hash meanwhile. */
async function compile(name: string): Promise<WebAssembly.Module> {
  // Pages without a secure context have no hashes of their own.
  if (!globalThis.crypto?.subtle) return WebAssembly.compile(await getChecked(name))
  const bytes = await receive(name)
  const hashing = crypto.subtle.digest('SHA-256', bytes)
  const compiling = WebAssembly.compile(bytes)
  // The hash is judged first: bytes of another file may not compile.
  const [digest] = await Promise.all([hashing, compiling.catch(() => {})])
  if (`sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}` !== COFFERDAM_HASHES[name]) {
    refused.add(name)
    throw new Error(`${name}: its hash differs: not the file of this package`)
  }
  refused.delete(name)
  return compiling
}
