// DOMTokenList and DOMStringMap: views of attributes.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, token, illegal } = internal;
  const split = (text) => text.match(/[^\t\n\f\r ]+/g) ?? [];

  class DOMTokenList {
    #element;
    #name;
    // Tokens that have a meaning, if there is a list of them.
    #supported;

    constructor(given, element, name, supported) {
      if (given !== token) throw illegal();
      this.#element = element;
      this.#name = name;
      this.#supported = supported;
    }

    #list() {
      return [...new Set(split(this.value))];
    }
    #check(tokens) {
      if (tokens.includes('')) throw new internal.DOMException('The token is empty', 'SyntaxError');
      for (const one of tokens) {
        if (/[\t\n\f\r ]/.test(one)) {
          throw new internal.DOMException(
            `The token '${one}' has white space in it`,
            'InvalidCharacterError',
          );
        }
      }
      return tokens;
    }
    #store(list) {
      if (list.length === 0 && !this.#element.hasAttribute(this.#name)) return;
      internal.setAttribute(this.#element, this.#name, list.join(' '));
    }

    get value() {
      return dom.attribute(idOf(this.#element), this.#name) ?? '';
    }
    set value(value) {
      internal.setAttribute(this.#element, this.#name, `${value}`);
    }
    get length() {
      return this.#list().length;
    }
    item(index) {
      return this.#list()[index >>> 0] ?? null;
    }
    contains(one) {
      return split(this.value).includes(`${one}`);
    }
    add(...tokens) {
      tokens = this.#check(tokens.map(String));
      this.#store([...new Set([...this.#list(), ...tokens])]);
    }
    remove(...tokens) {
      tokens = this.#check(tokens.map(String));
      this.#store(this.#list().filter((one) => !tokens.includes(one)));
    }
    toggle(one, force = undefined) {
      [one] = this.#check([`${one}`]);
      const has = this.contains(one);
      const wanted = force === undefined ? !has : Boolean(force);
      if (wanted && !has) this.add(one);
      else if (!wanted && has) this.remove(one);
      return wanted;
    }
    replace(old, one) {
      [old, one] = this.#check([`${old}`, `${one}`]);
      const list = this.#list();
      const at = list.indexOf(old);
      if (at < 0) return false;
      list[at] = one;
      this.#store([...new Set(list)]);
      return true;
    }
    supports(one) {
      if (this.#supported === undefined) throw new TypeError('DOMTokenList has no supported tokens');
      return this.#supported.has(`${one}`.toLowerCase());
    }
    forEach(callback, self = undefined) {
      this.#list().forEach((one, index) => Reflect.apply(callback, self, [one, index, this]));
    }
    entries() {
      return this.#list().entries();
    }
    keys() {
      return this.#list().keys();
    }
    values() {
      return this.#list().values();
    }
    [Symbol.iterator]() {
      return this.#list().values();
    }
    toString() {
      return this.value;
    }
  }
  internal.exposeClass(DOMTokenList);

  const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
  internal.tokensOf = (element, name, supported = undefined) => {
    const target = new DOMTokenList(token, element, name, supported);
    return new Proxy(target, {
      get(_, key) {
        if (typeof key === 'string' && INDEX.test(key)) return target.item(+key) ?? undefined;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
      },
      set: (_, key, value) => Reflect.set(target, key, value, target),
    });
  };

  class DOMStringMap {
    constructor() {
      throw illegal();
    }
  }
  internal.exposeClass(DOMStringMap);
  const toAttribute = (key) => `data-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const toKey = (name) => name.slice(5).replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  internal.datasetOf = (element) => {
    const target = Object.create(DOMStringMap.prototype);
    const read = (key) =>
      typeof key === 'string' ? (dom.attribute(idOf(element), toAttribute(key)) ?? undefined) : undefined;
    return new Proxy(target, {
      get: (_, key) => read(key) ?? Reflect.get(target, key),
      has: (_, key) => read(key) !== undefined || key in target,
      set(_, key, value) {
        if (/-[a-z]/.test(key)) {
          throw new internal.DOMException(`'${key}' is not a valid name`, 'SyntaxError');
        }
        internal.setAttribute(element, toAttribute(key), `${value}`);
        return true;
      },
      deleteProperty(_, key) {
        if (read(key) !== undefined) internal.removeAttribute(element, toAttribute(key));
        return true;
      },
      ownKeys: () =>
        element.getAttributeNames().filter((name) => name.startsWith('data-')).map(toKey),
      getOwnPropertyDescriptor(_, key) {
        const value = read(key);
        if (value === undefined) return undefined;
        return { value, writable: true, enumerable: true, configurable: true };
      },
    });
  };
});
