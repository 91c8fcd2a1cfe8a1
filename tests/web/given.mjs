// Checks of what a page gives: content of every kind, and values that are refused by name.
import { Sandbox } from '/web/dist/index.js'
import { checks, equal, fails, within } from './harness.mjs'

const text = new TextEncoder().encode('hello')

checks['content may be text, a buffer, or a view of one'] = () => {
  const files = { '/data/buffer': text.buffer, '/data/view': new DataView(text.buffer, 1, 3), '/data/words': new Uint16Array([0x6261]) }
  return within({ files }, async (sandbox) => {
    const read = async (name) => [await sandbox.readText(`/data/${name}`), await sandbox.readText(name)]
    for (const [name, content] of Object.entries(files)) await sandbox.writeFile(name.slice(6), content)
    equal(await read('buffer'), ['hello', 'hello'])
    equal(await read('view'), ['ell', 'ell'])
    equal(await read('words'), ['ab', 'ab'])
    equal((await sandbox.sh('cat given', { files: { given: text.buffer } })).stdout, 'hello')
  })
}

checks['content of another kind is refused, and no file is made of it'] = () =>
  within({}, async (sandbox) => {
    for (const content of [5, undefined, null, {}, new Blob(['x'])]) {
      await fails(sandbox.writeFile('f', content), /content of f: neither text nor bytes/)
      await fails(sandbox.sh('cat f', { files: { f: content } }), /content of f: neither text nor bytes/)
      await fails(Sandbox.create({ files: { f: content } }), /files.f: neither text nor bytes/)
    }
    await fails(sandbox.wasm('text'), /module: not bytes/)
    await fails(Sandbox.create({ programs: { p: 'text' } }), /programs.p: not bytes/)
    await fails(Sandbox.create({ archive: 'text' }), /archive: not bytes/)
    equal(await sandbox.list('.'), [])
  })

checks['values that the page uses itself are refused by name'] = () =>
  within({}, async (sandbox) => {
    await fails(sandbox.run('return 1', { language: 'python' }), /language: unknown "python"; must be "js" or "ts"/)
    await fails(sandbox.run('return 1', { onOutput: 5 }), /onOutput: not a function/)
    for (const use of ['readFile', 'readText', 'list', 'stat', 'mkdir', 'unlink', 'rmdir', 'rename', 'chmod', 'writeFile']) await fails(sandbox[use](undefined), /path: not a string/)
    // As text, it would allow every origin that is a part of it.
    await fails(Sandbox.create({ follow: 'https://example.com' }), /follow: not an array/)
    await fails(Sandbox.create({ first: 'sh' }), /first: unknown "sh"; must be "javascript" or "shell"/)
    await fails(Sandbox.create({ ask: 'yes' }), /ask: not a function/)
    await fails(Sandbox.create({ keep: 5 }), /keep: not a string/)
    await fails(Sandbox.create({ functions: { add: 5 } }), /functions.add: not a function/)
    equal((await sandbox.run('return 1')).result, 1, 'the sandbox goes on:')
  })

checks['a receiver of output that throws harms no run'] = () =>
  within({}, async (sandbox) => {
    let seen
    const own = (event) => (event.preventDefault(), (seen = event.error.message))
    addEventListener('error', own)
    const outcome = await sandbox.run('console.log("x"); return 5', { onOutput: () => { throw new Error('mine') } })
    removeEventListener('error', own)
    equal([outcome.result, outcome.stdout, seen], [5, 'x\n', 'mine'])
  })

checks['halves of surrogate pairs are replaced, and no call waits for ever'] = () =>
  within({ functions: { half: () => 'a\udc00b' }, capabilities: ['function:call:half'] }, async (sandbox) => {
    equal((await sandbox.run('return args', { args: ['\ud83d', '\ud83d\ude00', '\\ud83d', '\\\ud83d'] })).result, ['\ufffd', '\ud83d\ude00', '\\ud83d', '\\\ufffd'])
    equal((await sandbox.run('return "\ud800"')).result, '\ufffd')
    equal((await sandbox.sh('echo \ud800')).stdout, '\ufffd\n')
    equal((await sandbox.run('return await btcp.functions.half({})')).result, 'a\ufffdb')
  })
