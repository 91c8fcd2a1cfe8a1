// Attr and NamedNodeMap. An attribute is no node of the tree: its object knows element and name,
// or, outside of an element, its own value. An element keeps the objects that were asked for.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, isObserved, token, illegal } = internal;
  const isWatched = () => internal.isReactive || isObserved();
  // After a change; a value that is null is absent.
  const changed = (element, local, namespace, old, value) => {
    if (isObserved()) internal.noteAttribute(element, local, namespace || null, old);
    if (!internal.isReactive) return;
    if (internal.hasShadows && namespace === '') internal.slotAttributeChanged(element, local, old, value);
    internal.react(() => internal.attributeReacts(element, local, namespace || null, old, value));
  };

  internal.setAttribute = (element, name, value) => {
    if (!isWatched()) {
      dom.setAttribute(idOf(element), name, value);
      return;
    }
    const old = dom.attribute(idOf(element), name) ?? null;
    dom.setAttribute(idOf(element), name, value);
    changed(element, internal.foldsCase(element) ? internal.lower(name) : name, '', old, value);
  };
  internal.setAttributeNs = (element, namespace, name, value) => {
    const local = name.slice(name.indexOf(':') + 1);
    const old = isWatched() ? (dom.attributeNs(idOf(element), namespace, local) ?? null) : null;
    dom.setAttributeNs(idOf(element), namespace, name, value);
    if (isWatched()) changed(element, local, namespace, old, value);
  };
  // element → Map of its attributes' objects, by namespace and local name
  const held = new WeakMap();
  const keyOf = (namespace, local) => `${namespace}\0${local}`;
  // Before an attribute leaves its element: the object, if there is one, keeps the value.
  const release = (element, attribute) => {
    if (attribute === null) return;
    held.get(element).delete(keyOf(attribute.namespaceURI ?? '', attribute.localName));
    internal.detach(attribute);
  };

  internal.removeAttribute = (element, name) => {
    const old = isWatched() ? (dom.attribute(idOf(element), name) ?? null) : null;
    if (held.has(element)) release(element, internal.attributeNode(element, name));
    if (dom.removeAttribute(idOf(element), name) && isWatched()) {
      changed(element, internal.foldsCase(element) ? internal.lower(name) : name, '', old, null);
    }
  };
  internal.removeAttributeNs = (element, namespace, local) => {
    const old = isWatched() ? (dom.attributeNs(idOf(element), namespace, local) ?? null) : null;
    if (held.has(element)) release(element, internal.attributeNodeNs(element, namespace, local));
    if (dom.removeAttributeNs(idOf(element), namespace, local) && isWatched()) {
      changed(element, local, namespace, old, null);
    }
  };

  // A node by its prototype; of what Node has, the fields are others: no number is behind it.
  class Attr extends EventTarget {
    #element;
    #namespace;
    #prefix;
    #local;
    #value;
    #document;

    static {
      internal.detach = (attribute) => {
        attribute.#value = attribute.value;
        attribute.#document = attribute.#element.ownerDocument;
        attribute.#element = null;
      };
      // Puts a detached attribute into an element, in the place of one with the same name.
      internal.attach = (attribute, element) => {
        const { value } = attribute;
        const namespace = attribute.#namespace;
        const old = internal.attributeNodeNs(element, namespace, attribute.#local);
        const oldValue = old === null ? null : old.value;
        if (old !== null) release(element, old);
        dom.putAttribute(idOf(element), namespace, attribute.#prefix, attribute.#local, value);
        attribute.#element = element;
        let map = held.get(element);
        if (map === undefined) held.set(element, (map = new Map()));
        map.set(keyOf(namespace, attribute.#local), attribute);
        if (isWatched()) changed(element, attribute.#local, namespace, oldValue, value);
        return old;
      };
      internal.copyAttr = (from, document) =>
        new Attr(token, null, from.#namespace, from.#prefix, from.#local, from.value, document);
      internal.isAttr = (value) => typeof value === 'object' && value !== null && #local in value;
    }

    constructor(given, element, namespace, prefix, local, value, document) {
      if (given !== token) throw illegal();
      super();
      this.#element = element;
      this.#namespace = namespace;
      this.#prefix = prefix;
      this.#local = local;
      this.#value = value;
      this.#document = document;
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
      return this.#element?.ownerDocument ?? this.#document ?? document;
    }
    get baseURI() {
      return this.ownerDocument.baseURI;
    }
    get specified() {
      return true;
    }
    get nodeType() {
      return 2;
    }
    get isConnected() {
      return false;
    }
    get value() {
      if (this.#element === null) return this.#value;
      return dom.attributeNs(idOf(this.#element), this.#namespace, this.#local) ?? this.#value;
    }
    set value(value) {
      this.#value = `${value}`;
      if (this.#element === null) return;
      const old = isWatched() ? dom.attributeNs(idOf(this.#element), this.#namespace, this.#local) : null;
      dom.putAttribute(idOf(this.#element), this.#namespace, this.#prefix, this.#local, this.#value);
      if (isWatched()) changed(this.#element, this.#local, this.#namespace, old ?? null, this.#value);
    }
    get nodeValue() {
      return this.value;
    }
    set nodeValue(value) {
      this.value = value ?? '';
    }
    get textContent() {
      return this.value;
    }
    set textContent(value) {
      this.value = value ?? '';
    }
    get childNodes() {
      return internal.staticList([]);
    }
    hasChildNodes() {
      return false;
    }
    getRootNode() {
      return this;
    }
    normalize() {}
    contains(other) {
      return this === other;
    }
    isSameNode(other) {
      return this === other;
    }
    isEqualNode(other) {
      if (!internal.isAttr(other)) return false;
      return (
        this.#namespace === other.#namespace && this.#local === other.#local && this.value === other.value
      );
    }
    compareDocumentPosition(other) {
      if (this === other) return 0;
      const owner = internal.isAttr(other) ? other.#element : other;
      if (this.#element === null || owner === null) return 37;
      if (owner === this.#element) return internal.isAttr(other) ? 36 : 10;
      return this.#element.compareDocumentPosition(owner);
    }
    cloneNode() {
      return internal.copyAttr(this, this.ownerDocument);
    }
    lookupNamespaceURI(prefix) {
      return this.#element?.lookupNamespaceURI(prefix) ?? null;
    }
    lookupPrefix(namespace) {
      return this.#element?.lookupPrefix(namespace) ?? null;
    }
    isDefaultNamespace(namespace) {
      return this.lookupNamespaceURI(null) === (namespace === undefined || namespace === '' ? null : namespace);
    }
  }
  Object.setPrototypeOf(Attr.prototype, Node.prototype);
  const nothing = {
    get() {
      return null;
    },
    set: undefined,
    enumerable: true,
    configurable: true,
  };
  for (const key of ['parentNode', 'parentElement', 'firstChild', 'lastChild', 'previousSibling', 'nextSibling']) {
    Object.defineProperty(Attr.prototype, key, nothing);
  }
  for (const key of ['appendChild', 'insertBefore', 'replaceChild', 'removeChild']) {
    internal.hidden(Attr.prototype, key, () => {
      throw new internal.DOMException('An attribute has no children', 'HierarchyRequestError');
    });
  }

  const attributeAt = (element, parts, at) => {
    let map = held.get(element);
    if (map === undefined) held.set(element, (map = new Map()));
    const key = keyOf(parts[at], parts[at + 2]);
    let attribute = map.get(key);
    if (attribute === undefined) {
      attribute = new Attr(token, element, parts[at], parts[at + 1], parts[at + 2], parts[at + 3]);
      map.set(key, attribute);
    }
    return attribute;
  };
  const find = (element, test) => {
    const parts = dom.attributes(idOf(element));
    for (let at = 0; at < parts.length; at += 4) {
      if (test(parts[at], parts[at + 1], parts[at + 2])) return attributeAt(element, parts, at);
    }
    return null;
  };
  internal.newAttr = (document, namespace, prefix, local) =>
    new Attr(token, null, namespace, prefix, local, '', document);
  internal.attributeNode = (element, name) => {
    if (internal.foldsCase(element)) name = internal.lower(name);
    return find(element, (_, prefix, local) =>
      prefix === '' ? local === name : `${prefix}:${local}` === name,
    );
  };
  internal.attributeNodeNs = (element, namespace, local) =>
    find(element, (ns, _, own) => ns === namespace && own === local);

  // By map and by the proxy around it, so that methods work on both.
  const owners = new WeakMap();
  const elementOf = (map) => {
    const element = owners.get(map);
    if (element === undefined) throw new TypeError('Illegal invocation');
    return element;
  };
  class NamedNodeMap {
    constructor(given, element) {
      if (given !== token) throw illegal();
      owners.set(this, element);
    }
    get length() {
      return dom.attributes(idOf(elementOf(this))).length / 4;
    }
    item(index) {
      const parts = dom.attributes(idOf(elementOf(this)));
      const at = (index >>> 0) * 4;
      return at < parts.length ? attributeAt(elementOf(this), parts, at) : null;
    }
    getNamedItem(name) {
      return internal.attributeNode(elementOf(this), `${name}`);
    }
    getNamedItemNS(namespace, local) {
      return internal.attributeNodeNs(elementOf(this), namespace ?? '', `${local}`);
    }
    setNamedItem(attribute) {
      return elementOf(this).setAttributeNode(attribute);
    }
    setNamedItemNS(attribute) {
      return elementOf(this).setAttributeNode(attribute);
    }
    removeNamedItem(name) {
      const attribute = this.getNamedItem(name);
      if (attribute === null) {
        throw new internal.DOMException(`There is no attribute '${name}'`, 'NotFoundError');
      }
      return elementOf(this).removeAttributeNode(attribute);
    }
    removeNamedItemNS(namespace, local) {
      const attribute = this.getNamedItemNS(namespace, local);
      if (attribute === null) {
        throw new internal.DOMException(`There is no attribute '${local}'`, 'NotFoundError');
      }
      return elementOf(this).removeAttributeNode(attribute);
    }
    *[Symbol.iterator]() {
      const parts = dom.attributes(idOf(elementOf(this)));
      for (let at = 0; at < parts.length; at += 4) yield attributeAt(elementOf(this), parts, at);
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
      get(_, key, receiver) {
        return own(key) ?? Reflect.get(target, key, receiver);
      },
      has: (_, key) => key in target || own(key) !== undefined,
      ownKeys: () => [
        ...Array.from({ length: target.length }, (_, index) => `${index}`),
        ...new Set(element.getAttributeNames().filter((name) => !internal.foldsCase(element) || !/[A-Z]/.test(name))),
      ],
      getOwnPropertyDescriptor(_, key) {
        const value = own(key);
        if (value === undefined) return undefined;
        return { value, writable: false, enumerable: INDEX.test(key), configurable: true };
      },
    });
    owners.set(map, element);
    maps.set(element, map);
    return map;
  };

  internal.exposeClass(Attr);
  internal.exposeClass(NamedNodeMap);
});
