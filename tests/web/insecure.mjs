// Checks of a page without a secure context, which has neither hashes nor random names of the browser.
import { Sandbox } from '/web/dist/index.js'
import { checks, equal, fails, within } from './harness.mjs'
import './driven.mjs'

/** A program that does nothing. */
const PROGRAM = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2, 6, 95, 115, 116, 97, 114, 116, 0, 0, 6, 109, 101, 109, 111, 114, 121, 2, 0, 10, 4, 1, 2, 0, 11])

checks['without a secure context, tools, the shell and programs run'] = () => {
  equal([isSecureContext, crypto.subtle, crypto.randomUUID], [false, undefined, undefined])
  return within({}, async (sandbox) => {
    equal((await sandbox.run('return 6 * 7')).result, 42)
    equal((await sandbox.sh('echo hi | cat')).stdout, 'hi\n')
    for (let i = 0; i < 2; i++) {
      const ran = await sandbox.wasm(PROGRAM)
      equal([ran.exitCode, ran.error], [0, null])
    }
  })
}

checks['without a secure context, a frame has its cells'] = () =>
  within({ boundary: 'iframe' }, async (sandbox) => equal((await sandbox.run('return 6 * 7')).result, 42))

checks['without a secure context, nothing is kept, and the reason is said'] = () => fails(Sandbox.create({ keep: 'insecure' }), /keep: needs a secure context: serve the page over HTTPS/)
