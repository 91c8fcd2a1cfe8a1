// structuredClone.
(function (native, internal) {
  'use strict';

  const { structuredClone: clone } = native;
  const { getPrototypeOf, uncurry } = internal.primordials;
  const mapGet = uncurry(Map.prototype.get);
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

  const functions = {
    structuredClone(value, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'structuredClone'");
      const transfer = options?.transfer;
      const list = transfer === undefined || transfer === null ? [] : [...transfer];
      for (const item of list) {
        if (!(item instanceof ArrayBuffer) || item.detached) {
          throw new internal.DOMException('Value not transferable', 'DataCloneError');
        }
      }
      const copy = clone(value);
      // The copy owns its memory already; the originals are left empty, as a transfer promises.
      for (const item of list) item.transfer();
      return copy;
    },
  };
  Object.defineProperty(functions.structuredClone, 'length', { value: 1, configurable: true });
  internal.exposeFunction('structuredClone', functions.structuredClone);
});
