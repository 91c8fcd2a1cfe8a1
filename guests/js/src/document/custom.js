// Custom elements: the registry, upgrades, and the reactions of elements to changes of the tree.
//
// A change queues its reactions and runs them when the tree is whole again, so that no callback
// sees or disturbs a change half made. Nothing here runs before a program defines an element or
// attaches a shadow root.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, isNode, moreOf, token, typeOf, wrap, wrapAll } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const RESERVED = new Set(
    'annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name missing-glyph'.split(
      ' ',
    ),
  );
  const fault = (text, name) => new internal.DOMException(text, name);
  const isValidName = (name) =>
    /^[a-z][^\0\t\n\f\r A-Z/>]*$/.test(name) && name.includes('-') && !RESERVED.has(name);
  internal.isCustomName = isValidName;

  // name → definition: { name, localName, constructor, callbacks, observed, stack, … }
  const definitions = new Map();
  const byConstructor = new Map();
  // name → { promise, resolve }
  const awaited = new Map();

  // The definition for an element of the main document, or undefined.
  const lookup = (localName, is) => {
    const own = definitions.get(localName);
    if (own !== undefined && own.localName === localName) return own;
    const other = is === undefined ? undefined : definitions.get(is);
    return other !== undefined && other.localName === localName ? other : undefined;
  };
  const definitionFor = (element) => {
    const id = idOf(element);
    if (!internal.isHtmlElement(element) || dom.owner(id) !== dom.main || dom.isInert(id)) return undefined;
    return lookup(internal.localNameOf(element), moreOf(element)?.is);
  };
  internal.definitionFor = definitionFor;
  const stateOf = (element) => moreOf(element)?.state;

  // Queues of the elements that have reactions; the last belongs to the change under way.
  const stack = [];
  const enqueue = (element, reaction) => {
    const more = internal.moreFor(element);
    (more.reactions ??= []).push(reaction);
    const queue = stack[stack.length - 1];
    if (queue !== undefined) queue.push(element);
    else queueMicrotask(() => drain([element]));
  };
  const drain = (elements) => {
    for (let at = 0; at < elements.length; at++) {
      const more = internal.moreFor(elements[at]);
      for (let reactions = more.reactions; reactions !== undefined && reactions.length > 0; reactions = more.reactions) {
        const reaction = reactions.shift();
        try {
          reaction(elements[at]);
        } catch (error) {
          internal.report(error);
        }
      }
    }
  };
  // Runs a change, then the reactions to it.
  internal.react = (change) => {
    const queue = [];
    stack.push(queue);
    try {
      return change();
    } finally {
      stack.pop();
      drain(queue);
    }
  };
  const call = (element, name, args) => {
    const more = moreOf(element);
    if (more?.state !== 'custom' && more?.state !== 'upgrading') return;
    const callback = more.definition.callbacks[name];
    if (callback === undefined) return;
    if (name === 'attributeChangedCallback' && !more.definition.observed.has(args[0])) return;
    enqueue(element, () => void Reflect.apply(callback, element, args));
  };
  const tryUpgrade = (element) => {
    const state = stateOf(element);
    if (state !== undefined) return;
    const definition = definitionFor(element);
    if (definition !== undefined) enqueue(element, () => upgrade(element, definition));
  };

  const DONE = null;
  const upgrade = (element, definition) => {
    const more = internal.moreFor(element);
    if (more.state !== undefined) return;
    more.definition = definition;
    more.state = 'upgrading';
    const parts = dom.attributes(idOf(element));
    for (let at = 0; at < parts.length; at += 4) {
      call(element, 'attributeChangedCallback', [parts[at + 2], null, parts[at + 3], parts[at] || null]);
    }
    if (element.isConnected) call(element, 'connectedCallback', []);
    definition.stack.push(element);
    try {
      if (definition.disablesShadow && more.shadow !== undefined) {
        throw fault('The definition does not allow a shadow root', 'NotSupportedError');
      }
      const made = Reflect.construct(definition.constructor, []);
      if (made !== element) throw new TypeError('The constructor of a custom element returned another object');
    } catch (error) {
      more.definition = undefined;
      more.state = 'failed';
      more.reactions = undefined;
      throw error;
    } finally {
      definition.stack.pop();
    }
    more.state = 'custom';
    dom.setCustom(idOf(element), true);
  };

  // `super()` of a custom element's constructor: makes an element, or gives the one that is upgraded.
  internal.constructElement = (target) => {
    const definition = byConstructor.get(target);
    if (definition === undefined) throw internal.illegal();
    let Base = target;
    while (Base !== null && !internal.isInterface(Base)) Base = Object.getPrototypeOf(Base);
    // The interface may be behind a proxy.
    Base ??= internal.classFor(definition.name === definition.localName ? '' : definition.localName);
    if (Base !== internal.classFor(definition.name === definition.localName ? '' : definition.localName)) {
      throw new TypeError('Illegal constructor: the element has another interface');
    }
    let { prototype } = target;
    if ((typeof prototype !== 'object' && typeof prototype !== 'function') || prototype === null) {
      prototype = Base.prototype;
    }
    const waiting = definition.stack;
    if (waiting.length === 0) {
      internal.tidy();
      const id = dom.createHtml(dom.main, definition.localName);
      const element = new Base(token, id, dom.names(id));
      Object.setPrototypeOf(element, prototype);
      const more = internal.moreFor(element);
      if (definition.name !== definition.localName) more.is = definition.name;
      more.state = 'custom';
      more.definition = definition;
      dom.setCustom(id, true);
      return element;
    }
    const element = waiting[waiting.length - 1];
    if (element === DONE) throw new TypeError('The element was constructed already');
    Object.setPrototypeOf(element, prototype);
    waiting[waiting.length - 1] = DONE;
    return element;
  };

  // An element made by `createElement`, whose constructor runs at once. `plain` makes one without.
  const created = (localName, definition) => {
    const made = Reflect.construct(definition.constructor, []);
    if (!isNode(made) || typeOf(made) !== 1 || !internal.isHtmlElement(made)) {
      throw new TypeError('The constructor of a custom element returned no HTML element');
    }
    const id = idOf(made);
    const isFresh =
      dom.attributes(id).length === 0 &&
      dom.first(id) === 0 &&
      dom.parent(id) === 0 &&
      dom.owner(id) === dom.main &&
      internal.localNameOf(made) === localName;
    if (!isFresh) throw fault('The constructor of a custom element changed the element', 'NotSupportedError');
    return made;
  };
  internal.createCustom = (document, localName, is, plain) => {
    const definition = idOf(document) === dom.main ? lookup(localName, is) : undefined;
    if (definition !== undefined && definition.localName === definition.name) {
      try {
        return created(localName, definition);
      } catch (error) {
        internal.report(error);
        const element = internal.makeUnknown(plain());
        internal.moreFor(element).state = 'failed';
        return element;
      }
    }
    const element = wrap(plain());
    if (is === undefined) return element;
    internal.moreFor(element).is = is;
    dom.setCustom(idOf(element), false);
    if (definition === undefined) return element;
    internal.react(() => {
      try {
        upgrade(element, definition);
      } catch (error) {
        internal.report(error);
      }
    });
    return element;
  };
  internal.hasDefinitions = () => definitions.size > 0;

  const customBelow = (node) => wrapAll(dom.customBelow(idOf(node), true));
  const isInDocument = (node) => dom.kind(dom.composedRoot(idOf(node))) === 9;

  // Before `node` leaves its parent: the elements that will be told.
  internal.departing = (node) => {
    if (definitions.size === 0 || !isInDocument(node)) return undefined;
    const elements = customBelow(node);
    return elements.length === 0 ? undefined : elements;
  };
  internal.departed = (elements) => {
    for (const element of elements) call(element, 'disconnectedCallback', []);
  };
  // After `node` came to its place, from the document with the number `from`.
  internal.arrived = (node, from) => {
    if (definitions.size === 0) return;
    const elements = customBelow(node);
    if (elements.length === 0) return;
    if (from !== dom.owner(idOf(node))) adopted(elements, from);
    if (!isInDocument(node)) return;
    for (const element of elements) {
      if (stateOf(element) === 'custom') call(element, 'connectedCallback', []);
      else tryUpgrade(element);
    }
  };
  const adopted = (elements, from) => {
    for (const element of elements) {
      if (stateOf(element) === 'custom') {
        call(element, 'adoptedCallback', [wrap(from), element.ownerDocument]);
      }
    }
  };
  internal.adopted = (node, from) => {
    if (definitions.size > 0) adopted(customBelow(node), from);
  };
  // Copies get what markup does not say, and are upgraded even outside of the document.
  internal.copied = (original, copy, isImported) => {
    // A copy of what is in a template stays in the document of templates, which has no definitions.
    const isLive = isImported || !dom.isInert(idOf(original));
    // Both lists name the same elements; that of a shallow copy is shorter.
    const from = wrapAll(dom.customBelow(idOf(original), false));
    const to = wrapAll(dom.customBelow(idOf(copy), false));
    for (let at = 0; at < to.length; at++) {
      const is = moreOf(from[at])?.is;
      if (is !== undefined) internal.moreFor(to[at]).is ??= is;
      if (isLive) tryUpgrade(to[at]);
    }
  };
  internal.attributeReacts = (element, local, namespace, old, value) => {
    if (stateOf(element) === 'custom') call(element, 'attributeChangedCallback', [local, old, value, namespace]);
  };

  const CALLBACKS = ['connectedCallback', 'disconnectedCallback', 'adoptedCallback', 'attributeChangedCallback'];
  const FORM_CALLBACKS = ['formAssociatedCallback', 'formResetCallback', 'formDisabledCallback', 'formStateRestoreCallback'];
  // A function that cannot be called with `new` cannot be the target of a constructing proxy.
  const isConstructor = (value) => {
    if (typeof value !== 'function') return false;
    try {
      new (new Proxy(value, { construct: () => ({}) }))();
      return true;
    } catch {
      return false;
    }
  };
  const textsOf = (list, what) => {
    if (list === undefined) return [];
    if ((typeof list !== 'object' && typeof list !== 'function') || list === null || typeof list[Symbol.iterator] !== 'function') {
      throw internal.wrongType(what, 'a sequence', list);
    }
    return Array.from(list, (item) => `${item}`);
  };
  let isDefining = false;

  class CustomElementRegistry {
    constructor(given) {
      if (given !== token) throw internal.illegal();
    }
    define(name, constructor, options = undefined) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'define' on 'CustomElementRegistry'");
      name = `${name}`;
      if (!isConstructor(constructor)) throw internal.wrongType('constructor', 'a constructor', constructor);
      const parent = options?.extends === undefined ? undefined : `${options.extends}`;
      if (!isValidName(name)) throw fault(`'${name}' is not a valid name of a custom element`, 'SyntaxError');
      if (definitions.has(name)) throw fault(`'${name}' is defined already`, 'NotSupportedError');
      if (byConstructor.has(constructor)) throw fault('The constructor is in use already', 'NotSupportedError');
      let localName = name;
      if (parent !== undefined) {
        if (isValidName(parent)) throw fault(`'${parent}' is a custom element`, 'NotSupportedError');
        if (internal.classFor(parent) === undefined) throw fault(`'${parent}' is not an element of HTML`, 'NotSupportedError');
        localName = parent;
      }
      if (isDefining) throw fault('Another element is being defined', 'NotSupportedError');
      isDefining = true;
      const callbacks = { __proto__: null };
      let observed = [];
      let disabled = [];
      try {
        const { prototype } = constructor;
        if ((typeof prototype !== 'object' && typeof prototype !== 'function') || prototype === null) {
          throw internal.wrongType('constructor.prototype', 'of type object', prototype);
        }
        const take = (key) => {
          const callback = prototype[key];
          if (callback === undefined) return;
          if (typeof callback !== 'function') throw internal.wrongType(key, 'of type function', callback);
          callbacks[key] = callback;
        };
        CALLBACKS.forEach(take);
        if (callbacks.attributeChangedCallback !== undefined) {
          observed = textsOf(constructor.observedAttributes, 'observedAttributes');
        }
        disabled = textsOf(constructor.disabledFeatures, 'disabledFeatures');
        if (constructor.formAssociated) FORM_CALLBACKS.forEach(take);
      } finally {
        isDefining = false;
      }
      const definition = {
        name,
        localName,
        constructor,
        callbacks,
        observed: new Set(observed),
        disablesShadow: disabled.includes('shadow'),
        disablesInternals: disabled.includes('internals'),
        stack: [],
      };
      definitions.set(name, definition);
      byConstructor.set(constructor, definition);
      internal.isReactive = true;
      internal.react(() => {
        for (const element of wrapAll(dom.customBelow(dom.main, true))) {
          if (definitionFor(element) === definition) tryUpgrade(element);
        }
      });
      awaited.get(name)?.resolve(constructor);
      awaited.delete(name);
    }
    get(name) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'get' on 'CustomElementRegistry'");
      return definitions.get(`${name}`)?.constructor;
    }
    getName(constructor) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'getName' on 'CustomElementRegistry'");
      if (typeof constructor !== 'function') throw internal.wrongType('constructor', 'of type function', constructor);
      return byConstructor.get(constructor)?.name ?? null;
    }
    whenDefined(name) {
      name = `${name}`;
      if (!isValidName(name)) {
        return Promise.reject(fault(`'${name}' is not a valid name of a custom element`, 'SyntaxError'));
      }
      const known = definitions.get(name);
      if (known !== undefined) return Promise.resolve(known.constructor);
      let entry = awaited.get(name);
      if (entry === undefined) awaited.set(name, (entry = Promise.withResolvers()));
      return entry.promise;
    }
    upgrade(root) {
      internal.id(root);
      internal.react(() => {
        for (const element of customBelow(root)) tryUpgrade(element);
      });
    }
  }
  internal.exposeClass(CustomElementRegistry);
  internal.exposeObject('customElements', new CustomElementRegistry(token));

  // Reflections for accessibility; nothing here reads them.
  const ARIA =
    'role ariaAtomic ariaAutoComplete ariaBusy ariaChecked ariaColCount ariaColIndex ariaColSpan ariaCurrent ariaDescription ariaDisabled ariaExpanded ariaHasPopup ariaHidden ariaInvalid ariaKeyShortcuts ariaLabel ariaLevel ariaLive ariaModal ariaMultiLine ariaMultiSelectable ariaOrientation ariaPlaceholder ariaPosInSet ariaPressed ariaReadOnly ariaRelevant ariaRequired ariaRoleDescription ariaRowCount ariaRowIndex ariaRowSpan ariaSelected ariaSetSize ariaSort ariaValueMax ariaValueMin ariaValueNow ariaValueText'.split(
      ' ',
    );
  class ElementInternals {
    #element;
    #aria = new Map();
    static {
      for (const key of ARIA) {
        const accessors = {
          get [key]() {
            return this.#aria.get(key) ?? null;
          },
          set [key](value) {
            this.#aria.set(key, value === null || value === undefined ? null : `${value}`);
          },
        };
        Object.defineProperty(this.prototype, key, Object.getOwnPropertyDescriptor(accessors, key));
      }
    }
    constructor(given, element) {
      if (given !== token) throw internal.illegal();
      this.#element = element;
    }
    get shadowRoot() {
      return moreOf(this.#element)?.shadow ?? null;
    }
  }
  internal.exposeClass(ElementInternals);
  internal.mix(HTMLElement, {
    attachInternals() {
      const more = moreOf(this);
      const definition = lookup(internal.localNameOf(this), undefined);
      if (more?.is !== undefined || definition === undefined) {
        throw fault('The element is not an autonomous custom element', 'NotSupportedError');
      }
      if (definition.disablesInternals) throw fault('The definition does not allow internals', 'NotSupportedError');
      if (more?.internals !== undefined) throw fault('The element has internals already', 'NotSupportedError');
      if (more?.state !== 'custom' && more?.state !== 'upgrading') {
        throw fault('The constructor of the element has not run', 'NotSupportedError');
      }
      return (more.internals = new ElementInternals(token, this));
    },
  });
  // Attributes of ARIA are properties of every element.
  for (const key of ARIA) {
    const name = key === 'role' ? 'role' : `aria-${key.slice(4).toLowerCase()}`;
    internal.mix(
      Element,
      Object.defineProperty({}, key, {
        ...Object.getOwnPropertyDescriptor(
          {
            get [key]() {
              return this.getAttribute(name);
            },
            set [key](value) {
              if (value === null || value === undefined) this.removeAttribute(name);
              else this.setAttribute(name, `${value}`);
            },
          },
          key,
        ),
      }),
    );
  }
});
