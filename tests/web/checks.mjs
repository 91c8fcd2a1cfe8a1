// Checks of @cofferdam/web: tools, shell, ends, permissions, document, network, archives.
import { Sandbox, prompt } from '/web/dist/index.js'
import { checks, equal, figures, keys, median, ms, timed, withFetch, within } from './harness.mjs'

checks['the first results after a cold start'] = async () => {
  const [js, sandbox] = await timed(async () => {
    const sandbox = await Sandbox.create()
    equal((await sandbox.run('return 6 * 7')).result, 42)
    return sandbox
  })
  figures['first JavaScript result of a new sandbox'] = ms(js)
  sandbox.destroy()
  const [sh, other] = await timed(async () => {
    const sandbox = await Sandbox.create()
    equal((await sandbox.sh('echo hello')).stdout, 'hello\n')
    return sandbox
  })
  figures['first `echo` of a new sandbox'] = ms(sh)
  other.destroy()
}

checks['a fresh call is fast, a kept one faster'] = () =>
  within({}, async (sandbox) => {
    const [fresh, kept] = [[], []]
    await sandbox.run('return 1')
    for (let i = 0; i < 50; i++) fresh.push((await timed(() => sandbox.run('return 1')))[0])
    await sandbox.run('1', { session: 's' })
    for (let i = 0; i < 50; i++) kept.push((await timed(() => sandbox.run('1', { session: 's' })))[0])
    figures['fresh JavaScript call, median of 50'] = ms(median(fresh))
    figures['kept JavaScript call, median of 50'] = ms(median(kept))
  })

checks['a pipeline of five processes'] = () =>
  within({}, async (sandbox) => {
    const line = 'seq 100 | grep 1 | sort -rn | head -5 | wc -l'
    equal((await sandbox.sh(line)).stdout.trim(), '5')
    const times = []
    for (let i = 0; i < 10; i++) times.push((await timed(() => sandbox.sh(line)))[0])
    figures['pipeline of five processes, median of 10'] = ms(median(times))
  })

checks['a shell loop'] = () =>
  within({}, async (sandbox) => {
    const [time, outcome] = await timed(() => sandbox.sh('s=0; for i in $(seq 10000); do s=$((s+i)); done; echo $s'))
    equal(outcome.stdout, '50005000\n')
    figures['shell loop of 10,000 additions'] = ms(time)
  })

checks['a tool takes arguments, prints, throws and returns'] = () =>
  within({}, async (sandbox) => {
    const sum = await sandbox.run('console.log("adding"); return args.a + args.b', { args: { a: 1, b: 2 } })
    equal([sum.result, sum.stdout, sum.exitCode], [3, 'adding\n', 0])
    const thrown = await sandbox.run('null.x')
    equal([thrown.errorClass, thrown.error.name], ['EXECUTION_ERROR', 'TypeError'])
    const typed = await sandbox.run('const n: number = 5; return n', { language: 'ts' })
    equal(typed.result, 5)
    const waits = await sandbox.run('await new Promise((r) => setTimeout(r, 20)); return "later"')
    equal(waits.result, 'later')
  })

checks['variables stay in a session and nowhere else'] = () =>
  within({}, async (sandbox) => {
    await sandbox.run('var x = 5', { session: 'a' })
    equal((await sandbox.run('x + 1', { session: 'a' })).result, 6)
    equal((await sandbox.run('return typeof x')).result, 'undefined')
  })

checks['a run finds nothing of the run before it, whose instance it has'] = () =>
  within({ limits: { memoryBytes: 64 * 1024 * 1024 } }, async (sandbox) => {
    const look = 'return [typeof leak, [].leak, Object.keys(globalThis).includes("leak"), new Uint8Array(1 << 20).some((byte) => byte !== 0)]'
    for (let i = 0; i < 8; i++) {
      equal((await sandbox.run('globalThis.leak = 1; Array.prototype.leak = 1; new Uint8Array(1 << 20).fill(255); return 1')).result, 1)
      await new Promise((resolve) => setTimeout(resolve, i % 2 ? 0 : 20))
      equal((await sandbox.run(look)).result, ['undefined', null, false, false])
    }
    // A run that fails, one that is stopped, and one that uses much memory leave nothing either.
    equal((await sandbox.run('globalThis.leak = 1; null.x')).errorClass, 'EXECUTION_ERROR')
    equal((await sandbox.run('globalThis.leak = 1; for (;;) {}', { limits: { timeoutMs: 50 } })).errorClass, 'TIMEOUT')
    equal((await sandbox.run('globalThis.leak = 1; return new Uint8Array(40 << 20).fill(1).length')).result, 40 << 20)
    equal((await sandbox.run(look)).result, ['undefined', null, false, false])
    for (let i = 0; i < 4; i++) {
      equal((await sandbox.sh('echo ${y:-none}; y=1; seq 20000 | sort -rn | head -1')).stdout, 'none\n20000\n')
    }
  })

