// Checks of the boundary `iframe`: its walls, its messages, its document.
import { Border, Frame, Sandbox, policyOf } from '/web/dist/index.js'
import { checks, equal, fails, sleep, within } from './harness.mjs'

const frames = () => document.querySelectorAll('iframe').length

checks['a tool in a frame has a document of its own, and the page is its parent'] = () =>
  within({ boundary: 'iframe', capabilities: ['dom:read:#cart'] }, async (sandbox) => {
    const outcome = await sandbox.run(`
      document.body.innerHTML = '<p class="a">drawn</p>'
      return [document.querySelector('.a').textContent, document.querySelector('#cart'), typeof btcp.dom, await btcp.parentDOM.getTextContent('#cart')]`)
    equal(outcome.result ?? outcome.error, ['drawn', null, 'undefined', 'breadmilk'])
    equal(document.querySelector('.a'), null)
    const frame = document.querySelector('iframe')
    equal([frame.getAttribute('sandbox'), frame.contentDocument, getComputedStyle(frame).display], ['allow-scripts', null, 'none'])
  })

checks['a frame is removed with its sandbox'] = async () => {
  const before = frames()
  await within({ boundary: 'iframe' }, async (sandbox) => {
    equal((await sandbox.run('return document.title')).result, '')
    equal(frames(), before + 1)
  })
  await sleep(20)
  equal(frames(), before)
}

checks['tools in a frame print, throw, wait, ask and keep variables'] = async () => {
  const asked = []
  const ask = async (question) => (asked.push(question.wishes[0].wanted), { allow: true })
  await within({ boundary: 'iframe', ask, files: { '/data/a': 'A' } }, async (sandbox) => {
    const printed = await sandbox.run('console.log("one"); console.log("two"); return args', { args: { n: [1] } })
    equal([printed.stdout, printed.result], ['one\ntwo\n', { n: [1] }])
    equal((await sandbox.run('null.x')).error.name, 'TypeError')
    equal((await sandbox.run('await new Promise((r) => setTimeout(r, 20)); return 5')).result, 5)
    equal((await sandbox.run('return require("fs").readFileSync("/data/a", "utf8")')).result, 'A')
    equal(asked, ['fs:read:/data/a'])
    await sandbox.run('var x = 5', { session: 's' })
    equal((await sandbox.run('x + 1', { session: 's' })).result, 6)
    const typed = await sandbox.run('const n: number = 5; return n', { language: 'ts' })
    equal(typed.result, 5)
    equal((await sandbox.sh('echo shell')).stdout, 'shell\n')
  })
}

