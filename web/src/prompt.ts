// The built-in prompt: asks the person in front of the page.
//
// A modal dialog in a closed shadow tree, above everything else on the page. Only trusted events
// count, and only after a short delay, so that a click meant for the page does not decide anything.
// Texts are shown as text.

import { OURS } from './document.js'
import type { Answer, Question } from './types.js'

/** Milliseconds before the buttons work. */
const DELAY = 500

const STYLE = `
:host { all: initial !important; display: block !important; }
dialog { font: 15px/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff; border: 1px solid #c9ced6;
  border-radius: 10px; padding: 20px 22px; width: min(34rem, calc(100vw - 48px)); box-sizing: border-box;
  box-shadow: 0 12px 40px rgb(0 0 0 / .28); }
dialog::backdrop { background: rgb(20 24 30 / .45); }
h2 { font-size: 16px; margin: 0 0 4px; }
.tool { color: #57606a; margin: 0 0 14px; overflow-wrap: anywhere; }
label { display: grid; grid-template-columns: auto 1fr; gap: 2px 10px; padding: 8px 10px; border: 1px solid #dfe3e8;
  border-radius: 8px; margin-bottom: 6px; cursor: pointer; }
label:has(:checked) { border-color: #2f6f4f; background: #f2f8f4; }
input { margin-top: 4px; accent-color: #2f6f4f; grid-row: span 2; }
code { font: 13px ui-monospace, monospace; color: #57606a; overflow-wrap: anywhere; }
.high { color: #b3261e; } .medium { color: #8a5a00; }
.buttons { display: flex; gap: 8px; justify-content: flex-end; margin-top: 16px; flex-wrap: wrap; }
button { font: inherit; padding: 7px 14px; border-radius: 7px; border: 1px solid #c9ced6; background: #f6f7f9; color: inherit; cursor: pointer; }
button.yes { background: #2f6f4f; border-color: #2f6f4f; color: #fff; }
button:disabled { opacity: .5; cursor: default; }
`

let last: Promise<unknown> = Promise.resolve()
let open = 0

/** Waits until no question is shown. No tool changes the document meanwhile. */
export async function closed(): Promise<void> {
  while (open > 0) await last
}

/** Asks the person; one question at a time. Questions that nobody waits for any more are not shown. */
export function prompt(question: Question, over?: AbortSignal): Promise<Answer> {
  open++
  const asked = last.then(() => show(question, over)).finally(() => open--)
  last = asked.catch(() => {})
  return asked
}

function show(question: Question, over?: AbortSignal): Promise<Answer> {
  if (over?.aborted) return Promise.resolve({ allow: false })
  return new Promise((resolve) => {
    const element = document.createElement(OURS)
    const shadow = element.attachShadow({ mode: 'closed' })
    const make = <K extends keyof HTMLElementTagNameMap>(name: K, text: string, at: Node, className = '') => {
      const made = document.createElement(name)
      made.textContent = text
      made.className = className
      at.appendChild(made)
      return made
    }
    make('style', STYLE, shadow)
    const dialog = make('dialog', '', shadow)
    make('h2', 'Allow this?', dialog)
    make('p', question.at ? `${question.tool}, ${question.at}` : question.tool, dialog, 'tool')
    const chosen = question.wishes.map((wish, index) => {
      const inputs = wish.choices.map((choice, number) => {
        const label = make('label', '', dialog)
        const input = make('input', '', label)
        input.type = 'radio'
        input.name = `wish${index}`
        input.checked = number === 0
        make('span', choice.words, label)
        const line = make('span', '', label)
        make('code', choice.capability, line)
        make('span', choice.reason ? ` — ${choice.risk} risk: ${choice.reason}` : ` — ${choice.risk} risk`, line, choice.risk)
        return input
      })
      return () => wish.choices[Math.max(0, inputs.findIndex((input) => input.checked))]!.capability
    })
    const buttons = make('div', '', dialog, 'buttons')
    const end = (answer: Answer) => {
      over?.removeEventListener('abort', cancel)
      clearTimeout(timer)
      element.remove()
      resolve(answer)
    }
    const cancel = () => end({ allow: false })
    const button = (text: string, answer: () => Answer, className = '') => {
      const made = make('button', text, buttons, className)
      made.disabled = true
      made.addEventListener('click', (event) => {
        if (event.isTrusted) end(answer())
      })
      return made
    }
    const grant = (span: Answer['span']) => (): Answer => ({
      span,
      decisions: chosen.map((capability) => ({ capability: capability() })),
    })
    const all = [
      button('Deny', () => ({ allow: false })),
      button('Allow in this session', grant('session')),
      button('Allow once', grant('once'), 'yes'),
    ]
    const timer = setTimeout(() => all.forEach((made) => (made.disabled = false)), DELAY)
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      if (event.isTrusted) cancel()
    })
    over?.addEventListener('abort', cancel)
    document.documentElement.appendChild(element)
    dialog.showModal()
    all[0]!.focus()
  })
}
