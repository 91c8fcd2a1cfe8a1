// Functions that packing and unpacking need, taken before a tool can change any of them.
(() => {
  const { apply, construct } = Reflect;
  const { forEach: mapForEach, set: mapSet } = Map.prototype;
  const { forEach: setForEach, add: setAdd } = Set.prototype;
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const regExpSource = getter(RegExp.prototype, 'source');
  const regExpFlags = getter(RegExp.prototype, 'flags');
  const { getTime } = Date.prototype;
  const { toString: functionToString } = Function.prototype;
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const typedName = getter(typed, Symbol.toStringTag);
  const typedParts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(typed, name));
  const dataParts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(DataView.prototype, name));
  const { keys: typedKeys, set: typedSet, slice: typedSlice } = typed;
  const { prototype: bufferMethods } = ArrayBuffer;
  const [byteLength, maxByteLength, resizable] = ['byteLength', 'maxByteLength', 'resizable'].map((name) => getter(bufferMethods, name));
  const sharedLength = getter(SharedArrayBuffer.prototype, 'byteLength');
  const { resize } = bufferMethods;
  const BufferClass = ArrayBuffer, BytesClass = Uint8Array;
  const TRACKING = 0xffffffff;
  const isResizable = (buffer) => {
    try {
      return apply(resizable, buffer, []);
    } catch {
      return false;
    }
  };
  // The engine does not say if a view has the length of its buffer: it is seen in a buffer that is
  // one item longer for a moment, or shorter where it cannot be longer. The last bytes are put back.
  const isTracking = (view, name, lengthOf, buffer) => {
    const now = apply(byteLength, buffer, []);
    const length = apply(lengthOf, view, []);
    const item = views[name].BYTES_PER_ELEMENT ?? 1;
    if (now + item <= apply(maxByteLength, buffer, [])) {
      apply(resize, buffer, [now + item]);
      const after = apply(lengthOf, view, []);
      apply(resize, buffer, [now]);
      return after !== length;
    }
    if (length === 0) return false;
    const bytes = new BytesClass(buffer);
    const tail = apply(typedSlice, bytes, [now - item]);
    apply(resize, buffer, [now - item]);
    let isIt = false;
    try {
      // Throws for a view of fixed length that is beyond the end now.
      if (name !== 'DataView') apply(typedKeys, view, []);
      isIt = apply(lengthOf, view, []) !== length;
    } catch {
      isIt = false;
    }
    apply(resize, buffer, [now]);
    apply(typedSet, bytes, [tail, now - item]);
    return isIt;
  };
  const errorClasses = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const AggregateErrorClass = AggregateError;
  const views = {
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
    Uint32Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array, DataView,
    Float16Array: globalThis.Float16Array,
  };
  const boxOf = Object, bigIntOf = BigInt, DateClass = Date, RegExpClass = RegExp, MapClass = Map, SetClass = Set;
  const { defineProperty, hasOwn } = Object;
  const primitives = [Number, String, Boolean, BigInt].map((type) => type.prototype.valueOf);
  const define = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  return {
    // One of each class, so that the native side can learn its number.
    samples: [{}, [], new Error(''), new Date(0), /x/, new Map(), new Set(), new ArrayBuffer(0),
      new DataView(new ArrayBuffer(0)), Object(1), Object(''), Object(true), Object(1n)],
    mapEntries(map) {
      const flat = [];
      let at = 0;
      apply(mapForEach, map, [(value, key) => { define(flat, at++, key); define(flat, at++, value); }]);
      return flat;
    },
    setValues(set) {
      const flat = [];
      let at = 0;
      apply(setForEach, set, [(value) => { define(flat, at++, value); }]);
      return flat;
    },
    regExpParts: (re) => [apply(regExpSource, re, []), apply(regExpFlags, re, [])],
    dateTime: (date) => apply(getTime, date, []),
    viewName: (view) => apply(typedName, view, []) ?? 'DataView',
    // Undefined for a view that its buffer has become too short for.
    viewParts(view, name, isLocal) {
      const parts = name === 'DataView' ? dataParts : typedParts;
      const buffer = apply(parts[0], view, []);
      if (isResizable(buffer)) {
        try {
          if (name !== 'DataView') apply(typedKeys, view, []);
          if (isLocal && isTracking(view, name, parts[2], buffer)) {
            return [buffer, apply(parts[1], view, []), TRACKING];
          }
          return [buffer, apply(parts[1], view, []), apply(parts[2], view, [])];
        } catch {
          return undefined;
        }
      }
      return [buffer, apply(parts[1], view, []), apply(parts[2], view, [])];
    },
    // A copy of a resizable buffer; undefined for another.
    copyResizable(buffer) {
      if (!isResizable(buffer)) return undefined;
      const copy = new BufferClass(apply(byteLength, buffer, []), { maxByteLength: apply(maxByteLength, buffer, []) });
      apply(typedSet, new BytesClass(copy), [new BytesClass(buffer)]);
      return copy;
    },
    isShared(value) {
      try {
        apply(sharedLength, value, []);
        return true;
      } catch {
        return false;
      }
    },
    unboxed(box, kind) {
      return apply(primitives[kind], box, []);
    },
    isDetached: (buffer) => buffer.detached === true,
    newMap: () => new MapClass(),
    mapSet: (map, key, value) => { apply(mapSet, map, [key, value]); },
    newSet: () => new SetClass(),
    setAdd: (set, value) => { apply(setAdd, set, [value]); },
    newRegExp: (source, flags) => new RegExpClass(source, flags),
    newDate: (time) => new DateClass(time),
    newBigInt: (digits) => bigIntOf(digits),
    newBox: (primitive) => boxOf(primitive),
    newView: (name, buffer, offset, length = undefined) => construct(views[name], [buffer, offset, length]),
    newError(name, message, stack) {
      // One without a message has none of its own.
      const given = message === '' ? undefined : message;
      const error = name === 'AggregateError'
        ? new AggregateErrorClass([], given)
        : new (errorClasses[name] ?? errorClasses.Error)(given);
      if (error.name !== name) define(error, 'name', name);
      define(error, 'stack', stack);
      return error;
    },
    setHidden: define,
    hasOwn,
    async callDefault(loaded, namespace, takesBoth, btcp, args) {
      await loaded;
      const tool = hasOwn(namespace, 'default') ? namespace.default : undefined;
      if (typeof tool !== 'function') return tool;
      return takesBoth(apply(functionToString, tool, [])) ? tool(btcp, args) : tool(args);
    },
  };
})()
