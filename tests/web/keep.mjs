// Checks of what a kept sandbox leaves in the browser.
import { Sandbox, forget } from '/web/dist/index.js'
import { checks, equal, fails, figures, hash, ms, sleep, timed, within } from './harness.mjs'

checks['a kept sandbox has the same files, grants, requests and log after it is opened again'] = async () => {
  await forget('kept')
  const read = 'return await require("fs").promises.readFile("/data/a", "utf8")'
  const before = await within({ keep: 'kept' }, async (sandbox) => {
    await sandbox.sh('mkdir -p d && seq 1000 > d/f && ln -s f d/l && chmod 640 d/f')
    await sandbox.writeFile('/data/a', 'A')
    await sandbox.grant('env:read:HOME', 'always')
    const denied = await sandbox.run(read, { name: 'reader' })
    return { hash: await hash(await sandbox.export()), request: denied.error.requestId, lines: (await sandbox.audit()).length }
  })
  await within({ keep: 'kept' }, async (sandbox) => {
    equal(await hash(await sandbox.export()), before.hash, 'archive:')
    equal((await sandbox.grants()).map((grant) => grant.capability), ['env:read:HOME'])
    equal((await sandbox.requests()).map((request) => request.id), [before.request])
    const lines = await sandbox.audit()
    equal([lines.length >= before.lines, lines.some((line) => line.id === before.request)], [true, true])
    // The request of the last page can be granted in this one.
    await sandbox.grant({ request: before.request })
    equal((await sandbox.run(read, { name: 'reader' })).result, 'A')
  })
  await forget('kept')
  await within({ keep: 'kept' }, async (sandbox) => equal([await sandbox.grants(), (await sandbox.sh('ls d')).exitCode !== 0], [[], true]))
  await forget('kept')
}

checks['a name is open in one sandbox at a time'] = async () => {
  await within({ keep: 'one' }, async () => {
    await fails(Sandbox.create({ keep: 'one' }), /another sandbox/)
  })
  await fails(Sandbox.create({ keep: 'a/b' }), /keep: "a\/b"/)
  await forget('one')
}

checks['a name that is open cannot be forgotten'] = async () => {
  await within({ keep: 'held' }, async (sandbox) => {
    await sandbox.writeFile('f', 'x')
    await fails(forget('held'), /forget: a sandbox, perhaps in another tab, has "held" open/)
    await sandbox.writeFile('g', 'y')
  })
  await within({ keep: 'held' }, async (sandbox) => equal((await sandbox.list('.')).map((file) => file.name), ['f', 'g']))
  await forget('held')
  await within({ keep: 'held' }, async (sandbox) => equal(await sandbox.list('.'), []))
  await forget('held')
}

checks['files that a worker still holds are waited for'] = async () => {
  if (!(await navigator.storage?.getDirectory?.().catch(() => undefined))) return
  await within({ keep: 'clung' }, (sandbox) => sandbox.writeFile('f', 'x'))
  const code = `(async () => {
    const root = await navigator.storage.getDirectory()
    const folder = await (await root.getDirectoryHandle('cofferdam')).getDirectoryHandle('clung')
    const file = await folder.getFileHandle('archive0')
    let handle
    while (!handle) handle = await file.createSyncAccessHandle().catch(() => undefined)
    onmessage = () => setTimeout(() => handle.close(), 100)
    postMessage('held')
  })()`
  const hold = async () => {
    const worker = new Worker(URL.createObjectURL(new Blob([code])))
    await new Promise((go) => (worker.onmessage = go))
    return worker
  }
  const first = await hold()
  first.postMessage('release')
  await within({ keep: 'clung' }, async (sandbox) => equal((await sandbox.list('.')).map((file) => file.name), ['f']))
  first.terminate()
  const second = await hold()
  second.terminate()
  await forget('clung')
  await within({ keep: 'clung' }, async (sandbox) => equal(await sandbox.list('.'), []))
  await forget('clung')
}

checks['a kill in the middle of a write leaves whole calls'] = async () => {
  await forget('killed')
  const controller = new AbortController()
  await within({ keep: 'killed' }, async (sandbox) => {
    const running = sandbox.sh('seq 100000000 > f', { signal: controller.signal })
    while (!((await sandbox.stat('f').catch(() => undefined))?.size > 0)) await sleep(10)
    controller.abort()
    equal((await running).errorClass, 'CANCELLED')
    const text = await sandbox.readText('f')
    const lines = text.split('\n').slice(0, -1)
    equal(lines.length > 0 && lines.every((line, i) => line === String(i + 1)), true, 'lines:')
  })
  const size = await within({ keep: 'killed' }, (sandbox) => sandbox.readText('f').then((text) => text.length))
  equal(size > 0, true)
  await forget('killed')
}

checks['a page that goes in the middle of a run finds files between two calls'] = async () => {
  await forget('gone')
  const sandbox = await Sandbox.create({ keep: 'gone' })
  const running = sandbox.sh('for i in $(seq 100000); do echo $i >> f; done', { limits: { timeoutMs: 20000 } }).catch(() => {})
  await sleep(2500)
  sandbox.destroy()
  await running
  await within({ keep: 'gone' }, async (again) => {
    const text = await again.readText('f')
    const lines = text.split('\n')
    equal(lines.pop(), '', 'a whole last line:')
    equal(lines.every((line, i) => line === String(i + 1)), true, 'lines:')
    const first = await hash(await again.export())
    equal(first.length, 64)
  })
  await forget('gone')
}

checks['the time of keeping'] = async () => {
  await forget('time')
  await within({ keep: 'time' }, async (sandbox) => {
    await sandbox.sh('seq 100000 > f')
    const [time] = await timed(() => sandbox.sh('echo x >> f'))
    figures['`echo x >> f` of a kept sandbox with 0.6 MB'] = ms(time)
  })
  await forget('time')
}
