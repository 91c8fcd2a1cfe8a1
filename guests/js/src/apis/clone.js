// structuredClone.
(function (native, internal) {
  'use strict';

  const { structuredClone: clone } = native;
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
