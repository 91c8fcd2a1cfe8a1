// Checks of the built-in prompt: a tool can neither answer, hide, imitate nor click it.
import { prompt } from '/web/dist/index.js'
import { checks, equal, sleep, within } from './harness.mjs'

const question = () => ({ tool: 't', wishes: [{ choices: [{ capability: 'fs:read:/a', words: 'w', risk: 'low', reason: '' }] }] })

/** Shows a prompt while `use` runs; returns its answer, or `undefined` if nothing answered it. */
async function shown(use) {
  const over = new AbortController()
  let answer
  const asked = prompt(question(), over.signal).then((given) => (answer = given))
  await sleep(700)
  try {
    await use(document.querySelector('cofferdam-prompt'))
    return answer
  } finally {
    over.abort()
    await asked
  }
}

checks['scripts cannot answer the prompt with events of their own'] = async () => {
  const answer = await shown(async (element) => {
    equal([element.shadowRoot, element.childElementCount], [null, 0])
    element.click()
    for (const key of ['Tab', 'Enter', ' ', 'Escape']) {
      for (const target of [element, document, window]) {
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }))
        target.dispatchEvent(new KeyboardEvent('keyup', { key, bubbles: true, composed: true }))
      }
    }
    const box = element.getBoundingClientRect()
    document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, clientX: box.x, clientY: box.y }))
  })
  equal(answer, undefined)
}

checks['tools with every grant on the document cannot reach the prompt while it is shown'] = async () => {
  const capabilities = ['dom:read', 'dom:write', 'dom:write:raw']
  await within({ capabilities }, async (sandbox) => {
    let ended = false
    const attack = `
      const tried = []
      const attempt = async (name, use) => { try { tried.push([name, await use()]) } catch (error) { tried.push([name, error.name]) } }
      await attempt('find', () => btcp.dom.exists('cofferdam-prompt'))
      await attempt('any', async () => (await btcp.dom.querySelectorAll('*')).some((found) => found.tag === 'cofferdam-prompt'))
      await attempt('html', async () => (await btcp.dom.getHTML('html')).includes('cofferdam-prompt'))
      await attempt('hide', () => btcp.dom.setAttribute('cofferdam-prompt', 'style', 'display: none'))
      await attempt('remove', () => btcp.dom.remove('cofferdam-prompt'))
      await attempt('click', () => btcp.dom.click('cofferdam-prompt'))
      await attempt('imitate', () => btcp.dom.append('body', '<cofferdam-prompt></cofferdam-prompt>'))
      return tried`
    let outcome
    const answer = await shown(async (element) => {
      const running = sandbox.run(attack).then((done) => ((outcome = done), (ended = true)))
      await sleep(300)
      // No call on the document is answered before the question is.
      equal(ended, false, 'the tool waits:')
      equal([element.isConnected, getComputedStyle(element).display, document.querySelectorAll('cofferdam-prompt').length], [true, 'block', 1])
      void running
    })
    equal(answer, undefined)
    for (let i = 0; i < 300 && !ended; i++) await sleep(10)
    const found = Object.fromEntries(outcome.result)
    equal([found.find, found.any, found.html, found.remove, found.click], [false, false, false, null, null])
    equal(document.querySelectorAll('cofferdam-prompt').length, 0, 'no imitation:')
  })
}

checks['styles and elements of the page do not hide the prompt'] = async () => {
  const style = document.head.appendChild(document.createElement('style'))
  style.textContent = 'cofferdam-prompt { display: none !important; visibility: hidden !important; opacity: 0 !important; transform: scale(0) !important; } * { z-index: 2147483647 }'
  const cover = document.body.appendChild(document.createElement('div'))
  cover.style.cssText = 'position: fixed; inset: 0; background: red; z-index: 2147483647'
  try {
    const answer = await shown(async (element) => {
      // A modal dialog is in the top layer, above every other element, and has the focus.
      equal(document.elementFromPoint(innerWidth / 2, innerHeight / 2) === element, true, 'on top:')
      equal(document.activeElement === element, true, 'focus:')
      const { display, visibility, opacity, transform } = getComputedStyle(element)
      equal([display, visibility, opacity, transform], ['block', 'visible', '1', 'none'])
    })
    equal(answer, undefined)
  } finally {
    style.remove()
    cover.remove()
  }
}