checks['the shell has files, pipes, variables and exit codes'] = () =>
  within({}, async (sandbox) => {
    const sorted = await sandbox.sh('sort -rn n | head -1', { files: { n: '1\n3\n2\n' } })
    equal([sorted.stdout, sorted.stderr, sorted.exitCode], ['3\n', '', 0])
    equal((await sandbox.sh('false')).exitCode, 1)
    equal((await sandbox.sh('cat', { stdin: 'in' })).stdout, 'in')
    await sandbox.sh('mkdir -p d && echo kept > d/f')
    equal(await sandbox.readText('d/f'), 'kept\n')
    equal(await sandbox.list('d'), [{ name: 'f', isFolder: false }])
    equal((await sandbox.sh('js -e "console.log(1 + 1)"')).stdout, '2\n')
  })

checks['output arrives while a run goes on'] = () =>
  within({}, async (sandbox) => {
    const texts = []
    await sandbox.sh('echo a; sleep 0.05; echo b >&2', { onOutput: (text, stream) => texts.push([text, stream]) })
    equal(texts, [['a\n', 'stdout'], ['b\n', 'stderr']])
  })

/** Cancels a run after 200 ms; returns the time until it ended, and the longest stall of the page. */
async function cancelled(start) {
  const controller = new AbortController()
  let [last, stall, isOver] = [performance.now(), 0, false]
  const watch = () => {
    const now = performance.now()
    stall = Math.max(stall, now - last)
    last = now
    if (!isOver) setTimeout(watch, 0)
  }
  watch()
  const running = start(controller.signal)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const began = performance.now()
  controller.abort()
  const outcome = await running
  isOver = true
  equal(outcome.errorClass, 'CANCELLED')
  return [performance.now() - began, stall]
}

const LOOPS = {
  JavaScript: (sandbox, signal) => sandbox.run('for (;;) {}', { signal }),
  'a regular expression': (sandbox, signal) => sandbox.run('return /^(a+)+$/.test("a".repeat(40) + "b")', { signal }),
  'the shell': (sandbox, signal) => sandbox.sh('while :; do :; done', { signal }),
  awk: (sandbox, signal) => sandbox.sh("awk 'BEGIN { while (1) x++ }'", { signal }),
}

checks['endless loops stop when they are cancelled'] = () =>
  within({}, async (sandbox) => {
    await sandbox.sh('awk "BEGIN { print 1 }"')
    for (const [name, start] of Object.entries(LOOPS)) {
      const [stop, stall] = await cancelled((signal) => start(sandbox, signal))
      figures[`cancel of an endless loop in ${name}`] = `${ms(stop)}, longest stall of the page ${ms(stall)}`
      if (stop > 500) throw new Error(`${name}: took ${ms(stop)}`)
      equal((await sandbox.run('return 1')).result, 1, 'the sandbox goes on:')
    }
  })

