// MutationObserver. Changes are recorded only while an observer is registered.
(function (native, internal) {
  'use strict';

  const { token, illegal } = internal;
  // node → [{ observer, options }]
  const registered = new WeakMap();
  let observing = 0;
  let scheduled = false;
  const waiting = new Set();
  const slots = new Set();
  let add;

  class MutationRecord {
    constructor(given, fields) {
      if (given !== token) throw illegal();
      Object.assign(this, fields);
    }
  }

  class MutationObserver {
    #callback;
    #records = [];
    #nodes = new Set();

    static {
      add = (observer, record) => {
        observer.#records.push(record);
        waiting.add(observer);
        if (scheduled) return;
        scheduled = true;
        queueMicrotask(deliver);
      };
      const deliver = () => {
        scheduled = false;
        const observers = [...waiting];
        waiting.clear();
        const changed = [...slots];
        slots.clear();
        for (const observer of observers) {
          const records = observer.takeRecords();
          if (records.length === 0) continue;
          try {
            Reflect.apply(observer.#callback, observer, [records, observer]);
          } catch (error) {
            internal.report(error);
          }
        }
        for (const slot of changed) {
          internal.fire(slot, internal.trusted(new internal.Event('slotchange', { bubbles: true })));
        }
      };
      internal.signalSlot = (slot) => {
        slots.add(slot);
        if (scheduled) return;
        scheduled = true;
        queueMicrotask(deliver);
      };
    }

    constructor(callback) {
      if (typeof callback !== 'function') {
        throw internal.wrongType('callback', 'of type function', callback);
      }
      this.#callback = callback;
    }

    observe(target, options = {}) {
      internal.id(target);
      const { attributeFilter, attributeOldValue, characterDataOldValue } = options;
      const wanted = {
        childList: Boolean(options.childList),
        subtree: Boolean(options.subtree),
        attributes: Boolean(options.attributes ?? (attributeFilter !== undefined || attributeOldValue !== undefined)),
        characterData: Boolean(options.characterData ?? characterDataOldValue !== undefined),
        attributeOldValue: Boolean(attributeOldValue),
        characterDataOldValue: Boolean(characterDataOldValue),
        attributeFilter: attributeFilter === undefined ? undefined : Array.from(attributeFilter, String),
      };
      const contradicts =
        (!wanted.attributes && (wanted.attributeOldValue || attributeFilter !== undefined)) ||
        (!wanted.characterData && wanted.characterDataOldValue);
      if (contradicts) {
        throw new TypeError(
          "Failed to execute 'observe' on 'MutationObserver': an option is given for changes that are not observed",
        );
      }
      if (!wanted.childList && !wanted.attributes && !wanted.characterData) {
        throw new TypeError(
          "Failed to execute 'observe' on 'MutationObserver': one of 'attributes', 'characterData' or 'childList' must be true",
        );
      }
      let list = registered.get(target);
      if (list === undefined) registered.set(target, (list = []));
      const entry = list.find((other) => other.observer === this);
      if (entry !== undefined) {
        entry.options = wanted;
        return;
      }
      list.push({ observer: this, options: wanted });
      this.#nodes.add(target);
      observing++;
    }

    disconnect() {
      for (const node of this.#nodes) {
        const list = registered.get(node).filter((entry) => entry.observer !== this);
        registered.set(node, list);
        observing--;
      }
      this.#nodes.clear();
      this.#records = [];
    }

    takeRecords() {
      const records = this.#records;
      this.#records = [];
      return records;
    }
  }

  const queue = (type, target, fields, name) => {
    const interested = new Map();
    for (let node = target; node !== null; node = node.parentNode) {
      for (const { observer, options } of registered.get(node) ?? []) {
        if (!options[type] || (node !== target && !options.subtree)) continue;
        const isFiltered = type === 'attributes' && options.attributeFilter !== undefined;
        if (isFiltered && (fields.attributeNamespace !== null || !options.attributeFilter.includes(name))) continue;
        const old = type === 'attributes' ? options.attributeOldValue : options.characterDataOldValue;
        interested.set(observer, interested.get(observer) || old);
      }
    }
    for (const [observer, old] of interested) {
      const record = new MutationRecord(token, {
        type,
        target,
        addedNodes: [],
        removedNodes: [],
        previousSibling: null,
        nextSibling: null,
        attributeName: null,
        attributeNamespace: null,
        ...fields,
        oldValue: old ? fields.oldValue : null,
      });
      record.addedNodes = internal.staticList(record.addedNodes);
      record.removedNodes = internal.staticList(record.removedNodes);
      add(observer, record);
    }
  };

  internal.isObserved = () => observing > 0;
  internal.noteChildren = (target, addedNodes, removedNodes, previousSibling, nextSibling) => {
    if (addedNodes.length === 0 && removedNodes.length === 0) return;
    queue('childList', target, { addedNodes, removedNodes, previousSibling, nextSibling, oldValue: null });
  };
  internal.noteAttribute = (target, attributeName, attributeNamespace, oldValue) =>
    queue('attributes', target, { attributeName, attributeNamespace, oldValue }, attributeName);
  internal.noteData = (target, oldValue) => queue('characterData', target, { oldValue });
  internal.exposeClass(MutationRecord);
  internal.exposeClass(MutationObserver);
});
