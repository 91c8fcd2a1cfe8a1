// Shadow roots and slots, and the path of events through them.
//
// Slots are found when somebody asks: nothing is assigned ahead of time. What a slot held at the
// last change is kept only to know when to fire `slotchange`.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, isNode, mix, moreFor, moreOf, token, typeOf, wrap, wrapAll } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const HOSTS = new Set(
    'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
  );
  const fault = (text) => new internal.DOMException(text, 'NotSupportedError');
  let modeOf, isManual;

  class ShadowRoot extends DocumentFragment {
    #host;
    #options;
    // Slots by name, and the version of the tree that they belong to.
    #slots;
    #version = -1;

    static {
      modeOf = (shadow) => shadow.#options.mode;
      isManual = (shadow) => shadow.#options.slotAssignment === 'manual';
      internal.hostOf = (shadow) => shadow.#host;
      internal.isShadowRoot = (value) => typeof value === 'object' && value !== null && #host in value;
      internal.shadowOptions = (shadow) => shadow.#options;
      // Every name with its first slot.
      internal.slotsOf = (shadow) => {
        const version = dom.version();
        if (shadow.#version !== version) {
          shadow.#slots = new Map();
          for (const slot of wrapAll(dom.byTagNs(idOf(shadow), HTML, 'slot'))) {
            const name = dom.attribute(idOf(slot), 'name') ?? '';
            if (!shadow.#slots.has(name)) shadow.#slots.set(name, slot);
          }
          shadow.#version = version;
        }
        return shadow.#slots;
      };
    }

    constructor(given, number, host, options) {
      if (given !== token) throw internal.illegal();
      super(given, number);
      this.#host = host;
      this.#options = options;
    }

    get host() {
      return this.#host;
    }
    get mode() {
      return this.#options.mode;
    }
    get delegatesFocus() {
      return this.#options.delegatesFocus;
    }
    get slotAssignment() {
      return this.#options.slotAssignment;
    }
    get clonable() {
      return this.#options.clonable;
    }
    get serializable() {
      return this.#options.serializable;
    }
    get activeElement() {
      this.#host;
      return internal.focusedIn(this);
    }
    get innerHTML() {
      return dom.isHtml(idOf(this)) ? dom.innerHtml(idOf(this)) : internal.innerXml(this);
    }
    set innerHTML(value) {
      const html = value === null ? '' : `${value}`;
      internal.replaceAll(this, wrap(internal.parsed(() => dom.fragment(idOf(this.#host), html))));
    }
    getHTML() {
      return this.innerHTML;
    }
    setHTMLUnsafe(value) {
      this.innerHTML = value;
    }
    elementFromPoint() {
      return null;
    }
    getSelection() {
      return internal.selection;
    }
    cloneNode() {
      this.#host;
      throw fault('A shadow root cannot be copied');
    }
  }
  internal.defineHandler(ShadowRoot, 'slotchange');
  internal.exposeClass(ShadowRoot);

  mix(Element, {
    attachShadow(init) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'attachShadow' on 'Element'");
      if (init !== undefined && init !== null && typeof init !== 'object' && typeof init !== 'function') {
        throw internal.wrongType('init', 'of type object', init);
      }
      const read = (key, allowed, missing) => {
        const value = init?.[key];
        if (value === undefined && missing !== undefined) return missing;
        if (!allowed.includes(`${value}`)) throw new TypeError(`'${value}' is not a value of '${key}'`);
        return `${value}`;
      };
      const options = {
        clonable: Boolean(init?.clonable),
        delegatesFocus: Boolean(init?.delegatesFocus),
        mode: read('mode', ['open', 'closed']),
        serializable: Boolean(init?.serializable),
        slotAssignment: read('slotAssignment', ['manual', 'named'], 'named'),
      };
      const local = internal.localNameOf(this);
      const isCustom = internal.isCustomName(local);
      if (!internal.isHtmlElement(this) || (!isCustom && !HOSTS.has(local))) {
        throw fault(`'${local}' cannot have a shadow root`);
      }
      if ((isCustom || moreOf(this)?.is !== undefined) && internal.definitionFor(this)?.disablesShadow) {
        throw fault('The definition of the element does not allow a shadow root');
      }
      if (moreOf(this)?.shadow !== undefined) throw fault('The element has a shadow root already');
      const shadow = new ShadowRoot(token, dom.attachShadow(idOf(this)), this, options);
      moreFor(this).shadow = shadow;
      internal.isReactive = internal.hasShadows = true;
      return shadow;
    },
    get shadowRoot() {
      const shadow = moreOf(this)?.shadow;
      return shadow !== undefined && modeOf(shadow) === 'open' ? shadow : null;
    },
  });

  const rootOf = (node) => wrap(dom.root(idOf(node)));
  const shadowAround = (node) => {
    if (!internal.hasShadows) return null;
    const root = rootOf(node);
    return internal.isShadowRoot(root) ? root : null;
  };
  const isSlot = (node) =>
    typeOf(node) === 1 && internal.localNameOf(node) === 'slot' && internal.isHtmlElement(node);
  const isSlottable = (node) => typeOf(node) === 1 || typeOf(node) === 3 || typeOf(node) === 4;
  const slotNameOf = (node) => (typeOf(node) === 1 ? (dom.attribute(idOf(node), 'slot') ?? '') : '');

  // The slot that a node is shown in, or null.
  const slotFor = (node, onlyOpen) => {
    if (!internal.hasShadows) return null;
    const parent = node.parentNode;
    if (parent === null || typeOf(parent) !== 1) return null;
    const shadow = moreOf(parent)?.shadow;
    if (shadow === undefined || (onlyOpen && modeOf(shadow) !== 'open')) return null;
    if (isManual(shadow)) {
      const slot = moreOf(node)?.manualSlot ?? manualTexts.get(node);
      return slot !== undefined && rootOf(slot) === shadow ? slot : null;
    }
    return internal.slotsOf(shadow).get(slotNameOf(node)) ?? null;
  };
  // Slots of texts that `assign` was called with: only elements have a place for them.
  const manualTexts = new WeakMap();

  // The nodes shown in a slot: children of the host of its shadow tree.
  const nodesOf = (slot) => {
    const shadow = shadowAround(slot);
    if (shadow === null) return [];
    const host = internal.hostOf(shadow);
    if (isManual(shadow)) {
      return (moreOf(slot)?.manual ?? []).filter((node) => node.parentNode === host && slotFor(node, false) === slot);
    }
    const name = dom.attribute(idOf(slot), 'name') ?? '';
    if (internal.slotsOf(shadow).get(name) !== slot) return [];
    const children = wrapAll(dom.children(idOf(host), false));
    return children.filter((child) => isSlottable(child) && slotNameOf(child) === name);
  };
  const flatNodesOf = (slot) => {
    if (shadowAround(slot) === null) return [];
    let nodes = nodesOf(slot);
    if (nodes.length === 0) nodes = wrapAll(dom.children(idOf(slot), false)).filter(isSlottable);
    return nodes.flatMap((node) => (isSlot(node) && shadowAround(node) !== null ? flatNodesOf(node) : [node]));
  };
  const assigned = (slot, options) => (options?.flatten ? flatNodesOf(slot) : nodesOf(slot));

  mix(internal.htmlClass('Slot'), {
    assignedNodes(options = undefined) {
      return assigned(this, options);
    },
    assignedElements(options = undefined) {
      return assigned(this, options).filter((node) => typeOf(node) === 1);
    },
    assign(...nodes) {
      for (const node of nodes) {
        if (!isNode(node) || (typeOf(node) !== 1 && typeOf(node) !== 3)) {
          throw internal.wrongType('nodes', 'of elements and texts', node);
        }
      }
      const touched = new Set([this]);
      const more = moreFor(this);
      for (const node of more.manual ?? []) setManual(node, undefined);
      more.manual = [...new Set(nodes)];
      for (const node of more.manual) {
        const before = moreManual(node);
        if (before !== undefined && before !== this) {
          const other = moreFor(before);
          other.manual = other.manual.filter((kept) => kept !== node);
          touched.add(before);
        }
        setManual(node, this);
      }
      for (const slot of touched) compare(slot);
    },
  });
  const moreManual = (node) => (typeOf(node) === 1 ? moreOf(node)?.manualSlot : manualTexts.get(node));
  const setManual = (node, slot) => {
    if (typeOf(node) === 1) moreFor(node).manualSlot = slot;
    else if (slot === undefined) manualTexts.delete(node);
    else manualTexts.set(node, slot);
  };
  internal.defineHandler(HTMLElement, 'slotchange');
  for (const Class of [Element, Text]) {
    mix(Class, {
      get assignedSlot() {
        return slotFor(this, true);
      },
    });
  }

  // Fires `slotchange` later if a slot shows other nodes than before.
  const compare = (slot) => {
    const now = nodesOf(slot);
    const more = moreFor(slot);
    const before = more.assigned ?? [];
    if (now.length === before.length && now.every((node, at) => node === before[at])) return;
    more.assigned = now;
    internal.signalSlot(slot);
  };
  const compareAll = (shadow) => {
    for (const slot of wrapAll(dom.byTagNs(idOf(shadow), HTML, 'slot'))) compare(slot);
  };
  const slotsIn = (node) => {
    if (typeOf(node) !== 1) return [];
    const below = wrapAll(dom.byTagNs(idOf(node), HTML, 'slot'));
    return isSlot(node) ? [node, ...below] : below;
  };
  // After `node` came to `parent` or left it.
  internal.slotsChanged = (parent, node) => {
    if (typeOf(parent) === 1 && isSlottable(node)) {
      const own = moreOf(parent)?.shadow;
      if (own !== undefined) compareAll(own);
    }
    const slots = slotsIn(node);
    const shadow = shadowAround(parent);
    if (shadow !== null) {
      if (isSlot(parent) && nodesOf(parent).length === 0) internal.signalSlot(parent);
      if (slots.length > 0) compareAll(shadow);
    }
    if (node.parentNode === null) slots.forEach(compare);
  };
  internal.slotAttributeChanged = (element, local, old, value) => {
    if (old === value) return;
    if (local === 'slot') {
      const parent = element.parentNode;
      const shadow = parent !== null && typeOf(parent) === 1 ? moreOf(parent)?.shadow : undefined;
      if (shadow !== undefined) compareAll(shadow);
    } else if (local === 'name' && isSlot(element)) {
      const shadow = shadowAround(element);
      if (shadow !== null) compareAll(shadow);
    }
  };

  const isAround = (root, node) => {
    for (let at = rootOf(node); ; at = rootOf(internal.hostOf(at))) {
      if (at === root) return true;
      if (!internal.isShadowRoot(at)) return false;
    }
  };
  // `target` as seen from `other`: hosts stand for what is in shadow trees that `other` is not in.
  const retarget = (target, other) => {
    let seen = target;
    while (isNode(seen)) {
      const root = rootOf(seen);
      if (!internal.isShadowRoot(root) || (isNode(other) && isAround(root, other))) return seen;
      seen = internal.hostOf(root);
    }
    return seen;
  };
  const above = (node, event, first) => {
    if (internal.isShadowRoot(node)) {
      return !event.composed && rootOf(first) === node ? null : internal.hostOf(node);
    }
    const slot = isSlottable(node) ? slotFor(node, false) : null;
    if (slot !== null) return slot;
    const parent = node.parentNode;
    if (parent !== null) return parent;
    return typeOf(node) === 9 && event.type !== 'load' ? (internal.windowTarget ?? null) : null;
  };
  // The path with an entry for each of its targets: the target as seen there, if it is another one
  // than before, the related target, and what closed trees hide.
  internal.composedPath = (first, event) => {
    const related = internal.relatedOf(event);
    const path = [];
    const entries = [];
    const add = (item, target, seen, isHidden) => {
      path.push(item);
      entries.push({
        target,
        related: seen,
        isClosedRoot: internal.isShadowRoot(item) && modeOf(item) === 'closed',
        isHidden,
      });
    };
    let seen = retarget(related, first);
    let target = first;
    let targetRoot = rootOf(first);
    if (target !== seen || target === related) {
      add(first, first, seen, false);
      for (let here = first, next = above(first, event, first); next !== null; ) {
        const isNext = isNode(next);
        const isHidden =
          isNext && isSlot(next) && slotFor(here, false) === next && modeOf(rootOf(next)) === 'closed';
        seen = retarget(related, next);
        // Only the way out of the target's own tree leads to a place that does not see the target.
        if (!isNext || here !== targetRoot) add(next, null, seen, isHidden);
        else if (next === seen) break;
        else {
          add(next, (target = next), seen, isHidden);
          targetRoot = rootOf(target);
        }
        here = next;
        next = isNext ? above(next, event, first) : null;
      }
    }
    const last = entries.findLast((entry) => entry.target !== null);
    const isInside = (node) => isNode(node) && internal.isShadowRoot(rootOf(node));
    path.stops = entries;
    path.isCleared = last !== undefined && (isInside(last.target) || isInside(last.related));
    return path;
  };
  // The part of the path that a listener at `current` may see.
  internal.visiblePath = (path, current) => {
    const entries = path.stops;
    const at = path.indexOf(current);
    let level = 0;
    let currentLevel = 0;
    for (let index = entries.length - 1; index >= 0; index--) {
      if (entries[index].isClosedRoot) level++;
      if (index === at) {
        currentLevel = level;
        break;
      }
      if (entries[index].isHidden) level--;
    }
    const seen = [path[at]];
    level = currentLevel;
    let limit = currentLevel;
    for (let index = at - 1; index >= 0; index--) {
      if (entries[index].isClosedRoot) level++;
      if (level <= limit) seen.unshift(path[index]);
      if (entries[index].isHidden) {
        level--;
        limit = Math.min(limit, level);
      }
    }
    level = limit = currentLevel;
    for (let index = at + 1; index < path.length; index++) {
      if (entries[index].isHidden) level++;
      if (level <= limit) seen.push(path[index]);
      if (entries[index].isClosedRoot) {
        level--;
        limit = Math.min(limit, level);
      }
    }
    return seen;
  };
  internal.isInShadow = (target) => internal.hasShadows && isNode(target) && shadowAround(target) !== null;
});