checks['a deadline stops a loop, and the sandbox goes on'] = () =>
  within({ limits: { timeoutMs: 150 } }, async (sandbox) => {
    const [time, outcome] = await timed(() => sandbox.run('for (;;) {}'))
    equal([outcome.errorClass, outcome.error.name], ['TIMEOUT', 'TimeoutError'])
    figures['end of a loop after its deadline of 150 ms'] = ms(time - 150)
    equal((await sandbox.sh('while :; do :; done')).errorClass, 'TIMEOUT')
    equal((await sandbox.run('await new Promise(() => setTimeout(() => {}, 5000))')).errorClass, 'TIMEOUT')
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['memory is limited'] = () =>
  within({ limits: { memoryBytes: 32 * 1024 * 1024 } }, async (sandbox) => {
    const outcome = await sandbox.run('const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))')
    equal([outcome.errorClass, outcome.error.limit], ['LIMIT_EXCEEDED', 'memoryBytes'])
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['nothing is allowed by default, and a denial has an id that can be granted'] = () =>
  within({ files: { '/data/a.txt': 'secret' } }, async (sandbox) => {
    const read = 'return await require("fs").promises.readFile("/data/a.txt", "utf8")'
    const denied = await sandbox.run(read, { name: 'reader' })
    equal([denied.errorClass, denied.error.requiredPermission], ['CAPABILITY_DENIED', 'fs:read:/data/a.txt'])
    if (!/^req_/.test(denied.error.requestId)) throw new Error(`id: ${denied.error.requestId}`)
    await sandbox.grant('fs:read:/data/**')
    equal((await sandbox.run(read, { name: 'reader' })).result, 'secret')
    const lines = await sandbox.audit()
    if (!lines.some((line) => JSON.stringify(line).includes('"deny"'))) throw new Error('no line about the denial')
    const [grant] = (await sandbox.grants()).filter((grant) => grant.capability === 'fs:read:/data/**')
    await sandbox.revoke(grant.id)
    equal((await sandbox.run(read, { name: 'reader' })).errorClass, 'CAPABILITY_DENIED')
  })

checks['a run waits for the answer of a callback, and goes on'] = async () => {
  const asked = []
  const ask = async (question) => {
    asked.push(question.wishes[0].wanted)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return { allow: asked.length === 1 }
  }
  await within({ ask, files: { '/data/a': 'A', '/data/b': 'B' }, limits: { timeoutMs: 1000 } }, async (sandbox) => {
    // The time of the person is not the run's.
    equal((await sandbox.run('return await require("fs").promises.readFile("/data/a", "utf8")')).result, 'A')
    equal((await sandbox.run('return await require("fs").promises.readFile("/data/b", "utf8")')).errorClass, 'CAPABILITY_DENIED')
    equal(asked, ['fs:read:/data/a', 'fs:read:/data/b'])
  })
}

checks['a question of a run that was cancelled is closed'] = async () => {
  let over
  const ask = (_, signal) => new Promise(() => (over = signal))
  await within({ ask, files: { '/data/a': 'A' } }, async (sandbox) => {
    const controller = new AbortController()
    const running = sandbox.run('return await require("fs").promises.readFile("/data/a", "utf8")', { signal: controller.signal })
    while (!over) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    equal((await running).errorClass, 'CANCELLED')
    equal(over.aborted, true)
  })
}

keys['the built-in prompt is answered by a person'] = ['Tab', 'Tab', 'Enter']
checks['the built-in prompt is answered by a person'] = () =>
  within({ ask: true, files: { '/data/a': 'A' } }, async (sandbox) => {
    equal((await sandbox.run('return await require("fs").promises.readFile("/data/a", "utf8")', { name: 'reader.js' })).result, 'A')
    equal(document.querySelector('cofferdam-prompt'), null)
  })

checks['a script cannot answer the built-in prompt, and tools cannot reach it'] = async () => {
  const over = new AbortController()
  const question = { tool: 't', wishes: [{ choices: [{ capability: 'fs:read:/a', words: 'w', risk: 'low', reason: '' }] }] }
  let answer
  const asked = prompt(question, over.signal).then((given) => (answer = given))
  await new Promise((resolve) => setTimeout(resolve, 700))
  const element = document.querySelector('cofferdam-prompt')
  equal([element.shadowRoot, element.childElementCount], [null, 0])
  element.click()
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  equal(answer, undefined)
  await within({ capabilities: ['dom:read', 'dom:write'] }, async (sandbox) => {
    const reached = sandbox.run('return [await btcp.dom.exists("cofferdam-prompt"), await btcp.dom.remove("cofferdam-prompt")]')
    await new Promise((resolve) => setTimeout(resolve, 100))
    equal(document.querySelector('cofferdam-prompt') === element, true)
    over.abort()
    equal(await asked, { allow: false })
    equal((await reached).result?.[0], false)
  })
}

checks['a tool reads the granted part of the live document, and nothing else exists'] = () =>
  within({ capabilities: ['dom:read:#cart'] }, async (sandbox) => {
    const read = await sandbox.run(`return {
      text: await btcp.dom.getTextContent('#cart'),
      items: (await btcp.dom.querySelectorAll('li')).map((item) => item.text),
      first: await btcp.dom.count('#cart > .item:first-child'),
      outside: await btcp.dom.exists('#card'),
      sideways: await btcp.dom.count('h1 ~ ul li'),
      above: await btcp.dom.count('body li'),
      has: await btcp.dom.count(':has(#card)'),
    }`)
    equal(read.result, { text: 'breadmilk', items: ['bread', 'milk'], first: 1, outside: false, sideways: 0, above: 0, has: 0 })
    const write = await sandbox.run('return await btcp.dom.setTextContent("#cart", "x")')
    equal([write.errorClass, write.error.requiredPermission.startsWith('dom:write')], ['CAPABILITY_DENIED', true])
    const bad = await sandbox.run('return await btcp.dom.count("li[")')
    equal(bad.error.name, 'SyntaxError')
  })

checks['a tool changes the live document, sanitised'] = () =>
  within({ capabilities: ['dom:read:#order', 'dom:write:#order', 'dom:write:#cart', 'dom:read:#cart'] }, async (sandbox) => {
    let clicks = 0
    document.querySelector('#buy').addEventListener('click', () => clicks++)
    const outcome = await sandbox.run(`
      await btcp.dom.fill('#order [name=street]', 'Elm St');
      await btcp.dom.click('#buy');
      await btcp.dom.append('#cart', '<li class="item">eggs<img src=x onerror="globalThis.pwned = 1"><script>globalThis.pwned = 1</' + 'script></li>');
      let refused
      try { await btcp.dom.setAttribute('#cart', 'onclick', 'pwned = 1') } catch (error) { refused = error.name }
      return [await btcp.dom.count('li'), refused]`)
    equal(outcome.error, null)
    equal(outcome.result, [3, 'NotSupportedError'])
    equal(document.querySelector('[name=street]').value, 'Elm St')
    equal(clicks, 1)
    const last = document.querySelector('#cart').lastElementChild
    equal([last.textContent, last.querySelector('script'), last.querySelector('[onerror]')], ['eggs', null, null])
    await new Promise((resolve) => setTimeout(resolve, 50))
    equal(globalThis.pwned, undefined)
    last.remove()
  })

checks['fetch needs a grant, sends no cookies and follows no redirects'] = async () => {
  document.cookie = 'session=secret'
  const origin = location.origin
  await within({ capabilities: [`network:fetch:${origin}`] }, async (sandbox) => {
    const hello = await sandbox.run('const r = await fetch(args + "/hello"); return [r.status, await r.text(), r.headers.get("x-cookie")]', { args: origin })
    equal(hello.error, null)
    equal(hello.result, [200, 'hello', 'none'])
    const echo = await sandbox.run('return await (await fetch(args + "/echo", { method: "POST", body: "data" })).text()', { args: origin })
    equal(echo.result ?? echo.error, 'POST data')
    const redirect = await sandbox.run('return await fetch(args + "/redirect")', { args: origin })
    equal([redirect.error?.name, /redirects/.test(redirect.error?.message)], ['TypeError', true])
    const curl = await sandbox.sh(`curl -s ${origin}/hello`)
    equal(curl.stdout, 'hello')
  })
  await within({ capabilities: [`network:fetch:${origin}`], follow: [origin] }, async (sandbox) => {
    equal((await sandbox.run('return await (await fetch(args + "/redirect")).text()', { args: origin })).result, 'hello')
  })
  await within({}, async (sandbox) => {
    equal((await sandbox.run('return await fetch(args)', { args: `${origin}/hello` })).errorClass, 'CAPABILITY_DENIED')
  })
}

checks['the page lends functions and publishes state'] = () =>
  within({ capabilities: ['function:call:add'], functions: { add: ({ a, b }) => a + b } }, async (sandbox) => {
    const outcome = await sandbox.run('return await btcp.functions.add({ a: 1, b: 2 })')
    equal(outcome.result ?? outcome.error, 3)
  })

checks['an archive gives the same files'] = async () => {
  const archive = await within({}, async (sandbox) => {
    await sandbox.sh('mkdir -p d; echo one > d/f; chmod 750 d/f; ln -s f d/l')
    return sandbox.export()
  })
  await within({ archive }, async (sandbox) => {
    const [a, b] = await Promise.all([archive, await sandbox.export()].map((bytes) => crypto.subtle.digest('SHA-256', bytes)))
    equal([...new Uint8Array(a)], [...new Uint8Array(b)], 'hash:')
    equal((await sandbox.sh('cat d/l; stat -c %a d/f')).stdout, 'one\n750\n')
  })
}

checks['a destroyed sandbox refuses everything'] = async () => {
  const sandbox = await Sandbox.create()
  const running = sandbox.run('for (;;) {}').catch((error) => error.name)
  sandbox.destroy()
  equal(await running, 'SandboxError')
  equal(await sandbox.run('return 1').catch((error) => error.message), 'the sandbox was destroyed')
}

checks['data that few tools need are fetched for the first of them'] = async () => {
  const { Sandbox } = await import('/web/dist/index.js?late')
  let fetched = 0
  const counted = (real, ...args) => {
    if (String(args[0]).endsWith('js.late')) fetched++
    return real(...args)
  }
  await withFetch(counted, async () => {
    const sandbox = await Sandbox.create()
    const result = async (code) => (await sandbox.run(code)).result
    equal(await result('return 1'), 1)
    equal(fetched, 0)
    // The host looks for the word `Buffer` and would choose another guest.
    equal(await result('return globalThis["Buf" + "fer"].from("YQ==", "base64").toString()'), 'a')
    equal(await result('return new TextDecoder("shift_jis").decode(new Uint8Array([0x83, 0x65]))'), '\u30c6')
    if ('Suspending' in WebAssembly) equal(fetched, 1)
    sandbox.destroy()
  })
}

checks['the shell and the common commands export only what starts them'] = async () => {
  // Whatever is exported stays in the file, and all that it uses.
  for (const name of ['sh', 'basics']) {
    const module = await WebAssembly.compileStreaming(fetch(`/web/dist/wasm/${name}.wasm`))
    const names = WebAssembly.Module.exports(module).map((one) => one.name).filter((name) => !name.startsWith('cofferdam_global_'))
    equal(names.sort().join(' '), '__main_void _start memory', `${name}:`)
  }
}

checks['a sandbox whose shell runs first does not wait for JavaScript'] = async () => {
  const { Sandbox } = await import('/web/dist/index.js?first')
  const fetched = []
  await withFetch((real, ...args) => (fetched.push(String(args[0]).split('/').pop()), real(...args)), async () => {
    const sandbox = await Sandbox.create({ first: 'shell' })
    equal((await sandbox.sh('echo hi')).stdout, 'hi\n')
    equal(fetched.sort().join(' '), 'basics.wasm host.wasm sh.wasm')
    equal((await sandbox.run('return 1')).result, 1)
    sandbox.destroy()
  })
}

checks['a command that has a locale is the full one'] = async () => {
  const sandbox = await Sandbox.create({ first: 'shell' })
  const said = async (locale) => (await sandbox.sh(`${locale} cut`)).stderr.split(' ')[1]
  equal(await said(''), 'you')
  equal(await said('LANG=C.UTF-8'), 'you')
  equal(await said('LANG=fr_FR.UTF-8'), 'vous')
  sandbox.destroy()
}

checks['Python is missing, and the message says so'] = () =>
  within({}, async (sandbox) => {
    const { exitCode, stderr } = await sandbox.sh('python3 -c "print(1)"; echo $?')
    equal([exitCode, /without the feature `python`/.test(stderr)], [0, true], stderr)
  })

checks['a wrong option is an error that names it'] = async () => {
  const failed = await Sandbox.create({ capabilities: ['nonsense'] }).catch((error) => error.message)
  if (!/capabilities/.test(failed)) throw new Error(String(failed))
}
