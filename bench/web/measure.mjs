// Measures one subject in a page. Every subject does the same things, as far as it can.

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const ms = (number) => `${number.toFixed(number < 10 ? 2 : 1)} ms`
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

async function time(use) {
  const began = performance.now()
  await use()
  return performance.now() - began
}

/** Returns the median of repeated calls, after two that do not count. */
async function repeated(count, use) {
  const times = []
  for (let i = -2; i < count; i++) {
    const took = await time(use)
    if (i >= 0) times.push(took)
    // The page of a user does other things in between.
    await sleep(5)
  }
  return ms(median(times))
}

/** Runs `use` and returns the longest time in which the page did not react. */
async function stall(use) {
  let [last, longest, isOver] = [performance.now(), 0, false]
  const watch = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) setTimeout(watch, 0)
  }
  watch()
  await use()
  await sleep(20)
  isOver = true
  return longest
}

/** Starts an endless loop, ends it after 300 ms, and returns how long the end took. */
async function ended(start) {
  let took = 0
  const longest = await stall(async () => {
    const { done, cancel } = start()
    await sleep(300)
    took = await time(async () => {
      cancel()
      await done
    })
  })
  return `${ms(took)}, longest stall of the page ${ms(longest)}`
}

/** Measures the ends of loops, by the places that they run in. */
async function endings(figures, loops) {
  for (const [where, start] of Object.entries(loops)) {
    figures[`end of a loop in ${where}`] = await ended(() => {
      const controller = new AbortController()
      return { done: start(controller.signal), cancel: () => controller.abort() }
    })
  }
}

const LINE = 'seq 100 | grep 1 | sort -rn | head -5 | wc -l'
const LOOP = 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo $i'

/** Source of a worker that sends back what it receives. */
const ECHO = URL.createObjectURL(new Blob(['onmessage = (event) => postMessage(event.data)'], { type: 'text/javascript' }))

/** Sends a message to a worker and waits for the answer. */
const answered = (worker) => new Promise((resolve) => {
  worker.onmessage = resolve
  worker.postMessage('')
})

