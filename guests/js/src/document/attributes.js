// Attr and NamedNodeMap. An attribute is no node of the tree: its object knows element and name,
// or, outside of an element, its own value.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, isObserved, token, illegal } = internal;

  internal.setAttribute = (element, name, value) => {
    if (!isObserved()) {
      dom.setAttribute(idOf(element), name, value);
      return;
    }
    const old = dom.attribute(idOf(element), name) ?? null;
    dom.setAttribute(idOf(element), name, value);
    internal.noteAttribute(element, name.toLowerCase(), null, old);
  };
  internal.setAttributeNs = (element, namespace, name, value) => {
    const local = name.slice(name.indexOf(':') + 1);
    const old = isObserved() ? (dom.attributeNs(idOf(element), namespace, local) ?? null) : null;
    dom.setAttributeNs(idOf(element), namespace, name, value);
    if (isObserved()) internal.noteAttribute(element, local, namespace || null, old);
  };
  internal.removeAttribute = (element, name) => {
    const old = isObserved() ? (dom.attribute(idOf(element), name) ?? null) : null;
    if (dom.removeAttribute(idOf(element), name) && isObserved()) {
      internal.noteAttribute(element, name.toLowerCase(), null, old);
    }
  };
  internal.removeAttributeNs = (element, namespace, local) => {
    const old = isObserved() ? (dom.attributeNs(idOf(element), namespace, local) ?? null) : null;
    if (dom.removeAttributeNs(idOf(element), namespace, local) && isObserved()) {
      internal.noteAttribute(element, local, namespace || null, old);
    }
  };

  // Of Node it has the name only: there is no number behind it.
  class Attr {
    #element;
    #namespace;
    #prefix;
    #local;
    #value;

    static {
      internal.attach = (attribute, element) => {
        attribute.#element = element;
      };
      internal.isAttr = (value) => typeof value === 'object' && value !== null && #local in value;
    }

    constructor(given, element, namespace, prefix, local, value) {
      if (given !== token) throw illegal();
      this.#element = element;
      this.#namespace = namespace;
      this.#prefix = prefix;
      this.#local = local;
      this.#value = value;
    }

    get name() {
      return this.#prefix === '' ? this.#local : `${this.#prefix}:${this.#local}`;
    }
    get nodeName() {
      return this.name;
    }
    get localName() {
      return this.#local;
    }
    get prefix() {
      return this.#prefix || null;
    }
    get namespaceURI() {
      return this.#namespace || null;
    }
    get ownerElement() {
      return this.#element;
    }
    get ownerDocument() {
      return this.#element?.ownerDocument ?? document;
    }
    get specified() {
      return true;
    }
    get nodeType() {
      return 2;
    }
    get parentNode() {
      return null;
    }
    get value() {
      if (this.#element === null) return this.#value;
      return dom.attributeNs(idOf(this.#element), this.#namespace, this.#local) ?? this.#value;
    }
    set value(value) {
      this.#value = `${value}`;
      if (this.#element === null) return;
      internal.setAttributeNs(this.#element, this.#namespace, this.name, this.#value);
    }
    get nodeValue() {
      return this.value;
    }
    set nodeValue(value) {
      this.value = value;
    }
    get textContent() {
      return this.value;
    }
    set textContent(value) {
      this.value = value;
    }
    cloneNode() {
      return new Attr(token, null, this.#namespace, this.#prefix, this.#local, this.value);
    }
  }
  Object.setPrototypeOf(Attr.prototype, Node.prototype);

  const attributeAt = (element, parts, at) =>
    new Attr(token, element, parts[at], parts[at + 1], parts[at + 2], parts[at + 3]);
  const find = (element, test) => {
    const parts = dom.attributes(idOf(element));
    for (let at = 0; at < parts.length; at += 4) {
      if (test(parts[at], parts[at + 1], parts[at + 2])) return attributeAt(element, parts, at);
    }
    return null;
  };
  internal.newAttr = (namespace, prefix, local) => new Attr(token, null, namespace, prefix, local, '');
  internal.attributeNode = (element, name) => {
    if (internal.foldsCase(element)) name = name.toLowerCase();
    return find(element, (_, prefix, local) =>
      prefix === '' ? local === name : `${prefix}:${local}` === name,
    );
  };
  internal.attributeNodeNs = (element, namespace, local) =>
    find(element, (ns, _, own) => ns === namespace && own === local);

  let elementOf;
  class NamedNodeMap {
    #element;
    static {
      elementOf = (map) => map.#element;
    }
    constructor(given, element) {
      if (given !== token) throw illegal();
      this.#element = element;
    }
    get length() {
      return dom.attributes(idOf(this.#element)).length / 4;
    }
    item(index) {
      const parts = dom.attributes(idOf(this.#element));
      const at = (index >>> 0) * 4;
      return at < parts.length ? attributeAt(this.#element, parts, at) : null;
    }
    getNamedItem(name) {
      return internal.attributeNode(this.#element, `${name}`);
    }
    getNamedItemNS(namespace, local) {
      return internal.attributeNodeNs(this.#element, namespace ?? '', `${local}`);
    }
    setNamedItem(attribute) {
      return this.#element.setAttributeNode(attribute);
    }
    setNamedItemNS(attribute) {
      return this.#element.setAttributeNode(attribute);
    }
    removeNamedItem(name) {
      const attribute = this.getNamedItem(name);
      if (attribute === null) {
        throw new internal.DOMException(`There is no attribute '${name}'`, 'NotFoundError');
      }
      return this.#element.removeAttributeNode(attribute);
    }
    removeNamedItemNS(namespace, local) {
      const attribute = this.getNamedItemNS(namespace, local);
      if (attribute === null) {
        throw new internal.DOMException(`There is no attribute '${local}'`, 'NotFoundError');
      }
      return this.#element.removeAttributeNode(attribute);
    }
    *[Symbol.iterator]() {
      const parts = dom.attributes(idOf(this.#element));
      for (let at = 0; at < parts.length; at += 4) yield attributeAt(this.#element, parts, at);
    }
  }

  const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
  const maps = new WeakMap();
  internal.attributesOf = (element) => {
    let map = maps.get(element);
    if (map !== undefined) return map;
    const target = new NamedNodeMap(token, element);
    const own = (key) => {
      if (typeof key !== 'string' || key in target) return undefined;
      return INDEX.test(key) ? (target.item(+key) ?? undefined) : (target.getNamedItem(key) ?? undefined);
    };
    map = new Proxy(target, {
      get(_, key) {
        const found = own(key);
        if (found !== undefined) return found;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
      },
      has: (_, key) => key in target || own(key) !== undefined,
      ownKeys: () => Array.from({ length: target.length }, (_, index) => `${index}`),
      getOwnPropertyDescriptor(_, key) {
        const value = own(key);
        if (value === undefined) return undefined;
        return { value, writable: false, enumerable: INDEX.test(key), configurable: true };
      },
    });
    maps.set(element, map);
    return map;
  };

  internal.exposeClass(Attr);
  internal.exposeClass(NamedNodeMap);
});
