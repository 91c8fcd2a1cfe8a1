// Checks of the bridge over shared memory; they run in a page that is cross-origin isolated.
import { Sandbox, canShare } from '/web/dist/index.js'
import { checks, equal, fails, figures, median, ms, sleep, timed, within } from './harness.mjs'

const bridged = (options, use) => within({ ...options, pinned: { bridge: true } }, use)

checks['without suspension, tools and the shell run over shared memory'] = () =>
  bridged({ files: { '/data/a': 'A' }, capabilities: ['fs:read:/data/**'] }, async (sandbox) => {
    equal([canShare(), sandbox.waiting], [true, 'bridge'])
    equal((await sandbox.run('console.log("x"); return args.n + 1', { args: { n: 1 } })).result, 2)
    equal((await sandbox.run('return require("fs").readFileSync("/data/a", "utf8")')).result, 'A')
    equal((await sandbox.run('await new Promise((r) => setTimeout(r, 20)); return 5')).result, 5)
    equal((await sandbox.run('const n: number = 5; return n', { language: 'ts' })).result, 5)
    await sandbox.run('var x = 5', { session: 's' })
    equal((await sandbox.run('x + 1', { session: 's' })).result, 6)
    equal((await sandbox.sh('seq 100 | grep 1 | sort -rn | head -1')).stdout, '100\n')
    equal((await sandbox.sh('echo hi > f; cat f; (exit 3)')).exitCode, 3)
    const times = []
    for (let i = 0; i < 10; i++) times.push((await timed(() => sandbox.sh('seq 100 | grep 1 | sort -rn | head -5 | wc -l')))[0])
    figures['pipeline of five processes over the bridge, median of 10'] = ms(median(times))
  })

checks['a question over the bridge holds the guest, not the page'] = async () => {
  const ask = async () => (await sleep(100), { allow: true })
  await bridged({ ask, files: { '/data/a': 'A' } }, async (sandbox) => {
    equal((await sandbox.run('return require("fs").readFileSync("/data/a", "utf8")')).result, 'A')
  })
}

checks['loops over the bridge end'] = () =>
  bridged({}, async (sandbox) => {
    equal((await sandbox.run('for (;;) {}', { limits: { timeoutMs: 150 } })).errorClass, 'TIMEOUT')
    for (const start of [(signal) => sandbox.run('for (;;) {}', { signal }), (signal) => sandbox.sh('while :; do :; done', { signal }), (signal) => sandbox.sh('sleep 100', { signal }), (signal) => sandbox.sh("awk 'BEGIN { while (1) x++ }'", { signal })]) {
      const controller = new AbortController()
      const running = start(controller.signal)
      await sleep(200)
      const [time, outcome] = await timed(() => (controller.abort(), running))
      equal(outcome.errorClass, 'CANCELLED')
      if (time > 500) throw new Error(`took ${ms(time)}`)
    }
    equal((await sandbox.sh('echo on')).stdout, 'on\n')
  })

checks['memory over the bridge is limited'] = () =>
  bridged({ limits: { memoryBytes: 32 * 1024 * 1024 } }, async (sandbox) => {
    const outcome = await sandbox.run('const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))')
    equal([outcome.errorClass, outcome.error.limit], ['LIMIT_EXCEEDED', 'memoryBytes'])
  })

const WORKER = `import { BridgeFiles } from '/web/dist/index.js'
onmessage = (event) => {
  const files = new BridgeFiles(event.data.ends)
  const caught = (use) => { try { use(); return 'no error' } catch (error) { return [error.code, error.message] } }
  const text = (bytes) => new TextDecoder().decode(bytes)
  files.mkdir('d')
  files.writeFile('d/f', new TextEncoder().encode('content'))
  files.chmod('d/f', 0o600)
  const stat = files.stat('d/f')
  files.rename('d/f', 'd/g')
  const listed = files.readdir('d')
  const read = text(files.readFile('d/g'))
  files.unlink('d/g')
  files.rmdir('d')
  const hello = files.fetch(event.data.origin + '/echo', { method: 'POST', body: 'data' })
  const large = new Uint8Array(8 << 20).fill(7)
  files.writeFile('large', large)
  postMessage({
    stat: [stat.type, stat.size, stat.permissions, stat.mtime > 0], listed, read,
    hello: [hello.status, text(hello.body)], large: files.readFile('large').every((byte) => byte === 7),
    missing: caught(() => files.readFile('nothing')), denied: caught(() => files.fetch('https://denied.example/')),
    tooLong: caught(() => files.writeFile('x', new Uint8Array(33 << 20))),
  })
}`

checks['a worker of the page has nine operations on files, and fetch, over the bridge'] = () =>
  within({ capabilities: [`network:fetch:${location.origin}`] }, async (sandbox) => {
    const worker = new Worker(URL.createObjectURL(new Blob([WORKER.replaceAll("'/web/", `'${location.origin}/web/`)], { type: 'text/javascript' })), { type: 'module' })
    const ends = sandbox.bridge()
    const told = new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data)
      worker.onerror = (event) => reject(new Error(event.message))
    })
    worker.postMessage({ ends, origin: location.origin }, [ends.port])
    const found = await told
    worker.terminate()
    equal(found.stat, ['file', 7, 0o600, true])
    equal(found.listed, [{ name: 'g', type: 'file' }])
    equal([found.read, found.hello, found.large], ['content', [200, 'POST data'], true])
    equal(found.missing[0], 'ENOENT', found.missing[1])
    equal(found.denied[0], 'PERMISSION_DENIED', found.denied[1])
    equal(found.tooLong[0], 'E2BIG')
  })

checks['a page without shared memory is told what is missing'] = async () => {
  // The check above shows that this page has it; without it, `bridge` and the shell say what to do.
  const shared = globalThis.SharedArrayBuffer
  try {
    globalThis.SharedArrayBuffer = undefined
    await within({}, async (sandbox) => {
      await fails(Promise.resolve().then(() => sandbox.bridge()), /COOP same-origin and COEP require-corp/)
    })
  } finally {
    globalThis.SharedArrayBuffer = shared
  }
}
