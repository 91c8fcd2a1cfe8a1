// The list of checks, and what they are written with. A check that returns has passed.
import { Sandbox } from '/web/dist/index.js'

export const figures = {}
export const checks = {}
/** Keys that answer the prompt of a check. */
export const keys = {}

export function equal(actual, expected, what = '') {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what} expected ${b}, got ${a}`)
}

/** Fails unless the promise is rejected with a message that matches. */
export async function fails(promise, pattern) {
  const message = await promise.then(
    () => undefined,
    (error) => String(error?.message ?? error),
  )
  if (message === undefined) throw new Error(`no error; expected ${pattern}`)
  if (!pattern.test(message)) throw new Error(`expected ${pattern}, got ${message}`)
}

export async function within(options, use) {
  const sandbox = await Sandbox.create(options)
  try {
    return await use(sandbox)
  } finally {
    sandbox.destroy()
  }
}

/** Runs `use` while `fetch` of this page is another function, which receives the real one. */
export async function withFetch(other, use) {
  const real = globalThis.fetch
  globalThis.fetch = (...args) => other(real, ...args)
  try {
    return await use()
  } finally {
    globalThis.fetch = real
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
export const ms = (number) => `${number.toFixed(2)} ms`

export async function timed(use) {
  const began = performance.now()
  const value = await use()
  return [performance.now() - began, value]
}

export async function hash(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
