// NodeList and HTMLCollection. A list that does not change has its nodes as properties; a live one is
// a proxy that asks the tree again when the tree has changed.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, wrap, wrapAll, illegal } = internal;
  const { setPrototypeOf } = Object;
  const array = Array.prototype;

  class NodeList {
    constructor() {
      throw illegal();
    }
    item(index) {
      return this[index >>> 0] ?? null;
    }
  }
  class HTMLCollection {
    constructor() {
      throw illegal();
    }
    item(index) {
      return this[index >>> 0] ?? null;
    }
    namedItem(name) {
      name = `${name}`;
      if (name === '') return null;
      for (let at = 0; at < this.length; at++) {
        const element = this[at];
        if (element.id === name || element.getAttribute('name') === name) return element;
      }
      return null;
    }
  }
  class RadioNodeList extends NodeList {}
  class HTMLOptionsCollection extends HTMLCollection {}
  for (const Class of [NodeList, HTMLCollection]) {
    internal.hidden(Class.prototype, Symbol.iterator, array.values);
  }
  for (const name of ['entries', 'forEach', 'keys', 'values']) {
    internal.hidden(NodeList.prototype, name, array[name]);
  }
  for (const Class of [NodeList, HTMLCollection, RadioNodeList, HTMLOptionsCollection]) {
    internal.exposeClass(Class);
  }

  // A list is no array to `Array.isArray`. The arguments of a call are as fast as one; a call takes
  // only so many.
  const MAX_ARGUMENTS = 4096;
  // The arguments of a strict function have a member that cannot be deleted.
  const given = Function('return arguments');
  internal.staticList = (nodes) => {
    if (nodes.length <= MAX_ARGUMENTS) {
      const list = Reflect.apply(given, undefined, nodes);
      delete list.callee;
      delete list[Symbol.iterator];
      return setPrototypeOf(list, NodeList.prototype);
    }
    const list = Object.create(NodeList.prototype, { length: { value: nodes.length } });
    for (let at = 0; at < nodes.length; at++) list[at] = nodes[at];
    return list;
  };

  const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
  internal.isIndex = (key) => INDEX.test(key);

  // Gives elements of a class properties that nothing else has: `read` finds one by its name, and
  // `write`, if there is any, returns true for a name that it has set.
  internal.indexed = (Class, find, write = undefined) => {
    const above = Object.create(Object.getPrototypeOf(Class.prototype));
    const isOwn = (key, object) => typeof key === 'string' && !(key in above) && internal.isNode(object);
    const names = new Proxy(above, {
      get: (_, key, receiver) => (isOwn(key, receiver) ? find(receiver, key) : Reflect.get(above, key, receiver)),
      set: (_, key, value, receiver) =>
        (write !== undefined && isOwn(key, receiver) && write(receiver, key, value)) ||
        Reflect.set(above, key, value, receiver),
    });
    Object.setPrototypeOf(Class.prototype, names);
  };

  // `source` has count(), at(index), all() and the version that they depend on; the list of all is
  // made on the second question without a change in between.
  // `changes` may have put(index, value) and resize(length).
  const live = (Class, source, named, changes = undefined) => {
    const target = Object.create(Class.prototype);
    let version = -1;
    let asked = 0;
    let nodes = null;
    const look = () => {
      const now = source.version();
      if (now !== version) {
        version = now;
        asked = 0;
        nodes = null;
      } else if (nodes === null && ++asked > 1) {
        nodes = source.all();
      }
      return nodes;
    };
    const count = () => look()?.length ?? source.count();
    const at = (index) => {
      const all = look();
      return all === null ? source.at(index) : (all[index] ?? null);
    };
    // Elements by name and id, as `namedItem` finds them.
    const byName = (key) => (named ? target.namedItem.call(list, key) : null);
    const names = () => {
      if (!named) return [];
      return [...list].flatMap((element) => [element.id, element.getAttribute('name')]).filter(Boolean);
    };
    // True for what the tree decides: indexes, and names of elements.
    const isFixed = (key) =>
      typeof key === 'string' && (INDEX.test(key) || (!(key in target) && byName(key) !== null));
    const list = new Proxy(target, {
      get(_, key, receiver) {
        if (key === 'length') return count();
        if (typeof key === 'string') {
          if (INDEX.test(key)) return at(+key) ?? undefined;
          if (!(key in target)) return byName(key) ?? undefined;
        }
        return Reflect.get(target, key, receiver);
      },
      has(_, key) {
        if (key === 'length') return true;
        if (typeof key !== 'string') return key in target;
        if (INDEX.test(key)) return +key < count();
        return key in target || byName(key) !== null;
      },
      set(_, key, value) {
        if (changes !== undefined && key === 'length') {
          changes.resize(value);
          return true;
        }
        if (changes !== undefined && typeof key === 'string' && INDEX.test(key)) {
          changes.put(+key, value);
          return true;
        }
        if (key in target && typeof key === 'string' && !Object.hasOwn(target, key)) {
          return Reflect.set(target, key, value, list);
        }
        return key !== 'length' && !isFixed(key) && Reflect.set(target, key, value);
      },
      defineProperty(_, key, descriptor) {
        return !isFixed(key) && Reflect.defineProperty(target, key, descriptor);
      },
      deleteProperty(_, key) {
        if (typeof key === 'string' && INDEX.test(key)) return +key >= count();
        return !isFixed(key) && Reflect.deleteProperty(target, key);
      },
      ownKeys() {
        const indexes = Array.from({ length: count() }, (_, index) => `${index}`);
        return [...new Set([...indexes, ...names(), ...Reflect.ownKeys(target)])];
      },
      getOwnPropertyDescriptor(_, key) {
        if (typeof key === 'string' && INDEX.test(key)) {
          const value = at(+key);
          if (value === null) return undefined;
          return { value, writable: false, enumerable: true, configurable: true };
        }
        const own = Reflect.getOwnPropertyDescriptor(target, key);
        if (own !== undefined || typeof key !== 'string' || key in target) return own;
        const value = byName(key);
        return value === null ? undefined : { value, writable: false, enumerable: false, configurable: true };
      },
    });
    return list;
  };

  const ofChildren = (node, elements) => ({
    count: () => dom.childCount(idOf(node), elements),
    at: (index) => wrap(dom.childAt(idOf(node), index, elements)),
    all: () => wrapAll(dom.children(idOf(node), elements)),
    version: dom.structure,
  });
  const ofQuery = (query, version) => ({
    count: () => query().length,
    at: (index) => wrap(query()[index] ?? 0),
    all: () => wrapAll(query()),
    version,
  });

  const childLists = new WeakMap();
  const elementLists = new WeakMap();
  internal.childNodesOf = (node) => {
    let list = childLists.get(node);
    if (list === undefined) {
      childLists.set(node, (list = live(NodeList, ofChildren(node, false), false)));
    }
    return list;
  };
  internal.childrenOf = (node) => {
    let list = elementLists.get(node);
    if (list === undefined) {
      elementLists.set(node, (list = live(HTMLCollection, ofChildren(node, true), true)));
    }
    return list;
  };
  internal.liveElements = (query, Class = HTMLCollection) => live(Class, ofQuery(query, dom.version), true);
  internal.liveNodes = (query, Class = NodeList) => live(Class, ofQuery(query, dom.version), false);
  // Elements that no attribute decides about.
  internal.liveByNames = (query, Class = HTMLCollection, changes = undefined) =>
    live(Class, ofQuery(query, dom.structure), true, changes);
  // The one collection that an object has under a name: a loop that asks for it again each time must
  // not search the tree each time.
  const kept = new Map();
  internal.keptList = (owner, name, make) => {
    let lists = kept.get(name);
    if (lists === undefined) kept.set(name, (lists = new WeakMap()));
    let list = lists.get(owner);
    if (list === undefined) lists.set(owner, (list = make()));
    return list;
  };
});
