// Checks of the names that tools' documents use: entry points, errors, messages, options.
import { BTCPExecutionError, BTCPTimeoutError, Sandbox, executeInWorker, executeTool, handleMessage, supportsWorkerExecution } from '/web/dist/index.js'
import { checks, equal, fails, within } from './harness.mjs'

const caught = (promise) => promise.then(() => undefined, (error) => error)

checks['executeInWorker returns the result, and throws with code, message and stack'] = async () => {
  equal(supportsWorkerExecution, true)
  equal(await executeInWorker('return { sum: args.a + args.b }', { a: 1, b: 2 }, []), { sum: 3 })
  equal(await executeInWorker('return await btcp.dom.getTextContent("#cart")', {}, ['dom:read']), 'breadmilk')
  const thrown = await caught(executeInWorker('function f() { throw new RangeError("too far") } f()', {}, []))
  equal([thrown instanceof BTCPExecutionError, thrown.code, thrown.message, /\bf\b/.test(thrown.stack)], [true, 'EXECUTION_ERROR', 'too far', true])
  const denied = await caught(executeInWorker('return require("fs").readFileSync("/etc/passwd")', {}, []))
  equal([denied.name, denied.code], ['BTCPExecutionError', 'CAPABILITY_DENIED'])
}

checks['a tool that does not end is a BTCPTimeoutError'] = async () => {
  const late = await caught(executeInWorker('for (;;) {}', {}, [], { limits: { timeoutMs: 100 } }))
  equal([late instanceof BTCPTimeoutError, late.message], [true, 'Tool execution timed out'])
  const framed = await caught(executeTool('await new Promise(() => setTimeout(() => {}, 60000))', {}, [], { limits: { timeoutMs: 100 } }))
  equal([framed.name, document.querySelectorAll('iframe').length], ['BTCPTimeoutError', 0])
}

checks['executeTool renders Markdown in the document of a frame'] = async () => {
  const code = `
    const toHtml = (text) => text.split('\\n').map((line) => {
      const heading = /^(#{1,3}) (.*)$/.exec(line)
      return heading ? \`<h\${heading[1].length}>\${heading[2]}</h\${heading[1].length}>\` : line && \`<p>\${line.replace(/\\*\\*(.+?)\\*\\*/g, '<b>$1</b>')}</p>\`
    }).join('')
    const box = document.createElement('div')
    box.innerHTML = toHtml(args.markdown)
    return { html: box.innerHTML, headings: Array.from(box.querySelectorAll('h1, h2, h3'), (h) => h.textContent) }`
  equal(await executeTool(code, { markdown: '# Title\n\nSome **bold** text\n## Part' }, []), {
    html: '<h1>Title</h1><p>Some <b>bold</b> text</p><h2>Part</h2>',
    headings: ['Title', 'Part'],
  })
}

checks['executeTool parses XML'] = async () => {
  const code = `
    const parsed = new DOMParser().parseFromString(args.xml, 'application/xml')
    return Array.from(parsed.querySelectorAll('item'), (item) => ({ title: item.querySelector('title')?.textContent, link: item.querySelector('link')?.textContent }))`
  const xml = '<feed><item><title>One</title><link>https://a.example/1</link></item><item><title>Two</title></item></feed>'
  equal(await executeTool(code, { xml }, []), [{ title: 'One', link: 'https://a.example/1' }, { title: 'Two' }])
}

checks['messages have an id and a type, and are answered once'] = async () => {
  const ran = await handleMessage({ id: '1', type: 'execute', toolCode: 'return args.n * 2', args: { n: 4 } })
  equal(ran, { id: '1', type: 'result', result: 8 })
  const failed = await handleMessage({ id: '2', type: 'execute', toolCode: 'throw new Error("no")' })
  equal([failed.id, failed.type, failed.error.code, failed.error.message], ['2', 'error', 'EXECUTION_ERROR', 'no'])
  equal((await handleMessage({ id: '3', type: 'result' })).error.message, 'type: result: not execute')
  equal((await handleMessage({ type: 'execute', toolCode: '' })).error.code, 'BAD_MESSAGE')
  const greedy = await handleMessage({ id: '4', type: 'execute', toolCode: '', capabilities: ['dom:write'] }, { allowed: ['dom:read'] })
  equal(greedy.error.message, 'capabilities: dom:write: not allowed by the page')
}

checks['the name and type of the worker are those of the configuration'] = async () => {
  const made = []
  const Original = globalThis.Worker
  globalThis.Worker = class extends Original {
    constructor(url, options) {
      super(url, options)
      made.push([options.name, options.type])
    }
  }
  try {
    for (const type of ['module', 'classic']) {
      await within({ config: { sandbox: 'worker', workerOptions: { name: 'btcp-tool-worker', type } } }, async (sandbox) => {
        equal((await sandbox.run('return 1')).result, 1)
      })
    }
  } finally {
    globalThis.Worker = Original
  }
  equal(made, [['btcp-tool-worker', 'module'], ['btcp-tool-worker', 'classic']])
  await fails(Sandbox.create({ config: { workerOptions: { size: 1 } } }), /config.workerOptions.size/)
}

checks['btcp.storage is beside btcp.localStorage'] = () =>
  within({ capabilities: ['storage:local:read', 'storage:local:write'] }, async (sandbox) => {
    const outcome = await sandbox.run("await btcp.storage.setItem('k', 'v'); return [await btcp.localStorage.getItem('k'), Object.keys(btcp).includes('storage')]")
    equal(outcome.result ?? outcome.error, ['v', false])
    // The storage is the sandbox's, not the page's.
    equal(localStorage.getItem('k'), null)
  })
