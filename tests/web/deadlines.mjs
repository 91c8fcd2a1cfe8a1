// Checks of deadlines: the worker has one timer for all of them.
import { checks, equal, timed, within } from './harness.mjs'

/** A tool that waits for longer than any deadline here. */
const WAITS = 'await new Promise((resolve) => setTimeout(resolve, 20_000))'

const ended = async (sandbox, timeoutMs) => {
  const [time, outcome] = await timed(() => sandbox.run(WAITS, { limits: { timeoutMs } }))
  equal(outcome.errorClass, 'TIMEOUT')
  return time
}

checks['a deadline after a later one is kept'] = () =>
  within({}, async (sandbox) => {
    // The timer of this run is not taken back when the run has ended.
    equal((await sandbox.run('return 1', { limits: { timeoutMs: 20_000 } })).result, 1)
    const time = await ended(sandbox, 100)
    equal(time >= 95 && time < 1000, true, `ended after ${time} ms:`)
  })

checks['a deadline after an earlier one is not cut short'] = () =>
  within({}, async (sandbox) => {
    equal((await sandbox.run('return 1', { limits: { timeoutMs: 60 } })).result, 1)
    const time = await ended(sandbox, 300)
    equal(time >= 295 && time < 1200, true, `ended after ${time} ms:`)
  })

checks['two deadlines at once are both kept'] = () =>
  within({}, async (sandbox) => {
    const times = await Promise.all([ended(sandbox, 300), ended(sandbox, 100)])
    equal(times.map((time, i) => time >= [295, 95][i] && time < [1200, 295][i]), [true, true], `ended after ${times} ms:`)
  })
