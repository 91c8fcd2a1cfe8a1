// Functions that packing and unpacking need, taken before a tool can change any of them.
(() => {
  const { apply, construct } = Reflect;
  const { forEach: mapForEach, set: mapSet } = Map.prototype;
  const { forEach: setForEach, add: setAdd } = Set.prototype;
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const regExpSource = getter(RegExp.prototype, 'source');
  const regExpFlags = getter(RegExp.prototype, 'flags');
  const { getTime } = Date.prototype;
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const typedName = getter(typed, Symbol.toStringTag);
  const typedParts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(typed, name));
  const dataParts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(DataView.prototype, name));
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
    viewParts(view, name) {
      const parts = name === 'DataView' ? dataParts : typedParts;
      return [apply(parts[0], view, []), apply(parts[1], view, []), apply(parts[2], view, [])];
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
    newView: (name, buffer, offset, length) => construct(views[name], [buffer, offset, length]),
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
    async callDefault(loaded, namespace, btcp, args) {
      await loaded;
      if (!hasOwn(namespace, 'default')) {
        throw new errorClasses.TypeError('the module has no default export: write `export default function (btcp, args) { … }`');
      }
      const tool = namespace.default;
      return typeof tool === 'function' ? tool(btcp, args) : tool;
    },
  };
})()
