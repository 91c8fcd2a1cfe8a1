// The live document, as tools reach it.
//
// A grant selects elements; these and their descendants are reachable. A tool's selector is matched
// on a detached copy of each outermost element of a grant, so that it can detect nothing outside:
// there are no ancestors and no siblings. Tools receive copies and handles, never nodes. Markup and
// attributes arrive sanitised by the host.

/** Selectors of one kind of access; `null` is the whole document. */
type Reach = string[] | null

export interface Call {
  operation: string
  handle: string
  grants: { read: Reach; write: Reach; raw: Reach }
  selector?: string
  /** Handle of an element to search below. */
  within?: number | null
  /** Handle of the element. */
  element?: number
  text?: string
  more?: string
}

/** Most elements in one answer. */
const MAX_ELEMENTS = 10_000
/** Most characters of text, and of HTML, in the copy of a single element. */
const MAX_SINGLE = 64 * 1024
/** Most characters of text, and of HTML, in each copy of several elements. */
const MAX_EACH = 4 * 1024
/** Most characters of all copies in one answer. */
const MAX_ANSWER = 1024 * 1024
/** Most elements that a sandbox can hold handles of. */
const MAX_HANDLES = 100_000

const WRITES = new Set(['setText', 'setAttribute', 'setHtml', 'append', 'remove', 'click', 'fill', 'submit', 'describe'])

/** An error whose name the tool sees. */
const failure = (name: string, message: string): Error => Object.assign(new Error(`${name}: ${message}`), { name })

/** Elements that belong to Cofferdam and that no tool reaches. */
export const OURS = 'cofferdam-prompt'

export class LiveDocument {
  readonly #document: Document
  /** True for the document of a frame, which must stay where it is, whatever is granted. */
  readonly #isFrame: boolean
  readonly #handles: (WeakRef<Element> | undefined)[] = [undefined]
  readonly #numbers = new WeakMap<Element, number>()
  /** Elements that each selector of a grant selected when it was first used; a tool's own changes
      do not make more of the document reachable. */
  readonly #named = new Map<string, Element[]>()

  constructor(document: Document, { isFrame = false } = {}) {
    this.#document = document
    this.#isFrame = isFrame
  }

  /** Forgets the elements that grants selected, after the page has changed by itself. */
  changed(): void {
    this.#named.clear()
  }

  /** Carries out a permitted call. */
  answer(call: Call): unknown {
    const reach = WRITES.has(call.operation) ? call.grants.write : call.grants.read
    switch (call.operation) {
      case 'find': {
        const [found] = this.#matches(reach, call, 1)
        return found ? this.#copy(found, MAX_SINGLE) : null
      }
      case 'findAll': {
        const found = this.#matches(reach, call, MAX_ELEMENTS)
        let room = MAX_ANSWER
        return found.map((element) => {
          const copy = this.#copy(element, Math.min(MAX_EACH, room / 2))
          room -= copy.text.length + copy.html.length + 128
          if (room < 0) throw failure('QuotaExceededError', 'answer: longer than 1 MiB')
          return copy
        })
      }
      case 'count':
        return this.#matches(reach, call, MAX_ELEMENTS).length
    }
    const element = this.#resolve(reach, call)
    if (call.operation === 'exists') return element !== undefined
    if (!element) return null
    if (WRITES.has(call.operation)) return this.#write(call, element)
    switch (call.operation) {
      case 'text':
        return cut(element.textContent ?? '', MAX_ANSWER)
      case 'attribute':
        return element.getAttribute(call.text ?? '')
      case 'html':
        return cut(visible(element).innerHTML, MAX_ANSWER)
    }
    throw failure('NotSupportedError', `${call.operation}: unknown operation`)
  }

