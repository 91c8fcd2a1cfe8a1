// Declarations as text: names and values as they were written, no cascade and no layout.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, token, illegal } = internal;

  // `name: value !important; …`, with strings, brackets and comments respected.
  const parse = (text) => {
    const declarations = new Map();
    let start = 0;
    let quote = '';
    let depth = 0;
    text = text.replace(/\/\*[^]*?(?:\*\/|$)/g, '');
    const take = (part) => {
      const colon = part.indexOf(':');
      if (colon < 0) return;
      let name = part.slice(0, colon).trim();
      let value = part.slice(colon + 1).trim();
      if (!/^-?-?[a-zA-Z_][\w-]*$/.test(name) || value === '') return;
      if (!name.startsWith('--')) name = name.toLowerCase();
      let priority = '';
      const important = /\s*!\s*important$/i.exec(value);
      if (important !== null) {
        priority = 'important';
        value = value.slice(0, important.index);
      }
      declarations.delete(name);
      declarations.set(name, { value, priority });
    };
    for (let at = 0; at < text.length; at++) {
      const c = text[at];
      if (quote !== '') {
        if (c === '\\') at++;
        else if (c === quote) quote = '';
      } else if (c === '"' || c === "'") quote = c;
      else if (c === '(') depth++;
      else if (c === ')') depth = Math.max(0, depth - 1);
      else if (c === ';' && depth === 0) {
        take(text.slice(start, at));
        start = at + 1;
      }
    }
    take(text.slice(start));
    return declarations;
  };
  const write = (declarations) => {
    let text = '';
    for (const [name, { value, priority }] of declarations) {
      text += `${text === '' ? '' : ' '}${name}: ${value}${priority && ' !important'};`;
    }
    return text;
  };
  const toName = (key) =>
    key === 'cssFloat'
      ? 'float'
      : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^(webkit|moz|ms)-/, '-$1-');

  class CSSStyleDeclaration {
    #element;
    #writable;
    #source = null;
    #declarations = new Map();

    constructor(given, element, writable) {
      if (given !== token) throw illegal();
      this.#element = element;
      this.#writable = writable;
    }
    #read() {
      const source = dom.attribute(idOf(this.#element), 'style') ?? '';
      if (source !== this.#source) {
        this.#source = source;
        this.#declarations = source === '' ? new Map() : parse(source);
      }
      return this.#declarations;
    }
    #store(declarations) {
      if (!this.#writable) {
        throw new internal.DOMException('Computed styles cannot be changed', 'NoModificationAllowedError');
      }
      internal.setAttribute(this.#element, 'style', write(declarations));
    }

    get cssText() {
      return write(this.#read());
    }
    set cssText(text) {
      this.#store(parse(`${text}`));
    }
    get length() {
      return this.#read().size;
    }
    get parentRule() {
      return null;
    }
    item(index) {
      return [...this.#read().keys()][index >>> 0] ?? '';
    }
    getPropertyValue(name) {
      name = `${name}`;
      return this.#read().get(name.startsWith('--') ? name : name.toLowerCase())?.value ?? '';
    }
    getPropertyPriority(name) {
      return this.#read().get(`${name}`.toLowerCase())?.priority ?? '';
    }
    setProperty(name, value, priority = '') {
      name = `${name}`;
      value = value === null ? '' : `${value}`.trim();
      if (value === '') {
        this.removeProperty(name);
        return;
      }
      const parsed = parse(`${name}: ${value}`);
      if (parsed.size !== 1 || !/^(?:important)?$/i.test(priority ?? '')) return;
      const [[key, declaration]] = parsed;
      if (declaration.priority !== '') return;
      const declarations = new Map(this.#read());
      declarations.set(key, { value: declaration.value, priority: priority ? 'important' : '' });
      this.#store(declarations);
    }
    removeProperty(name) {
      name = `${name}`.startsWith('--') ? `${name}` : `${name}`.toLowerCase();
      const declarations = new Map(this.#read());
      const old = declarations.get(name)?.value ?? '';
      if (declarations.delete(name)) this.#store(declarations);
      return old;
    }
  }
  internal.exposeClass(CSSStyleDeclaration);

  const NAME = /^-?[a-zA-Z][\w-]*$/;
  internal.styleOf = (element, writable) => {
    const target = new CSSStyleDeclaration(token, element, writable);
    return new Proxy(target, {
      get(_, key) {
        if (key in target) {
          const value = Reflect.get(target, key, target);
          return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
        }
        if (typeof key !== 'string') return undefined;
        if (/^\d+$/.test(key)) return target.item(+key) || undefined;
        return NAME.test(key) ? target.getPropertyValue(toName(key)) : undefined;
      },
      has: (_, key) => key in target || (typeof key === 'string' && NAME.test(key)),
      set(_, key, value) {
        if (key in target) return Reflect.set(target, key, value, target);
        if (typeof key === 'string' && NAME.test(key)) target.setProperty(toName(key), value);
        return true;
      },
    });
  };
});
