// structuredClone.
(function (native, internal) {
  'use strict';

  const { structuredClone: clone } = native;
  const { getPrototypeOf, uncurry } = internal.primordials;
  const mapGet = uncurry(Map.prototype.get);
  const transferBuffer = uncurry(ArrayBuffer.prototype.transfer);
  const isDetached = uncurry(Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'detached').get);
  const { copies, platform } = internal;

  // For the codec, of an object that is not plain: a copy where there can be one, the name of its
  // class where there cannot, null for one that only inherits from it, undefined for an object
  // whose prototypes are all the program's.
  native.keepPlatform((value) => {
    for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
      const name = mapGet(platform, at);
      if (name === undefined) continue;
      const copy = mapGet(copies, at);
      return copy === undefined ? name : (copy(value) ?? null);
    }
    return undefined;
  });

  const refused = (text) => new internal.DOMException(text, 'DataCloneError');
  // By prototype: a function that gives the object which takes over, or undefined if there is
  // nothing left to take.
  internal.movers = new Map();
  const moverOf = (item) => {
    if (typeof item !== 'object' || item === null) return undefined;
    for (let at = getPrototypeOf(item); at !== null; at = getPrototypeOf(at)) {
      const mover = mapGet(internal.movers, at);
      if (mover !== undefined) return mover;
    }
    return undefined;
  };
  internal.movers.set(ArrayBuffer.prototype, (buffer) =>
    isDetached(buffer) ? undefined : transferBuffer(buffer),
  );

  // Copies a value; what is in `list` moves to the copy. Nothing moves if the value has no copy.
  internal.cloneWith = (value, list) => {
    if (list.length === 0) return { copy: clone(value), moved: list };
    const movers = list.map((item, at) => {
      const mover = moverOf(item);
      if (mover === undefined) throw refused('Value not transferable');
      if (list.indexOf(item) !== at) throw refused('Transfer list contains duplicates');
      return mover;
    });
    const moved = [];
    const copy = clone(value, list, (at) => {
      const item = movers[at](list[at]);
      if (item === undefined) throw refused('Value not transferable: it was transferred before');
      moved.push(item);
      return item;
    });
    return { copy, moved };
  };

  const functions = {
    structuredClone(value, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'structuredClone'");
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw internal.wrongType('options', 'of type object', options);
      }
      const transfer = options?.transfer;
      if (transfer === undefined) return clone(value);
      return internal.cloneWith(value, [...transfer]).copy;
    },
  };
  Object.defineProperty(functions.structuredClone, 'length', { value: 1, configurable: true });
  internal.exposeFunction('structuredClone', functions.structuredClone);
});