  #write(call: Call, element: Element): unknown {
    const text = call.text ?? ''
    switch (call.operation) {
      case 'describe': {
        const raw = this.#reaches(call.grants.raw, element)
        if (!raw && element.closest('noscript')) {
          throw failure('NotSupportedError', 'noscript: a tool must not change the content')
        }
        return { tag: element.localName, raw }
      }
      case 'setText':
        element.textContent = text
        return true
      case 'setAttribute':
        if (this.#isFrame && /^(http-equiv|srcdoc)$/i.test(call.more ?? '')) throw failure('NotSupportedError', `${call.more}: not in a frame`)
        element.setAttribute(call.more ?? '', text)
        return true
      case 'setHtml':
        element.innerHTML = this.#isFrame ? staying(text) : text
        return true
      case 'append':
        element.insertAdjacentHTML('beforeend', this.#isFrame ? staying(text) : text)
        return true
      case 'remove':
        if (element === this.#document.documentElement) throw failure('NotSupportedError', 'html: stays')
        element.remove()
        return true
      case 'click':
        ;(element as HTMLElement).click()
        return true
      case 'fill':
        return fill(element, text)
      case 'submit': {
        const form = element.closest('form') ?? (element as HTMLInputElement).form
        if (!form) return null
        form.requestSubmit()
        return true
      }
    }
    throw failure('NotSupportedError', `${call.operation}: unknown operation`)
  }

  /** Returns the outermost elements of a grant. */
  #roots(reach: Reach): Element[] {
    if (reach === null) return [this.#document.documentElement]
    const selected = reach.flatMap((selector) => this.#selected(selector)).filter((element) => element.isConnected)
    return [...new Set(selected)].filter(
      (element) => !selected.some((other) => other !== element && other.contains(element)),
    )
  }

  #selected(selector: string): Element[] {
    let elements = this.#named.get(selector)
    if (!elements) {
      elements = [...query(this.#document, selector)].filter((element) => !element.closest(OURS))
      // An element that is not there yet may come.
      if (elements.length > 0) this.#named.set(selector, elements)
    }
    return elements
  }

  #reaches(reach: Reach, element: Element): boolean {
    if (!element.isConnected || element.closest(OURS)) return false
    return this.#roots(reach).some((root) => root.contains(element))
  }

  #matches(reach: Reach, call: Call, most: number): Element[] {
    const selector = call.selector ?? ''
    // A malformed selector is an error, whatever is there.
    query(this.#document.createDocumentFragment(), selector)
    let roots = this.#roots(reach)
    if (call.within != null) {
      const element = this.#handled(call.within)
      if (!element || !this.#reaches(reach, element)) return []
      return below(element, selector, most)
    }
    // A tool that uses exactly the text of a grant receives what the grant selected.
    if (reach?.includes(selector)) {
      const named = this.#selected(selector).filter((element) => element.isConnected)
      if (named.length > 0) return named.slice(0, most)
    }
    const found: Element[] = []
    for (const root of roots) {
      found.push(...among(root, selector, most - found.length))
      if (found.length >= most) break
    }
    return found
  }

  #resolve(reach: Reach, call: Call): Element | undefined {
    if (call.element === undefined) return this.#matches(reach, call, 1)[0]
    const element = this.#handled(call.element)
    return element && this.#reaches(reach, element) ? element : undefined
  }

  #handled(number: number): Element | undefined {
    return this.#handles[number]?.deref()
  }

  #number(element: Element): number {
    let number = this.#numbers.get(element)
    if (number === undefined) {
      if (this.#handles.length > MAX_HANDLES) throw failure('QuotaExceededError', 'handles: too many elements')
      number = this.#handles.push(new WeakRef(element)) - 1
      this.#numbers.set(element, number)
    }
    return number
  }

  #copy(element: Element, each: number) {
    const shown = visible(element)
    const text = shown.textContent ?? ''
    const html = shown.outerHTML
    return {
      element: this.#number(element),
      tag: element.localName,
      id: element.hasAttribute('id') ? element.id : null,
      classes: [...element.classList],
      attributes: [...element.attributes].map((attribute) => [attribute.name, attribute.value]),
      text: cut(text, each),
      html: cut(html, each),
      cut: text.length > each || html.length > each,
    }
  }
}

const cut = (text: string, most: number): string => text.slice(0, Math.max(0, Math.floor(most)))

/** Returns markup without elements that take a document elsewhere or load another. */
function staying(html: string): string {
  const template = document.createElement('template')
  template.innerHTML = html
  template.content.querySelectorAll('meta, base, link, script, iframe, object, embed').forEach((element) => element.remove())
  return template.innerHTML
}

/** Returns the element, or a copy of it without Cofferdam's own elements. */
function visible(element: Element): Element {
  if (!element.querySelector(OURS)) return element
  const copy = element.cloneNode(true) as Element
  copy.querySelectorAll(OURS).forEach((ours) => ours.remove())
  return copy
}

function query(within: ParentNode, selector: string): NodeListOf<Element> {
  try {
    return within.querySelectorAll(selector)
  } catch {
    throw failure('SyntaxError', `'${cut(selector, 120)}': is not a valid selector`)
  }
}

/** Returns the matches among an element and its descendants, found in a copy without surroundings. */
function among(root: Element, selector: string, most: number): Element[] {
  const inert = document.implementation.createHTMLDocument('')
  const fragment = inert.createDocumentFragment()
  fragment.append(inert.importNode(root, true))
  const wanted = new Set(query(fragment, selector))
  const [copies, originals] = [fragment.firstElementChild!, root]
  return matched(copies, originals, wanted, most)
}

/** Returns the matches among the descendants of an element. */
function below(element: Element, selector: string, most: number): Element[] {
  return among(element, selector, most + 1)
    .filter((found) => found !== element)
    .slice(0, most)
}

/** Walks a copy and its original in step, and returns the originals of the wanted elements. */
function matched(copy: Element, original: Element, wanted: Set<Element>, most: number): Element[] {
  const found: Element[] = []
  const copies = copy.ownerDocument.createTreeWalker(copy, NodeFilter.SHOW_ELEMENT)
  const originals = original.ownerDocument.createTreeWalker(original, NodeFilter.SHOW_ELEMENT)
  for (let more = true; more && found.length < most; ) {
    const node = originals.currentNode as Element
    if (wanted.has(copies.currentNode as Element) && !node.closest(OURS)) found.push(node)
    more = copies.nextNode() !== null && originals.nextNode() !== null
  }
  return found
}

/** Fills a field as a person would. */
function fill(element: Element, value: string): boolean {
  if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) {
    element.checked = value === 'true' || value === 'on' || value === element.value
  } else if (element instanceof HTMLInputElement && element.type === 'file') {
    throw failure('NotSupportedError', 'input: a tool must not choose files')
  } else if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  ) {
    element.value = value
  } else {
    throw failure('NotSupportedError', `${element.localName}: is not a field`)
  }
  element.dispatchEvent(new Event('input', { bubbles: true }))
  element.dispatchEvent(new Event('change', { bubbles: true }))
  return true
}
