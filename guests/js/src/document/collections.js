// NodeList and HTMLCollection. A list that does not change is an array with another prototype; a
// live one is a proxy that asks the tree again when the tree has changed.
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

  internal.staticList = (nodes) => setPrototypeOf(nodes, NodeList.prototype);

  const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

  // `source` has count(), at(index) and all(); the list of all is made on the second question
  // without a change in between.
  const live = (Class, source, named) => {
    const target = Object.create(Class.prototype);
    let version = -1;
    let asked = 0;
    let nodes = null;
    const look = () => {
      const now = dom.version();
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
  });
  const ofQuery = (query) => ({
    count: () => query().length,
    at: (index) => wrap(query()[index] ?? 0),
    all: () => wrapAll(query()),
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
  internal.liveElements = (query, Class = HTMLCollection) => live(Class, ofQuery(query), true);
  internal.liveNodes = (query) => live(NodeList, ofQuery(query), false);
});
