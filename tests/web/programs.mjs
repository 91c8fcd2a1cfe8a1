// Checks of WASI modules from outside.
import { checks, equal, figures, ms, sleep, timed, within } from './harness.mjs'

const text = (value) => [value.length, ...new TextEncoder().encode(value)]
const leb = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...leb(number >>> 7)])
const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes]
const body = (code) => [...leb(code.length + 2), 0, ...code, 0x0b]

/** Assembles a program of WASI: `_start` has this code, and the memory begins with this data. */
function program(code, { data = [], pages = 1, name = '_start', from = 'wasi_snapshot_preview1' } = {}) {
  const bytes = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [2, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 0]),
    ...section(2, [1, ...text(from), ...text('fd_write'), 0, 0]),
    ...section(3, [1, 1]),
    ...section(5, [1, 0, ...leb(pages)]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text(name), 0, 1]),
    ...section(10, [1, ...body(code)]),
    ...section(11, [1, 0, 0x41, 0, 0x0b, ...leb(data.length), ...data]),
  ]
  return new Uint8Array(bytes)
}

const words = [...new TextEncoder().encode('hello from outside\n')]
// fd_write(1, 0, 1, 100), with one vector that describes the text at 16.
const HELLO = program([0x41, 1, 0x41, 0, 0x41, 1, 0x41, 0xe4, 0, 0x10, 0, 0x1a], { data: [16, 0, 0, 0, words.length, 0, 0, 0, ...Array(8).fill(0), ...words] })
// loop br 0 end
const LOOP = program([0x03, 0x40, 0x0c, 0, 0x0b])
// loop (memory.grow 64) != -1, br_if 0 end, unreachable
const GREEDY = program([0x03, 0x40, 0x41, 0xc0, 0, 0x40, 0, 0x41, 0x7f, 0x47, 0x0d, 0, 0x0b, 0])

checks['a WASI module from outside runs, alone and in a pipeline'] = () =>
  within({ programs: { hello: HELLO } }, async (sandbox) => {
    const outcome = await sandbox.wasm(HELLO)
    if (outcome.error) throw new Error(JSON.stringify(outcome.error))
    equal([outcome.stdout, outcome.stderr, outcome.exitCode], ['hello from outside\n', '', 0])
    equal((await sandbox.sh('hello | tr a-z A-Z | head -1')).stdout, 'HELLO FROM OUTSIDE\n')
    await sandbox.writeFile('h.wasm', HELLO)
    equal((await sandbox.sh('chmod +x h.wasm; ./h.wasm')).stdout, 'hello from outside\n')
  })

checks['an endless loop in a WASI module ends'] = () =>
  within({}, async (sandbox) => {
    equal((await sandbox.wasm(LOOP, { limits: { timeoutMs: 150 } })).errorClass, 'TIMEOUT')
    const controller = new AbortController()
    const running = sandbox.wasm(LOOP, { signal: controller.signal })
    await sleep(200)
    const [time, outcome] = await timed(() => (controller.abort(), running))
    equal(outcome.errorClass, 'CANCELLED')
    figures['cancel of an endless loop in a WASI module'] = ms(time)
    if (time > 500) throw new Error(`took ${ms(time)}`)
    equal((await sandbox.run('return 1')).result, 1)
  })

checks['memory of a WASI module is limited'] = () =>
  within({ limits: { memoryBytes: 32 * 1024 * 1024 } }, async (sandbox) => {
    const greedy = await sandbox.wasm(GREEDY)
    equal([greedy.errorClass, greedy.error?.limit], ['LIMIT_EXCEEDED', 'memoryBytes'])
    const large = await sandbox.wasm(program([], { pages: 60000 }))
    equal(large.errorClass, 'LIMIT_EXCEEDED')
  })

checks['a module that cannot run is refused with the reason'] = () =>
  within({}, async (sandbox) => {
    const reason = async (module) => {
      const { stderr, error } = await sandbox.wasm(module)
      return stderr + (error?.message ?? '')
    }
    const match = async (module, pattern) => {
      const told = await reason(module)
      if (!pattern.test(told)) throw new Error(`expected ${pattern}, got ${told}`)
    }
    await match(new Uint8Array([1, 2, 3]), /not a WebAssembly module/)
    await match(program([], { from: 'env' }), /imports env.fd_write, which this host does not have/)
    await match(program([], { name: 'main' }), /has no _start/)
    await match(program([0x6a]), /not a valid module/)
    const component = HELLO.slice()
    component.set([0x0d, 0, 1, 0], 4)
    await match(component, /is a component/)
  })
