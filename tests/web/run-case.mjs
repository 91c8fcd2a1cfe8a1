// Runs one case of the case files in a page.
import { Sandbox } from '/web/dist/index.js'

/** Runs one case of the case files; returns the differences. */
export async function runCase(one) {
  const options = {
    capabilities: one.grants,
    files: one.files,
    limits: one.limits,
    boundary: one.boundary,
    document: null,
    page: one.page,
    pinned: { seed: 1, links: one.links, ...(one.hasRealClock ? {} : { clock: 1700000000000 }) },
  }
  const differences = []
  const differ = (kind, expected, actual) => {
    if (expected !== actual) differences.push(`${kind}\n  expected: ${expected ?? '(nothing)'}\n  got:      ${actual ?? '(nothing)'}`)
  }
  let sandbox
  try {
    sandbox = await Sandbox.create(options)
  } catch (error) {
    differ('error', one.steps[0].expected.error, `REFUSED ${error.message}`)
    return differences.join('\n')
  }
  try {
    for (const { kind, source, args, expected } of one.steps) {
      const before = (await sandbox.heldPage()).html
      const session = one.isSession ? 'case' : undefined
      const language = kind.startsWith('ts') ? 'ts' : 'js'
      let outcome
      try {
        outcome = kind === 'sh' ? await sandbox.sh(source) : await sandbox.run(source, { args, session, language })
      } catch (error) {
        differ('error', expected.error, `REFUSED ${error.message}`)
        continue
      }
      const wanted = expected.result === undefined ? null : JSON.parse(expected.result)
      differ('result', JSON.stringify(wanted), JSON.stringify(outcome.result))
      // A result of `undefined` is `null` in JSON, with a note that the case files do not have.
      const notes = expected.result === undefined ? [] : (outcome.resultNotes ?? [])
      differ('notes', expected.notes, notes.map((n) => `${n.path}: ${n.was} -> ${n.became}`).join('\n') || undefined)
      differ('error', expected.error?.split('\n')[0], described(outcome))
      differ('stdout', expected.stdout, text(outcome.stdout))
      differ('stderr', expected.stderr, text(outcome.stderr)?.replace(/req_[a-z0-9]+/gi, 'req_…'))
      const code = outcome.error ? undefined : outcome.exitCode || undefined
      differ('exit', expected.exit, code?.toString())
      const held = await sandbox.heldPage()
      differ('page-out', expected['page-out'], held.html === before ? undefined : text(held.html))
      const cut = ['stdout', 'stderr'].filter((stream) => outcome.truncated[stream]).join('\n')
      differ('truncated', expected.truncated, cut || undefined)
    }
  } finally {
    sandbox.destroy()
  }
  return differences.join('\n')
}

const text = (output) => (output ?? '').replace(/\n$/, '') || undefined

function described({ error, errorClass }) {
  if (!error) return undefined
  if (errorClass === 'CAPABILITY_DENIED') return `${errorClass} ${error.requiredPermission}`
  const name = error.name ? `${error.name}: ` : ''
  return `${errorClass} ${name}${error.message.replaceAll('\n', '\\n')}`.trimEnd()
}
