// NodeFilter, TreeWalker, NodeIterator.
(function (native, internal) {
  'use strict';

  const { token, illegal, mix } = internal;

  class NodeFilter {
    constructor() {
      throw illegal();
    }
  }
  const ACCEPT = 1;
  const REJECT = 2;
  const SKIP = 3;
  internal.constants(NodeFilter, {
    FILTER_ACCEPT: ACCEPT,
    FILTER_REJECT: REJECT,
    FILTER_SKIP: SKIP,
    SHOW_ALL: 0xffffffff,
    SHOW_ELEMENT: 0x1,
    SHOW_ATTRIBUTE: 0x2,
    SHOW_TEXT: 0x4,
    SHOW_CDATA_SECTION: 0x8,
    SHOW_ENTITY_REFERENCE: 0x10,
    SHOW_ENTITY: 0x20,
    SHOW_PROCESSING_INSTRUCTION: 0x40,
    SHOW_COMMENT: 0x80,
    SHOW_DOCUMENT: 0x100,
    SHOW_DOCUMENT_TYPE: 0x200,
    SHOW_DOCUMENT_FRAGMENT: 0x400,
    SHOW_NOTATION: 0x800,
  });

  // Walkers and iterators whose filter runs now.
  const busy = new Set();
  const judge = (walker, node, show, filter) => {
    if (busy.has(walker)) {
      throw new internal.DOMException('The filter uses what it filters for', 'InvalidStateError');
    }
    if (((1 << (internal.typeOf(node) - 1)) & show) === 0) return SKIP;
    if (filter === null) return ACCEPT;
    busy.add(walker);
    try {
      const verdict = typeof filter === 'function' ? filter(node) : filter.acceptNode(node);
      return verdict & 0xffff;
    } finally {
      busy.delete(walker);
    }
  };
  const checkFilter = (filter) => {
    if (filter !== null && typeof filter !== 'function' && typeof filter !== 'object') {
      throw internal.wrongType('filter', 'of type function', filter);
    }
    return filter;
  };

  // The node after or before `node` in document order, inside `root`.
  const following = (node, root) => {
    if (node.firstChild !== null) return node.firstChild;
    for (; node !== null && node !== root; node = node.parentNode) {
      if (node.nextSibling !== null) return node.nextSibling;
    }
    return null;
  };
  const preceding = (node, root) => {
    if (node === root) return null;
    let before = node.previousSibling;
    if (before === null) return node.parentNode;
    while (before.lastChild !== null) before = before.lastChild;
    return before;
  };

  class TreeWalker {
    #root;
    #show;
    #filter;
    #current;

    constructor(given, root, show, filter) {
      if (given !== token) throw illegal();
      this.#root = this.#current = root;
      this.#show = show;
      this.#filter = filter;
    }
    get root() {
      return this.#root;
    }
    get whatToShow() {
      return this.#show;
    }
    get filter() {
      return this.#filter;
    }
    get currentNode() {
      return this.#current;
    }
    set currentNode(node) {
      internal.id(node);
      this.#current = node;
    }
    #judge(node) {
      return judge(this, node, this.#show, this.#filter);
    }
    parentNode() {
      let node = this.#current;
      while (node !== null && node !== this.#root) {
        node = node.parentNode;
        if (node !== null && this.#judge(node) === ACCEPT) return (this.#current = node);
      }
      return null;
    }
    #child(first, next) {
      let node = this.#current[first];
      while (node !== null) {
        const verdict = this.#judge(node);
        if (verdict === ACCEPT) return (this.#current = node);
        if (verdict === SKIP && node[first] !== null) {
          node = node[first];
          continue;
        }
        while (node !== null && node[next] === null) {
          const parent = node.parentNode;
          if (parent === null || parent === this.#root || parent === this.#current) return null;
          node = parent;
        }
        node = node[next];
      }
      return null;
    }
    firstChild() {
      return this.#child('firstChild', 'nextSibling');
    }
    lastChild() {
      return this.#child('lastChild', 'previousSibling');
    }
    #sibling(next, first) {
      let node = this.#current;
      if (node === this.#root) return null;
      for (;;) {
        let sibling = node[next];
        while (sibling !== null) {
          node = sibling;
          const verdict = this.#judge(node);
          if (verdict === ACCEPT) return (this.#current = node);
          sibling = verdict === REJECT || node[first] === null ? node[next] : node[first];
        }
        node = node.parentNode;
        if (node === null || node === this.#root || this.#judge(node) === ACCEPT) return null;
      }
    }
    nextSibling() {
      return this.#sibling('nextSibling', 'firstChild');
    }
    previousSibling() {
      return this.#sibling('previousSibling', 'lastChild');
    }
    nextNode() {
      let node = this.#current;
      let verdict = ACCEPT;
      for (;;) {
        while (verdict !== REJECT && node.firstChild !== null) {
          node = node.firstChild;
          verdict = this.#judge(node);
          if (verdict === ACCEPT) return (this.#current = node);
        }
        let up = node;
        while (up !== null && up !== this.#root && up.nextSibling === null) up = up.parentNode;
        if (up === null || up === this.#root) return null;
        node = up.nextSibling;
        verdict = this.#judge(node);
        if (verdict === ACCEPT) return (this.#current = node);
      }
    }
    previousNode() {
      let node = this.#current;
      while (node !== this.#root) {
        let sibling = node.previousSibling;
        while (sibling !== null) {
          node = sibling;
          let verdict = this.#judge(node);
          while (verdict !== REJECT && node.lastChild !== null) {
            node = node.lastChild;
            verdict = this.#judge(node);
          }
          if (verdict === ACCEPT) return (this.#current = node);
          sibling = node.previousSibling;
        }
        if (node === this.#root || node.parentNode === null) return null;
        node = node.parentNode;
        if (this.#judge(node) === ACCEPT) return (this.#current = node);
      }
      return null;
    }
  }

  class NodeIterator {
    #root;
    #show;
    #filter;
    #reference;
    #before = true;

    static {
      // The reference must not leave with a node that is taken out.
      internal.iteratorLeaves = (iterator, node) => {
        const root = iterator.#root;
        if (node === root || !node.contains(iterator.#reference) || !root.contains(node)) return;
        if (iterator.#before) {
          let next = node;
          while (next !== null && next !== root && next.nextSibling === null) next = next.parentNode;
          next = next === null || next === root ? null : next.nextSibling;
          if (next !== null) {
            iterator.#reference = next;
            return;
          }
          iterator.#before = false;
        }
        iterator.#reference = preceding(node, root) ?? root;
      };
    }

    constructor(given, root, show, filter) {
      if (given !== token) throw illegal();
      this.#root = this.#reference = root;
      this.#show = show;
      this.#filter = filter;
      internal.watchIterator(this);
    }
    get root() {
      return this.#root;
    }
    get whatToShow() {
      return this.#show;
    }
    get filter() {
      return this.#filter;
    }
    get referenceNode() {
      return this.#reference;
    }
    get pointerBeforeReferenceNode() {
      return this.#before;
    }
    nextNode() {
      let node = this.#reference;
      let before = this.#before;
      for (;;) {
        if (before) before = false;
        else node = following(node, this.#root);
        if (node === null) return null;
        if (judge(this, node, this.#show, this.#filter) === ACCEPT) break;
      }
      this.#reference = node;
      this.#before = false;
      return node;
    }
    previousNode() {
      let node = this.#reference;
      let before = this.#before;
      for (;;) {
        if (!before) before = true;
        else node = preceding(node, this.#root);
        if (node === null) return null;
        if (judge(this, node, this.#show, this.#filter) === ACCEPT) break;
      }
      this.#reference = node;
      this.#before = true;
      return node;
    }
    detach() {}
  }

  mix(Document, {
    createTreeWalker(root, show = 0xffffffff, filter = null) {
      internal.id(root);
      return new TreeWalker(token, root, show >>> 0, checkFilter(filter ?? null));
    },
    createNodeIterator(root, show = 0xffffffff, filter = null) {
      internal.id(root);
      return new NodeIterator(token, root, show >>> 0, checkFilter(filter ?? null));
    },
  });
  for (const Class of [NodeFilter, TreeWalker, NodeIterator]) internal.exposeClass(Class);
});
