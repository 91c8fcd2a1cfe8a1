// Checks of a browser where nothing lets a guest wait: tools run, the rest says what is missing.
import { checks, equal, fails, within } from './harness.mjs'

checks['without suspension and shared memory, tools run'] = () =>
  within({ files: { '/data/a': 'A' }, capabilities: ['fs:read:/data/**', 'dom:read:#cart'], document }, async (sandbox) => {
    equal(sandbox.waiting, 'none')
    equal((await sandbox.run('console.log("x"); return args.n + 1', { args: { n: 1 } })).result, 2)
    equal((await sandbox.run('return require("fs").readFileSync("/data/a", "utf8")')).result, 'A')
    equal((await sandbox.run('await new Promise((r) => setTimeout(r, 20)); return 5')).result, 5)
    equal((await sandbox.run('return await btcp.dom.getTextContent("#cart")')).result, 'bread')
    equal((await sandbox.run('const n: number = 5; return n', { language: 'ts' })).result, 5)
    await sandbox.run('var x = 5', { session: 's' })
    equal((await sandbox.run('x + 1', { session: 's' })).result, 6)
    equal((await sandbox.run('return await require("fs").promises.readFile("/etc/passwd")')).errorClass, 'CAPABILITY_DENIED')
  })

checks['without suspension and shared memory, a question is answered'] = async () => {
  const ask = async () => ({ allow: true })
  await within({ ask, files: { '/data/a': 'A' } }, async (sandbox) => {
    equal((await sandbox.run('return await require("fs").promises.readFile("/data/a", "utf8")')).result, 'A')
  })
}

checks['without suspension and shared memory, a loop ends at its deadline'] = () =>
  within({}, async (sandbox) => {
    equal((await sandbox.run('for (;;) {}', { limits: { timeoutMs: 200 } })).errorClass, 'TIMEOUT')
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['without suspension and shared memory, programs and frames say what is missing'] = async () => {
  const missing = /JavaScript Promise Integration/
  await within({}, async (sandbox) => {
    await fails(sandbox.sh('echo hi'), missing)
    await fails(sandbox.wasm(new Uint8Array()), missing)
    await fails(Promise.resolve().then(() => sandbox.bridge()), /COOP same-origin and COEP require-corp/)
  })
  await fails(within({ boundary: 'iframe' }, () => {}), missing)
}