const SUBJECTS = {
  /** The least that a package in a worker can take: its files as bytes, an empty worker, and messages. */
  async floor(figures) {
    const fetched = async (name) => (await fetch(`/web/dist/wasm/${name}.wasm`)).arrayBuffer()
    const first = (names) => time(() => Promise.all([...names.map(fetched), answered((worker = new Worker(ECHO, { type: 'module' })))]))
    let worker
    figures['files and worker of a first JavaScript result'] = ms(await first(['host', 'js']))
    figures['files and worker of a first `echo`'] = ms(await first(['host', 'sh']))
    figures['message to a worker and back'] = await repeated(50, () => answered(worker))
  },

  async Cofferdam(figures) {
    const { Sandbox } = await import('/web/dist/index.js')
    let sandbox
    figures['first JavaScript result'] = ms(await time(async () => {
      sandbox = await Sandbox.create()
      if ((await sandbox.run('return 6 * 7')).result !== 42) throw new Error('wrong result')
    }))
    figures['fresh JavaScript call'] = await repeated(50, () => sandbox.run('return 1 + 1'))
    await sandbox.run('var x = 1', { session: 's' })
    figures['kept JavaScript call'] = await repeated(50, () => sandbox.run('1 + 1', { session: 's' }))
    const loops = {
      JavaScript: (signal) => sandbox.run('for (;;) {}', { signal }),
      'a regular expression': (signal) => sandbox.run('return /^(a+)+$/.test("a".repeat(40) + "b")', { signal }),
    }
    await endings(figures, loops)
    sandbox.destroy()
  },

  // A page of its own: files that the page has compiled already would not be waited for.
  async 'Cofferdam, shell'(figures) {
    const { Sandbox } = await import('/web/dist/index.js')
    let sandbox
    figures['first `echo`'] = ms(await time(async () => {
      sandbox = await Sandbox.create({ first: 'shell' })
      if ((await sandbox.sh('echo hi')).stdout !== 'hi\n') throw new Error('wrong output')
    }))
    figures['`echo`'] = await repeated(30, () => sandbox.sh('echo hi'))
    figures['pipeline of five processes'] = await repeated(20, () => sandbox.sh(LINE))
    figures['shell loop of 2,000 rounds'] = await repeated(5, () => sandbox.sh(LOOP))
    await endings(figures, { 'the shell': (signal) => sandbox.sh('while :; do :; done', { signal }) })
    sandbox.destroy()
  },

  async codemode(figures) {
    const { IframeSandboxExecutor } = await import('/peers/codemode.mjs')
    const executor = new IframeSandboxExecutor({ timeout: 500 })
    const run = () => executor.execute('async () => 1 + 1', {})
    figures['first JavaScript result'] = ms(await time(run))
    figures['fresh JavaScript call'] = await repeated(25, run)
    // A loop that ends by itself after 3 s, because nothing else would end it.
    const code = 'async () => { const end = Date.now() + 3000; while (Date.now() < end); }'
    let took
    const longest = await stall(async () => { took = await time(() => executor.execute(code, {})) })
    figures['end of a loop in JavaScript, limit 500 ms'] = `${ms(took)}, longest stall of the page ${ms(longest)}`
  },

  async 'quickjs-emscripten'(figures) {
    const { getQuickJS, newQuickJSWASMModule } = await import('/peers/quickjs.mjs')
    const evaluate = (module) => {
      const context = module.newContext()
      const value = context.unwrapResult(context.evalCode('1 + 1'))
      context.dump(value)
      value.dispose()
      context.dispose()
    }
    let module
    figures['first JavaScript result'] = ms(await time(async () => evaluate((module = await getQuickJS()))))
    figures['fresh module'] = await repeated(12, async () => evaluate(await newQuickJSWASMModule()))
    figures['fresh context of one module'] = await repeated(30, () => evaluate(module))
  },

  async 'just-bash'(figures) {
    const { Bash } = await import('/peers/just-bash.mjs')
    let bash
    figures['first `echo`'] = ms(await time(() => (bash = new Bash()).exec('echo hi')))
    figures['`echo`'] = await repeated(30, () => bash.exec('echo hi'))
    figures['pipeline of five commands'] = await repeated(20, () => bash.exec(LINE))
    figures['shell loop of 2,000 rounds'] = await repeated(5, () => bash.exec(LOOP))
    let took
    const longest = await stall(async () => { took = await time(() => bash.exec('while :; do :; done').catch(() => {})) })
    figures['endless loop, ended by its own count of rounds'] = `${ms(took)}, longest stall of the page ${ms(longest)}`
  },

  async 'bashkit-wasm'(figures) {
    const { Bash, initBashkit } = await import('/peers/bashkit/index.js')
    let bash
    figures['first `echo`'] = ms(await time(async () => {
      await initBashkit()
      bash = new Bash()
      bash.executeSync('echo hi')
    }))
    figures['`echo`'] = await repeated(30, () => bash.executeSync('echo hi'))
    figures['pipeline of five commands'] = await repeated(20, () => bash.executeSync(LINE))
    figures['shell loop of 2,000 rounds'] = await repeated(5, () => bash.executeSync(LOOP))
    let took
    const longest = await stall(async () => { took = await time(() => bash.execute('while :; do :; done').catch(() => {})) })
    figures['endless loop, ended by its own count of rounds'] = `${ms(took)}, longest stall of the page ${ms(longest)}`
  },
}

globalThis.measure = async (name) => {
  const figures = {}
  try {
    await SUBJECTS[name](figures)
  } catch (error) {
    figures['failed'] = String(error?.message ?? error)
  }
  return figures
}
globalThis.subjects = Object.keys(SUBJECTS)
