// The functions of a page that the driver calls.
import { checks, figures, keys } from './harness.mjs'
import { runCase } from './run-case.mjs'

async function runCheck(title) {
  try {
    await checks[title]()
    return ''
  } catch (error) {
    return `${error.message}\n${error.stack?.split('\n').slice(0, 3).join('\n')}`
  }
}

Object.assign(globalThis, { checks, runCheck, runCase, figures, keysOf: (title) => keys[title] })
