// Changes of the tree, in one place: observers hear of them, and iterators are moved out of the
// way of what leaves. Also what parents and children have in common.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, id, idOf, isNode, isObserved, typeOf, wrap, wrapAll } = internal;

  const iterators = [];
  internal.watchIterator = (iterator) => iterators.push(new WeakRef(iterator));
  const leaving = (node) => {
    for (let at = iterators.length - 1; at >= 0; at--) {
      const iterator = iterators[at].deref();
      if (iterator === undefined) iterators.splice(at, 1);
      else internal.iteratorLeaves(iterator, node);
    }
  };
  internal.leaving = leaving;

  // The nodes that come with `node`: a fragment's children, or the node.
  const coming = (node) => (typeOf(node) === 11 ? wrapAll(dom.children(idOf(node), false)) : [node]);

  internal.insert = (parent, node, before) => {
    const [into, what] = [idOf(parent), id(node)];
    const front = before === null ? 0 : id(before);
    const from = iterators.length > 0 || isObserved() ? node.parentNode : null;
    if (!isObserved()) {
      if (from !== null) leaving(node);
      dom.insert(into, what, front);
      return node;
    }
    const added = coming(node);
    const [oldPrevious, oldNext] = [node.previousSibling, node.nextSibling];
    if (from !== null) leaving(node);
    dom.insert(into, what, front);
    if (from !== null) internal.noteChildren(from, [], [node], oldPrevious, oldNext);
    if (typeOf(node) === 11) internal.noteChildren(node, [], added, null, null);
    if (added.length > 0) {
      const last = added[added.length - 1];
      internal.noteChildren(parent, added, [], added[0].previousSibling, last.nextSibling);
    }
    return node;
  };

  internal.replace = (parent, node, old) => {
    const [into, what, out] = [idOf(parent), id(node), id(old)];
    if (old.parentNode === parent && node !== old) leaving(old);
    if (!isObserved()) {
      dom.replace(into, what, out);
      return old;
    }
    const added = coming(node);
    const [previous, next] = [old.previousSibling, old.nextSibling];
    const from = node.parentNode;
    const [oldPrevious, oldNext] = [node.previousSibling, node.nextSibling];
    dom.replace(into, what, out);
    if (from !== null) internal.noteChildren(from, [], [node], oldPrevious, oldNext);
    internal.noteChildren(parent, added, [old], previous, next);
    return old;
  };

  internal.remove = (parent, old) => {
    const [from, what] = [idOf(parent), id(old)];
    if (iterators.length > 0 && old.parentNode === parent) leaving(old);
    if (!isObserved()) {
      dom.remove(from, what);
      return old;
    }
    const [previous, next] = [old.previousSibling, old.nextSibling];
    dom.remove(from, what);
    internal.noteChildren(parent, [], [old], previous, next);
    return old;
  };

  // Puts a node, or nothing, in the place of all children.
  internal.replaceAll = (parent, node) => {
    const noted = isObserved();
    if (!noted && iterators.length === 0) {
      dom.replaceChildren(idOf(parent), node === null ? 0 : idOf(node));
      return;
    }
    const removed = wrapAll(dom.children(idOf(parent), false));
    for (const child of removed) leaving(child);
    const added = node === null ? [] : coming(node);
    dom.replaceChildren(idOf(parent), node === null ? 0 : idOf(node));
    if (noted) internal.noteChildren(parent, added, removed, null, null);
  };

  internal.setChildText = (parent, text) => {
    internal.tidy();
    internal.replaceAll(parent, text === '' ? null : wrap(dom.createText(idOf(parent), text)));
  };

  // One node out of what `append` and its kin are given.
  const gathered = (near, items) => {
    internal.tidy();
    const nodes = items.map((item) =>
      isNode(item) ? item : wrap(dom.createText(idOf(near), `${item}`)),
    );
    if (nodes.length === 1) return nodes[0];
    const fragment = wrap(dom.createFragment(idOf(near)));
    for (const node of nodes) internal.insert(fragment, node, null);
    return fragment;
  };

  const mix = (Class, members) => {
    const descriptors = Object.getOwnPropertyDescriptors(members);
    for (const key of Reflect.ownKeys(descriptors)) descriptors[key].enumerable = true;
    Object.defineProperties(Class.prototype, descriptors);
  };
  internal.mix = mix;

  internal.parentNode = (Class) =>
    mix(Class, {
      get children() {
        return internal.childrenOf(this);
      },
      get firstElementChild() {
        return wrap(dom.element(idOf(this), 0));
      },
      get lastElementChild() {
        return wrap(dom.element(idOf(this), 1));
      },
      get childElementCount() {
        return dom.childCount(idOf(this), true);
      },
      prepend(...items) {
        internal.insert(this, gathered(this, items), this.firstChild);
      },
      append(...items) {
        internal.insert(this, gathered(this, items), null);
      },
      replaceChildren(...items) {
        internal.replaceAll(this, items.length === 0 ? null : gathered(this, items));
      },
      querySelector(selector) {
        return wrap(dom.queryFirst(idOf(this), `${selector}`));
      },
      querySelectorAll(selector) {
        return internal.staticList(wrapAll(dom.queryAll(idOf(this), `${selector}`)));
      },
    });

  internal.childNode = (Class) =>
    mix(Class, {
      before(...items) {
        const parent = this.parentNode;
        if (parent === null) return;
        let front = this.previousSibling;
        while (front !== null && items.includes(front)) front = front.previousSibling;
        const node = gathered(this, items);
        internal.insert(parent, node, front === null ? parent.firstChild : front.nextSibling);
      },
      after(...items) {
        const parent = this.parentNode;
        if (parent === null) return;
        let next = this.nextSibling;
        while (next !== null && items.includes(next)) next = next.nextSibling;
        internal.insert(parent, gathered(this, items), next);
      },
      replaceWith(...items) {
        const parent = this.parentNode;
        if (parent === null) return;
        let next = this.nextSibling;
        while (next !== null && items.includes(next)) next = next.nextSibling;
        const node = gathered(this, items);
        if (this.parentNode === parent) internal.replace(parent, node, this);
        else internal.insert(parent, node, next);
      },
      remove() {
        const parent = this.parentNode;
        if (parent !== null) internal.remove(parent, this);
      },
    });

  internal.siblings = (Class) =>
    mix(Class, {
      get previousElementSibling() {
        return wrap(dom.element(idOf(this), 2));
      },
      get nextElementSibling() {
        return wrap(dom.element(idOf(this), 3));
      },
    });

  class DocumentFragment extends Node {
    constructor(given = undefined, number = undefined) {
      if (given === internal.token) super(given, number, 11);
      else super(internal.token, dom.createFragment(dom.main), 11);
    }
    getElementById(name) {
      return wrap(dom.byId(idOf(this), `${name}`));
    }
  }
  internal.parentNode(DocumentFragment);
  internal.nodeClass(11, DocumentFragment);
  internal.exposeClass(DocumentFragment);
});
