// An agent's console: a tool or a command, the prompt, and the page that they may be allowed to use.
import { Sandbox } from '../dist/index.js'

const SAMPLES = {
  js: {
    'Read the cart (asks)': '// @capability dom:read:#cart\nconst items = await btcp.dom.querySelectorAll("#cart li")\nconst prices = items.map((item) => Number(item.text.split(" ").at(-1)))\nconsole.log(items.map((item) => item.text).join("\\n"))\nreturn { total: prices.reduce((a, b) => a + b, 0) }',
    'Fill the form (asks)': '// @capability dom:write:#order\nawait btcp.dom.fill("#order [name=street]", "12 Elm Street")\nreturn await btcp.dom.click("#buy")',
    'An endless loop': '// The page stays alive; Stop ends the loop.\nfor (;;) {}',
    'Files and the shell': '// @capability process:exec\nconst sorted = await btcp.exec("printf \'3\\\\n1\\\\n2\\\\n\' | sort -n")\nreturn sorted.stdout',
  },
  shell: {
    'A pipeline': 'seq 1 100 | awk \'{ s += $1 * $1 } END { print "sum of squares:", s }\'\necho "apple banana cherry" | tr " " "\\n" | sort -r | nl',
    'Git-like text work': 'mkdir -p notes && cd notes\nprintf "alpha\\nbeta\\ngamma\\n" > a; printf "alpha\\nBETA\\ngamma\\n" > b\ndiff -u a b; sha256sum a b',
    'An endless loop': 'while :; do :; done',
    'JSON and SQLite': 'echo \'[{"n":"bread","p":2.1},{"n":"milk","p":1.35}]\' > cart.json\njq -r \'.[] | [.n, .p] | @csv\' cart.json | tee cart.csv\nsqlite3 shop.db "create table t(n, p); insert into t values (\'eggs\', 3.2); select * from t"',
  },
}

const find = (selector) => document.querySelector(selector)
const [code, output, state, run, stop, samples] = ['#code', '#output', '#state', '#run', '#stop', '#samples'].map(find)
let kind = 'js'
let controller

function show(name) {
  kind = name
  for (const tab of document.querySelectorAll('[role=tab]')) tab.setAttribute('aria-selected', String(tab.dataset.kind === kind))
  samples.replaceChildren(...Object.keys(SAMPLES[kind]).map((title) => new Option(title)))
  code.value = Object.values(SAMPLES[kind])[0]
}

document.querySelectorAll('[role=tab]').forEach((tab) => tab.addEventListener('click', () => show(tab.dataset.kind)))
samples.addEventListener('change', () => (code.value = SAMPLES[kind][samples.value]))
find('#buy').addEventListener('click', (event) => (event.target.textContent = 'Ordered'))
show('js')

const began = performance.now()
const sandbox = await Sandbox.create({ ask: true })
state.textContent = `ready in ${Math.round(performance.now() - began)} ms`
document.body.dataset.ready = ''

run.addEventListener('click', async () => {
  controller = new AbortController()
  // A person may look at the other tab meanwhile.
  const isTool = kind === 'js'
  output.textContent = ''
  ;[run.disabled, stop.disabled] = [true, false]
  state.textContent = 'running…'
  const options = { signal: controller.signal, onOutput: (text) => output.append(text), limits: { timeoutMs: 60_000 } }
  try {
    const outcome = isTool ? await sandbox.run(code.value, { ...options, name: 'console.js' }) : await sandbox.sh(code.value, options)
    if (isTool && !outcome.error) output.append(`→ ${JSON.stringify(outcome.result)}\n`)
    if (outcome.error) output.append(`${outcome.error.name}: ${outcome.error.message}\n`)
    state.textContent = `${outcome.errorClass ?? `exit ${outcome.exitCode}`} after ${outcome.executionTimeMs.toFixed(1)} ms`
  } catch (error) {
    state.textContent = error.message
  }
  ;[run.disabled, stop.disabled] = [false, true]
  const lines = (await sandbox.audit()).slice(-40).reverse()
  find('#audit').replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement('li')
      item.textContent = [line.event, line.verdict, line.capability ?? line.target ?? line.tool].filter(Boolean).join(' ')
      item.className = line.verdict ?? ''
      return item
    }),
  )
})
stop.addEventListener('click', () => controller?.abort())