checks['a loop in a frame ends at its deadline and when it is cancelled'] = () =>
  within({ boundary: 'iframe', limits: { timeoutMs: 5000 } }, async (sandbox) => {
    const late = await sandbox.run('for (;;) {}', { limits: { timeoutMs: 150 } })
    equal([late.errorClass, late.error.name], ['TIMEOUT', 'TimeoutError'])
    const controller = new AbortController()
    const running = sandbox.run('for (;;) {}', { signal: controller.signal })
    await sleep(100)
    const began = performance.now()
    controller.abort()
    equal((await running).errorClass, 'CANCELLED')
    const took = performance.now() - began
    if (took > 500) throw new Error(`took ${took} ms`)
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['memory of a tool in a frame is limited'] = () =>
  within({ boundary: 'iframe', limits: { memoryBytes: 48 * 1024 * 1024 } }, async (sandbox) => {
    const outcome = await sandbox.run('const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))')
    equal([outcome.errorClass, outcome.error.limit], ['LIMIT_EXCEEDED', 'memoryBytes'])
    equal((await sandbox.run('return 1')).result, 1)
  })

// Code that runs natively in the worker of the frame, as if a guest had left its cell.
const ESCAPED = `(async () => {
  const tried = {}
  const attempt = async (name, use) => {
    try { tried[name] = 'ALLOWED ' + String(await use()).slice(0, 40) } catch (error) { tried[name] = 'refused' }
  }
  await attempt('fetch', async () => (await fetch(ORIGIN + '/hello')).text())
  await attempt('XMLHttpRequest', () => { const x = new XMLHttpRequest(); x.open('GET', ORIGIN + '/hello', false); x.send(); return x.responseText })
  await attempt('WebSocket', () => new Promise((resolve, reject) => { const s = new WebSocket(ORIGIN.replace('http', 'ws')); s.onopen = resolve; s.onerror = reject }))
  await attempt('importScripts', () => importScripts(ORIGIN + '/tests/web/harness.mjs'))
  await attempt('import', () => import(ORIGIN + '/tests/web/harness.mjs'))
  await attempt('eval', () => eval('1 + 1'))
  await attempt('Function', () => new Function('return 1')())
  await attempt('IndexedDB', () => new Promise((resolve, reject) => { const r = indexedDB.open('x'); r.onsuccess = resolve; r.onerror = reject }))
  await attempt('files', () => navigator.storage.getDirectory())
  await attempt('caches', () => caches.open('x'))
  await attempt('worker', () => new Promise((resolve, reject) => { const w = new Worker(ORIGIN + '/web/dist/worker.js'); w.onmessage = resolve; w.onerror = reject }))
  await attempt('parent', () => parent.document)
  postMessage({ id: 'probe', type: 'result', result: tried })
})()
postMessage('up')`

checks['in the worker of a frame, the network, scripts, eval and storage are refused'] = async () => {
  const refusals = []
  const arrived = new Promise((resolve) => {
    const listen = (event) => {
      if (event.data?.id !== 'probe') return
      removeEventListener('message', listen)
      resolve(event.data.result)
    }
    addEventListener('message', listen)
  })
  const script = `const ORIGIN = ${JSON.stringify(location.origin)};${ESCAPED}`
  const frame = await Frame.open({ policy: "default-src 'none'", script }, (refusal) => refusals.push(refusal))
  try {
    const tried = await arrived
    const allowed = Object.entries(tried).filter(([, how]) => how !== 'refused')
    equal(allowed, [], 'allowed:')
    equal(Object.keys(tried).length, 12)
    await sleep(0)
    // The message itself has an id that was never given out, and is refused by name.
    equal(refusals.map(({ reason, id }) => [reason, id]), [['id', 'probe']])
  } finally {
    frame.remove()
  }
}

checks['a frame whose worker cannot be started is removed'] = async () => {
  await fails(Frame.open({ policy: "default-src 'none'", script: '}' }), /./)
  equal(document.querySelectorAll('iframe').length, 0)
}

checks['the document of a frame cannot reach the page'] = async () => {
  document.cookie = 'session=secret'
  // The same walls without our script: what a page inside would try.
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style.display = 'none'
  frame.srcdoc = `<script>
    const tried = {}
    const attempt = (name, use) => { try { use(); tried[name] = 'ALLOWED' } catch { tried[name] = 'refused' } }
    attempt('document', () => parent.document.body)
    attempt('location', () => parent.location.href)
    attempt('storage', () => localStorage.length)
    // WebKit shows no cookies, the others throw.
    attempt('cookie', () => { if (document.cookie === '') throw new Error('none') })
    attempt('top', () => { top.location = 'about:blank' })
    parent.postMessage({ id: 'walls', type: 'walls', tried, origin }, '*')
  </script>`
  const told = new Promise((resolve) => {
    const listen = (event) => {
      if (event.data?.type !== 'walls') return
      removeEventListener('message', listen)
      resolve(event)
    }
    addEventListener('message', listen)
  })
  document.body.append(frame)
  const { data, origin } = await told
  frame.remove()
  equal([data.tried, data.origin, origin], [{ document: 'refused', location: 'refused', storage: 'refused', cookie: 'refused', top: 'refused' }, 'null', 'null'])
}

/** Returns a border whose frame is a given object, and what it refused. */
function border() {
  const window = {}
  const refusals = []
  const made = new Border(() => window, (refusal) => refusals.push(refusal))
  const send = (data, source = window, origin = 'null') => {
    const passed = made.check({ data, source, origin })
    return passed ? 'passed' : (refusals.pop()?.reason ?? 'ignored')
  }
  return { made, send }
}

checks['forged, foreign and replayed messages are refused by name'] = () => {
  const { made, send } = border()
  const id = made.open()
  const call = (number, more = {}) => ({ id: `${id}#${number}`, type: 'call', method: 'grow', params: { cell: 1, pages: 1 }, ...more })
  equal(send({ id, type: 'result', result: 1 }, {}), 'source')
  equal(send({ id, type: 'result', result: 1 }, undefined, 'https://evil.example'), 'origin')
  equal(send({ hello: 1 }, {}), 'ignored')
  equal(send('text'), 'shape')
  equal(send({ id: 5, type: 'result', result: 1 }), 'shape')
  equal(send({ id, type: 'grant', result: 1 }), 'type')
  equal(send({ id, type: 'toString' }), 'type')
  equal(send({ id, type: 'result', result: 1, more: 1 }), 'shape')
  equal(send({ id, type: 'result' }), 'shape')
  equal(send({ id: crypto.randomUUID(), type: 'result', result: 1 }), 'id')
  equal(send(call(2)), 'id')
  equal(send(call(1, { method: 'grant' })), 'method')
  equal(send(call(1, { params: { cell: 1, pages: -1 } })), 'shape')
  equal(send(call(1)), 'passed')
  equal(send(call(1)), 'replay')
  equal(send(call(2)), 'passed')
  equal(send({ id: `${crypto.randomUUID()}#1`, type: 'call', method: 'grow', params: { cell: 1, pages: 1 } }), 'id')
  equal(send({ id, type: 'error', error: { code: 1, message: 'x' } }), 'shape')
  const other = made.open()
  equal(send({ id: other, type: 'result', result: 1 }), 'passed')
  equal(send({ id: other, type: 'result', result: 2 }), 'replay')
}

checks['another frame cannot answer for the frame of a sandbox'] = () =>
  within({ boundary: 'iframe' }, async (sandbox) => {
    const forger = document.createElement('iframe')
    forger.setAttribute('sandbox', 'allow-scripts')
    forger.style.display = 'none'
    forger.srcdoc = `<script>parent.postMessage({ id: 'x', type: 'result', result: { left: 0, reply: new Uint8Array() } }, '*')</script>`
    document.body.append(forger)
    for (let i = 0; i < 200 && sandbox.refusals.length === 0; i++) await sleep(10)
    forger.remove()
    equal(sandbox.refusals.map(({ reason, id }) => [reason, id]), [['source', 'x']])
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['the policy of a frame is made from capabilities'] = async () => {
  const origin = location.origin
  await within({ boundary: 'iframe', capabilities: [`network:fetch:${origin}`] }, async (sandbox) => {
    const directives = sandbox.policy.split('; ')
    equal(directives.includes("default-src 'none'") && directives.includes(`connect-src ${origin}`), true, sandbox.policy)
    const hello = await sandbox.run('const r = await fetch(args + "/cors"); return [r.status, await r.text()]', { args: origin })
    equal(hello.result ?? hello.error, [200, 'null none'])
  })
  await within({ boundary: 'iframe' }, async (sandbox) => {
    equal(/connect-src/.test(sandbox.policy), false)
    equal((await sandbox.run('return await fetch(args + "/cors")', { args: origin })).errorClass, 'CAPABILITY_DENIED')
    // An origin that is granted later has a frame of its own, whose policy allows it.
    await sandbox.grant(`network:fetch:${origin}`)
    equal((await sandbox.run('return await (await fetch(args + "/cors")).text()', { args: origin })).result, 'null none')
  })
}

checks['a policy in the configuration wins over grants, and says so'] = () => {
  const config = { sandbox: 'iframe', iframeOptions: { sandbox: 'allow-scripts', csp: { 'default-src': "'none'", 'script-src': "'unsafe-inline'" } } }
  return within({ config }, async (sandbox) => {
    equal(/script-src 'sha256-[^']+' 'wasm-unsafe-eval'/.test(sandbox.policy), true, sandbox.policy)
    const grant = await sandbox.grant(`network:fetch:${location.origin}`)
    equal(grant.useless, "default-src 'none'")
    const denied = await sandbox.run('return await fetch(args)', { args: `${location.origin}/cors` })
    equal(denied.errorClass, 'CAPABILITY_DENIED')
    const useful = await sandbox.grant('storage:local:read')
    equal(useful.useless, undefined)
  })
}

checks['flags of a frame are supported or refused with the reason'] = async () => {
  const open = (flags, more = {}) => Sandbox.create({ config: { sandbox: 'iframe', iframeOptions: { sandbox: flags } }, ...more })
  await fails(open('allow-scripts allow-same-origin'), /allow-same-origin is not a sandbox/)
  await fails(open('allow-scripts allow-popups'), /allow-popups: a window that a tool opens/)
  await fails(open('allow-scripts allow-modals'), /allow-modals: a dialog/)
  await fails(open('allow-scripts allow-forms'), /allow-forms: nobody can fill in a form of a hidden frame/)
  await fails(open('allow-scripts allow-x'), /unknown flag "allow-x"/)
  await fails(open(''), /without allow-scripts/)
  const place = document.body.appendChild(document.createElement('div'))
  const sandbox = await open('allow-scripts allow-forms', { place })
  equal(place.querySelector('iframe').getAttribute('sandbox'), 'allow-scripts allow-forms')
  sandbox.destroy()
  place.remove()
  equal(policyOf('connect-src https://a.example', { isShown: true, hasForms: true }).includes('form-action https://a.example'), true)
}

checks['a tool draws in the real document of its frame'] = async () => {
  const place = document.body.appendChild(document.createElement('div'))
  const options = { boundary: 'iframe', document: 'frame', place, capabilities: ['dom:read', 'dom:write', 'dom:write:raw@body'] }
  await within(options, async (sandbox) => {
    const outcome = await sandbox.run(`
      document.body.innerHTML = '<h1>Report</h1><p>3 items</p>'
      await btcp.parentDOM.setHTML('body', document.body.innerHTML)
      await btcp.parentDOM.append('body', '<meta http-equiv="refresh" content="0;url=/hello"><img src="/hello" onerror="parent.postMessage(1)"><script>parent.postMessage(2)</' + 'script><a id="away" href="/hello">x</a>')
      await btcp.parentDOM.click('#away')
      return [await btcp.parentDOM.getTextContent('h1'), await btcp.parentDOM.count('meta[http-equiv=refresh]'), await btcp.parentDOM.count('script')]`)
    equal(outcome.error, null)
    equal(outcome.result, ['Report', 0, 0])
    equal([place.querySelector('iframe').hidden, document.querySelector('h1').textContent], [false, 'Shop'])
    await sleep(100)
    equal((await sandbox.run("return await btcp.parentDOM.getTextContent('h1')")).result, 'Report', 'the frame stays:')
  })
  place.remove()
}
