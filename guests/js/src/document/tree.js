// Changes of the tree, in one place: observers hear of them, and ranges and iterators move with
// them. Also what parents and children have in common.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, id, idOf, isNode, isObserved, typeOf, wrap, wrapAll } = internal;

  const { arriving, isLive, leaving } = internal;
  // Without observers, ranges and iterators the tree itself makes the change in one step.
  const [INSERTS, REPLACES, REPLACES_ALL] = [0, 1, 2];
  const isWatched = () => internal.isReactive || isObserved() || isLive();
  // Runs a change of the tree, and then what custom elements do about it.
  const within = (change) => (internal.isReactive ? internal.react(change) : change());

  // The nodes that come with `node`: a fragment's children, or the node.
  const coming = (node) => (typeOf(node) === 11 ? wrapAll(dom.children(idOf(node), false)) : [node]);
  const numberOf = (node) => (node === null ? 0 : idOf(node));

  // Takes `node` out of `parent`; `silent` if the caller tells observers.
  const takeOut = (node, parent, silent) => {
    const noted = !silent && isObserved();
    const previous = noted ? node.previousSibling : null;
    const next = noted ? node.nextSibling : null;
    leaving(node, parent);
    const told = internal.isReactive ? internal.departing(node) : undefined;
    dom.remove(idOf(parent), idOf(node));
    if (told !== undefined) internal.departed(told);
    if (internal.hasShadows) internal.slotsChanged(parent, node);
    if (noted) internal.noteChildren(parent, [], [node], previous, next);
  };

  // Puts a checked node into `parent`, in the order of steps of the DOM standard.
  const putIn = (parent, node, before, silent) => {
    const nodes = coming(node);
    if (nodes.length === 0) return;
    if (typeOf(node) === 11) {
      for (const child of nodes) takeOut(child, node, true);
      if (isObserved()) internal.noteChildren(node, [], nodes, null, null);
    }
    arriving(parent, before, nodes.length);
    const noted = !silent && isObserved();
    const previous = !noted ? null : before === null ? parent.lastChild : before.previousSibling;
    for (const child of nodes) {
      const from = child.parentNode;
      if (from !== null) takeOut(child, from, false);
      const owner = internal.isReactive ? dom.owner(idOf(child)) : 0;
      dom.insert(idOf(parent), idOf(child), numberOf(before));
      if (internal.isReactive) internal.arrived(child, owner);
      if (internal.hasShadows) internal.slotsChanged(parent, child);
    }
    if (noted) internal.noteChildren(parent, nodes, [], previous, before);
  };

  internal.insert = (parent, node, before) => {
    const [into, what] = [idOf(parent), id(node)];
    const front = before === null ? 0 : id(before);
    if (!isWatched()) {
      dom.insert(into, what, front);
      return node;
    }
    dom.checkInsert(into, what, front, INSERTS);
    within(() => putIn(parent, node, before === node ? node.nextSibling : before, false));
    return node;
  };

  internal.replace = (parent, node, old) => {
    const [into, what, out] = [idOf(parent), id(node), id(old)];
    if (!isWatched()) {
      dom.replace(into, what, out);
      return old;
    }
    dom.checkInsert(into, what, out, REPLACES);
    const { previousSibling, nextSibling } = old;
    const before = nextSibling === node ? node.nextSibling : nextSibling;
    within(() => {
      // The node leaves its old place first, even if that is the place it comes to.
      if (node.parentNode !== null) takeOut(node, node.parentNode, false);
      const removed = node === old ? [] : [old];
      if (node !== old) takeOut(old, parent, true);
      const added = coming(node);
      putIn(parent, node, before, true);
      if (isObserved()) internal.noteChildren(parent, added, removed, previousSibling, before);
    });
    return old;
  };

  internal.remove = (parent, old) => {
    const [from, what] = [idOf(parent), id(old)];
    if (isWatched() && old.parentNode === parent) within(() => takeOut(old, parent, false));
    else dom.remove(from, what);
    return old;
  };

  // Puts a node, or nothing, in the place of all children.
  internal.replaceAll = (parent, node) => {
    if (!isWatched()) {
      dom.replaceChildren(idOf(parent), numberOf(node));
      return;
    }
    if (node !== null) dom.checkInsert(idOf(parent), idOf(node), 0, REPLACES_ALL);
    within(() => {
      const removed = wrapAll(dom.children(idOf(parent), false));
      const added = node === null ? [] : coming(node);
      for (const child of removed) takeOut(child, parent, true);
      if (node !== null) putIn(parent, node, null, true);
      if (isObserved()) internal.noteChildren(parent, added, removed, null, null);
    });
  };

  // Merges adjacent texts below `root` and removes empty ones.
  internal.normalize = (root) => {
    if (!isWatched()) {
      dom.normalize(idOf(root));
      return;
    }
    const texts = [];
    let node = root.firstChild;
    while (node !== null) {
      if (typeOf(node) === 3) texts.push(node);
      let next = node.firstChild;
      for (; next === null && node !== root; node = node.parentNode) next = node.nextSibling;
      node = next;
    }
    for (const text of texts) {
      const parent = text.parentNode;
      if (parent === null) continue;
      let { length } = text;
      if (length === 0) {
        takeOut(text, parent, false);
        continue;
      }
      const others = [];
      let added = '';
      for (let at = text.nextSibling; at !== null && typeOf(at) === 3; at = at.nextSibling) {
        others.push(at);
        added += at.data;
      }
      if (others.length === 0) continue;
      internal.replaceData(text, length, 0, added);
      for (const other of others) {
        internal.dataMerged(text, length, other, parent);
        length += other.length;
      }
      for (const other of others) takeOut(other, parent, false);
    }
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

  const need = (count, name) => internal.requireArguments(count, 1, `Failed to execute '${name}'`);
  // Names that a `with` statement does not find: the members are younger than programs that use it.
  const unscopable = (Class, names) => {
    const own = Object.assign(Object.create(null), Class.prototype[Symbol.unscopables]);
    for (const name of names) own[name] = true;
    Object.defineProperty(Class.prototype, Symbol.unscopables, { value: own, configurable: true });
  };

  const mix = (Class, members) => {
    const descriptors = Object.getOwnPropertyDescriptors(members);
    for (const key of Reflect.ownKeys(descriptors)) descriptors[key].enumerable = true;
    Object.defineProperties(Class.prototype, descriptors);
  };
  internal.mix = mix;

  internal.parentNode = (Class) => {
    unscopable(Class, ['append', 'prepend', 'replaceChildren']);
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
        need(arguments.length, 'querySelector');
        return wrap(dom.queryFirst(idOf(this), `${selector}`));
      },
      querySelectorAll(selector) {
        need(arguments.length, 'querySelectorAll');
        return internal.staticList(wrapAll(dom.queryAll(idOf(this), `${selector}`)));
      },
    });
  };

  internal.childNode = (Class) => {
    unscopable(Class, ['after', 'before', 'remove', 'replaceWith']);
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
  };

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
