// Node, and the table of the objects that represent nodes.
//
// Natives know nodes by number; zero is none. A node has one object for as long as anybody can
// get at it: the table holds it, and with it what a program put on it. Trees outside of the main
// document are looked at when many nodes were made: an object of such a tree that nothing holds
// but the table goes, together with the whole tree, and its nodes are freed.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { token, illegal } = internal;
  const table = [];
  // nodeType → class; elements choose theirs by name.
  const classes = new Map();
  const hasData = (type) => type === 3 || type === 8 || type === 4 || type === 7;
  let make, known, loosen, restore;
  // True once there are custom elements or shadow roots: changes of the tree then have followers.
  internal.isReactive = internal.hasShadows = false;

  class Node extends EventTarget {
    #id;
    #type;
    // Holds the other objects of the tree together while the table lets go of them.
    #keeper;

    static {
      const put = (node) => {
        const slot = node.#id >>> 0;
        while (table.length <= slot) table.push(undefined);
        table[slot] = node;
      };
      make = (id) => {
        const type = dom.kind(id);
        return type === 1 ? internal.makeElement(id) : new (classes.get(type))(token, id);
      };
      known = (id) => {
        const node = table[id >>> 0];
        return node !== undefined && node.#id === id ? node : undefined;
      };
      internal.register = (node, id, type) => {
        node.#id = id;
        node.#type = type;
        put(node);
      };
      internal.isNode = (value) => typeof value === 'object' && value !== null && #id in value;
      internal.idOf = (node) => node.#id;
      internal.typeOf = (node) => node.#type;
      loosen = () => {
        const trees = new Map();
        for (const node of table) {
          if (node === undefined) continue;
          const root = dom.outermost(node.#id);
          if (root === dom.main) continue;
          // By slot: numbers beyond 32 bits all have the same hash here.
          const tree = trees.get(root >>> 0);
          if (tree === undefined) trees.set(root >>> 0, [node]);
          else tree.push(node);
        }
        const loose = [];
        for (const tree of trees.values()) {
          const root = dom.outermost(tree[0].#id);
          for (const node of tree) {
            node.#keeper = tree;
            table[node.#id >>> 0] = undefined;
          }
          loose.push({ root, tree: new WeakRef(tree) });
        }
        return loose;
      };
      restore = (loose) => {
        const held = [];
        for (const { root, tree } of loose) {
          const nodes = tree.deref();
          if (nodes === undefined) continue;
          held.push(root);
          for (const node of nodes) {
            node.#keeper = undefined;
            table[node.#id >>> 0] = node;
          }
        }
        return held;
      };
    }

    constructor(given, id, type) {
      if (given !== token) throw illegal();
      super();
      internal.register(this, id, type);
    }

    get nodeType() {
      return this.#type;
    }
    get nodeName() {
      switch (this.#type) {
        case 1:
          return internal.tagOf(this);
        case 3:
          return '#text';
        case 4:
          return '#cdata-section';
        case 8:
          return '#comment';
        case 9:
          return '#document';
        case 11:
          return '#document-fragment';
        default:
          return dom.doctype(this.#id)[0];
      }
    }
    get parentNode() {
      return wrap(dom.parent(this.#id));
    }
    get parentElement() {
      const parent = wrap(dom.parent(this.#id));
      return parent !== null && parent.#type === 1 ? parent : null;
    }
    get firstChild() {
      return wrap(dom.first(this.#id));
    }
    get lastChild() {
      return wrap(dom.last(this.#id));
    }
    get previousSibling() {
      return wrap(dom.previous(this.#id));
    }
    get nextSibling() {
      return wrap(dom.next(this.#id));
    }
    get ownerDocument() {
      return this.#type === 9 ? null : wrap(dom.owner(this.#id));
    }
    get isConnected() {
      return dom.kind(dom.composedRoot(this.#id)) === 9;
    }
    get baseURI() {
      return wrap(dom.owner(this.#id)).baseURI;
    }
    get childNodes() {
      return internal.childNodesOf(this);
    }
    get nodeValue() {
      return dom.data(this.#id) ?? null;
    }
    set nodeValue(value) {
      if (hasData(this.#type)) internal.setData(this, value === null ? '' : `${value}`);
    }
    get textContent() {
      return dom.text(this.#id) ?? null;
    }
    set textContent(value) {
      const text = value === null || value === undefined ? '' : `${value}`;
      if (this.#type === 1 || this.#type === 11) internal.setChildText(this, text);
      else if (hasData(this.#type)) internal.setData(this, text);
    }

    hasChildNodes() {
      return dom.first(this.#id) !== 0;
    }
    getRootNode(options = undefined) {
      return wrap(options?.composed ? dom.composedRoot(this.#id) : dom.root(this.#id));
    }
    contains(other) {
      return other !== null && other !== undefined && dom.contains(this.#id, internal.id(other));
    }
    compareDocumentPosition(other) {
      return dom.compare(this.#id, internal.id(other));
    }
    isSameNode(other) {
      return this === other;
    }
    isEqualNode(other) {
      return other !== null && other !== undefined && dom.isEqual(this.#id, internal.id(other));
    }
    cloneNode(deep = false) {
      return internal.cloned(this, Boolean(deep), dom.owner(this.#id));
    }
    normalize() {
      internal.normalize(this);
    }

    appendChild(node) {
      return internal.insert(this, node, null);
    }
    insertBefore(node, before) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'insertBefore' on 'Node'");
      return internal.insert(this, node, before ?? null);
    }
    replaceChild(node, old) {
      return internal.replace(this, node, old);
    }
    removeChild(old) {
      return internal.remove(this, old);
    }

    // The element whose declarations hold here, or null.
    #scope() {
      switch (this.#type) {
        case 1:
          return this;
        case 9:
          return this.documentElement;
        case 10:
        case 11:
          return null;
        default:
          return this.parentElement;
      }
    }
    lookupNamespaceURI(prefix) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'lookupNamespaceURI' on 'Node'");
      return namespaceFor(this.#scope(), prefix === null || prefix === undefined ? '' : `${prefix}`);
    }
    lookupPrefix(namespace) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'lookupPrefix' on 'Node'");
      return prefixFor(this.#scope(), namespace === null || namespace === undefined ? '' : `${namespace}`);
    }
    isDefaultNamespace(namespace) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'isDefaultNamespace' on 'Node'");
      return namespaceFor(this.#scope(), '') === (namespace === null || namespace === undefined ? null : `${namespace}` || null);
    }
  }

  const XMLNS = 'http://www.w3.org/2000/xmlns/';
  const namespaceFor = (element, prefix) => {
    if (element === null) return null;
    if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace';
    if (prefix === 'xmlns') return XMLNS;
    for (let at = element; at !== null; at = at.parentElement) {
      if (at.namespaceURI !== null && (at.prefix ?? '') === prefix) return at.namespaceURI;
      const parts = dom.attributes(internal.idOf(at));
      for (let index = 0; index < parts.length; index += 4) {
        if (parts[index] !== XMLNS) continue;
        const declared = parts[index + 1] === 'xmlns' ? parts[index + 2] : '';
        const fits = prefix === '' ? parts[index + 1] === '' && parts[index + 2] === 'xmlns' : declared === prefix;
        if (fits) return parts[index + 3] || null;
      }
    }
    return null;
  };
  const prefixFor = (element, namespace) => {
    if (namespace === '') return null;
    for (let at = element; at !== null; at = at.parentElement) {
      if (at.namespaceURI === namespace && at.prefix !== null) return at.prefix;
      const parts = dom.attributes(internal.idOf(at));
      for (let index = 0; index < parts.length; index += 4) {
        if (parts[index + 1] === 'xmlns' && parts[index + 3] === namespace) return parts[index + 2];
      }
    }
    return null;
  };
  internal.namespaces = { namespaceFor, prefixFor };

  internal.constants(Node, {
    ELEMENT_NODE: 1,
    ATTRIBUTE_NODE: 2,
    TEXT_NODE: 3,
    CDATA_SECTION_NODE: 4,
    ENTITY_REFERENCE_NODE: 5,
    ENTITY_NODE: 6,
    PROCESSING_INSTRUCTION_NODE: 7,
    COMMENT_NODE: 8,
    DOCUMENT_NODE: 9,
    DOCUMENT_TYPE_NODE: 10,
    DOCUMENT_FRAGMENT_NODE: 11,
    NOTATION_NODE: 12,
    DOCUMENT_POSITION_DISCONNECTED: 1,
    DOCUMENT_POSITION_PRECEDING: 2,
    DOCUMENT_POSITION_FOLLOWING: 4,
    DOCUMENT_POSITION_CONTAINS: 8,
    DOCUMENT_POSITION_CONTAINED_BY: 16,
    DOCUMENT_POSITION_IMPLEMENTATION_SPECIFIC: 32,
  });
  internal.exposeClass(Node);

  const wrap = (id) => (id === 0 ? null : (known(id) ?? make(id)));

  internal.cloned = (node, deep, document, isImported = false) => {
    tidy();
    const copy = wrap(dom.clone(internal.idOf(node), deep, document));
    if (internal.isReactive) internal.react(() => internal.copied(node, copy, isImported));
    return copy;
  };

  // Every node in use has an object when this runs: functions that make nodes call it first.
  const collect = () => {
    const loose = loosen();
    dom.runGc();
    dom.collect(restore(loose));
  };
  const tidy = () => {
    if (dom.isWorthCollecting()) collect();
  };
  // Markup can need more than is free at once; then unreferenced nodes are freed first.
  internal.parsed = (parse) => {
    tidy();
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof internal.DOMException) || error.name !== 'QuotaExceededError') throw error;
      collect();
      return parse();
    }
  };

  internal.Node = Node;
  internal.wrap = wrap;
  internal.wrapAll = (ids) => {
    for (let at = 0; at < ids.length; at++) ids[at] = wrap(ids[at]);
    return ids;
  };
  internal.tidy = tidy;
  internal.nodeClass = (type, Class) => classes.set(type, Class);
  internal.id = (node, what = 'Node') => {
    if (!internal.isNode(node)) throw internal.wrongType('node', `an instance of ${what}`, node);
    return internal.idOf(node);
  };

  // The targets on an event's path: the parents, and at last the window.
  internal.eventPath = (target, event) => {
    const path = [target];
    if (!internal.isNode(target)) return path;
    if (internal.hasShadows) return internal.composedPath(target, event);
    for (let at = target.parentNode; at !== null; at = at.parentNode) path.push(at);
    const top = path[path.length - 1];
    if (internal.typeOf(top) === 9 && event.type !== 'load' && internal.windowTarget !== undefined) {
      path.push(internal.windowTarget);
    }
    return path;
  };
});
