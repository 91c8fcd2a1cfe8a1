// Checks of the files of the package while they arrive: their order, and their hashes.
import { checks, equal, fails, withFetch } from './harness.mjs'

/** Imports the package once more: its modules are kept for a page. */
const another = (name) => import(`/web/dist/index.js?${name}`)

const nameOf = (request) => String(request).split('/').pop()

checks['a file that is not that of the package is refused'] = async () => {
  const { Sandbox } = await another('altered')
  const altered = async (real, ...args) => {
    const response = await real(...args)
    const bytes = new Uint8Array(await response.arrayBuffer())
    // A custom section at the end: the module stays valid.
    return new Response(new Blob([bytes, new Uint8Array([0, 2, 1, 120])]), { headers: response.headers })
  }
  // A second sandbox shares requests with the first that are still under way, and has to do without their results.
  const [, sandbox] = await withFetch(altered, async () => [await fails(Sandbox.create(), /host.wasm: its hash differs/), Sandbox.create()])
  const [first, second] = await Promise.all([Sandbox.create(), sandbox.catch(() => Sandbox.create())])
  for (const sandbox of [first, second]) {
    equal((await sandbox.run('return 1')).result, 1, 'after that:')
    sandbox.destroy()
  }
}

checks['a file that was cut off is refused by its hash'] = async () => {
  const { Sandbox } = await another('cut')
  const cut = async (real, ...args) => {
    const response = await real(...args)
    return new Response((await response.arrayBuffer()).slice(0, 4096), { headers: response.headers })
  }
  await withFetch(cut, () => fails(Sandbox.create(), /host.wasm: its hash differs/))
  const sandbox = await Sandbox.create()
  equal((await sandbox.run('return 1')).result, 1, 'after that:')
  sandbox.destroy()
}

checks['requests are sent at once, and the host is read before a guest'] = async () => {
  const { Sandbox } = await another('order')
  const [sent, read] = [[], []]
  const watched = async (real, ...args) => {
    const name = nameOf(args[0])
    sent.push(name)
    const response = await real(...args)
    const arrayBuffer = response.arrayBuffer.bind(response)
    response.arrayBuffer = async () => {
      read.push(name)
      // A slow host is still the first.
      if (name === 'host.wasm') await new Promise((resolve) => setTimeout(resolve, 50))
      read.push(`${name} is here`)
      return arrayBuffer()
    }
    return response
  }
  await withFetch(watched, async () => {
    const creating = Sandbox.create()
    equal(sent.length, 2)
    const sandbox = await creating
    equal((await sandbox.run('return 1')).result, 1)
    // Guests of the bridge get another memory, and are read as they come.
    if (sandbox.waiting !== 'bridge') equal(read.slice(0, 2), ['host.wasm', 'host.wasm is here'])
    sandbox.destroy()
  })
}
