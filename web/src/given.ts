// Checks of what a page gives that the host cannot see: by then, a function or bytes of another kind
// would be an empty file, or a value that is missing.

import { SandboxError, type SandboxOptions } from './types.js'

/** Returns bytes of any kind as the host takes them. `name` is that of the parameter, for an error. */
export function bytesOf(name: string, given: unknown, wanted = 'not bytes'): Uint8Array {
  if (given instanceof Uint8Array) return given
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  // Buffers of another frame have a constructor of their own.
  const kind = Object.prototype.toString.call(given)
  if (kind === '[object ArrayBuffer]' || kind === '[object SharedArrayBuffer]') return new Uint8Array(given as ArrayBuffer)
  throw new SandboxError(`${name}: ${wanted}`)
}

/** Returns content of a file as bytes. */
export function contentOf(name: string, given: unknown): Uint8Array {
  return typeof given === 'string' ? new TextEncoder().encode(given) : bytesOf(name, given, 'neither text nor bytes')
}

/** Returns the absolute path; paths are relative to the home folder. */
export function absolute(path: string): string {
  if (typeof path !== 'string') throw new SandboxError('path: not a string')
  return path.startsWith('/') ? path : `/home/user/${path}`
}

/** Throws if a callback is no function. */
export function checkFunction(name: string, given: unknown): void {
  if (typeof given !== 'function') throw new SandboxError(`${name}: not a function`)
}

/** Throws if one of the values is not among those that are known. */
export function checkOneOf(name: string, given: unknown, known: string[]): void {
  if (given !== undefined && !known.includes(given as string)) {
    throw new SandboxError(`${name}: unknown ${JSON.stringify(given)}; must be ${known.map((one) => `"${one}"`).join(' or ')}`)
  }
}

/** Checks the options of a sandbox that the page itself uses. */
export function checkOptions({ ask, follow, first, functions, keep }: SandboxOptions): void {
  if (typeof ask !== 'boolean' && ask != null) checkFunction('ask', ask)
  // A text would allow every origin that is a part of it.
  if (follow != null && !Array.isArray(follow)) throw new SandboxError('follow: not an array')
  checkOneOf('first', first, ['javascript', 'shell'])
  for (const [name, lent] of Object.entries(functions ?? {})) {
    checkFunction(`functions.${name}`, typeof lent === 'function' ? lent : lent?.call)
  }
  if (keep != null && typeof keep !== 'string') throw new SandboxError('keep: not a string')
}
