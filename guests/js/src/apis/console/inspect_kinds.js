// Finds the kind of a value without running any of the program's code.
(function (native, internal) {
  'use strict';

  const { classId, proxyParts } = native;
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = internal.primordials;

  // The engine's class numbers are learned from samples, so no number is written down here.
  const kinds = { __proto__: null };
  const names = { __proto__: null };
  const learn = (kind, name, sample) => {
    const id = classId(sample);
    kinds[id] = kind;
    names[id] = name;
  };
  learn('object', 'Object', {});
  learn('array', 'Array', []);
  learn('error', 'Error', new Error());
  learn('boxed', 'Number', Object(1));
  learn('boxed', 'String', Object(''));
  learn('boxed', 'Boolean', Object(true));
  learn('boxed', 'Symbol', Object(Symbol()));
  learn('boxed', 'BigInt', Object(1n));
  learn(
    'arguments',
    'Arguments',
    (function () {
      return arguments;
    })(),
  );
  learn('arguments', 'Arguments', new Function('a', 'return arguments')());
  learn('date', 'Date', new Date(0));
  learn('regexp', 'RegExp', /x/);
  learn('arraybuffer', 'ArrayBuffer', new ArrayBuffer(0));
  learn('arraybuffer', 'SharedArrayBuffer', new SharedArrayBuffer(0));
  learn('dataview', 'DataView', new DataView(new ArrayBuffer(0)));
  learn('map', 'Map', new Map());
  learn('set', 'Set', new Set());
  learn('weak', 'WeakMap', new WeakMap());
  learn('weak', 'WeakSet', new WeakSet());
  learn('promise', 'Promise', Promise.resolve());
  learn('proxy', 'Object', new Proxy({}, {}));
  learn('generator', 'Generator', (function* () {})());
  learn('generator', 'AsyncGenerator', (async function* () {})());
  learn('iterator', 'Map Iterator', new Map().keys());
  learn('iterator', 'Set Iterator', new Set().keys());
  for (const Class of [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    BigInt64Array,
    BigUint64Array,
    Float32Array,
    Float64Array,
    ...(typeof Float16Array === 'function' ? [Float16Array] : []),
  ]) {
    learn('typedarray', Class.name, new Class(0));
  }
  const PROXY = classId(new Proxy({}, {}));
  const functionTypes = { __proto__: null };
  functionTypes[classId(function* () {})] = 'GeneratorFunction';
  functionTypes[classId(async () => {})] = 'AsyncFunction';
  functionTypes[classId(async function* () {})] = 'AsyncGeneratorFunction';

  const kindOf = (value) => {
    if (typeof value === 'function') return 'function';
    const kind = kinds[classId(value)] ?? 'other';
    if (kind !== 'object') return kind;
    return inherits(value, errorPrototype) ? 'error' : kind;
  };
  const errorPrototype = Error.prototype;

  const engineName = (value) =>
    typeof value === 'function' ? 'Function' : (names[classId(value)] ?? 'Object');

  const functionType = (value) => functionTypes[classId(value)] ?? 'Function';

  const isProxy = (value) => classId(value) === PROXY;

  // The target behind any number of proxies; null when one of them is revoked.
  const unwrap = (value) => {
    while (value !== null && isProxy(value)) value = proxyParts(value)[0];
    return value;
  };

  // Of an object that is no proxy itself; what it gives is none either.
  const prototypeOf = (object) => {
    const prototype = getPrototypeOf(object);
    // Nearly every chain ends here; this saves a call to the engine.
    return prototype === objectPrototype ? prototype : unwrap(prototype);
  };
  const objectPrototype = Object.prototype;

  const findDescriptor = (object, key) => {
    for (let holder = unwrap(object); holder !== null; holder = prototypeOf(holder)) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor !== undefined) return descriptor;
    }
    return undefined;
  };

  // Like `object[key]`, but no trap runs, and a getter that throws counts as absent.
  const lookup = (object, key) => {
    const descriptor = findDescriptor(object, key);
    if (descriptor === undefined) return undefined;
    if (hasOwn(descriptor, 'value')) return descriptor.value;
    if (descriptor.get === undefined) return undefined;
    try {
      return apply(descriptor.get, object, []);
    } catch {
      return undefined;
    }
  };

  const has = (object, key) => findDescriptor(object, key) !== undefined;

  const inherits = (object, prototype) => {
    for (let link = prototypeOf(object); link !== null; link = prototypeOf(link)) {
      if (link === prototype) return true;
    }
    return false;
  };

  // The name of the nearest constructor that the object is an instance of, else undefined.
  const constructorName = (object) => {
    for (let holder = object; holder !== null; holder = prototypeOf(holder)) {
      const constructor = getOwnPropertyDescriptor(holder, 'constructor')?.value;
      if (typeof constructor !== 'function' || isProxy(constructor)) continue;
      const name = getOwnPropertyDescriptor(constructor, 'name')?.value;
      if (typeof name !== 'string' || name === '') continue;
      const prototype = getOwnPropertyDescriptor(constructor, 'prototype')?.value;
      if (inherits(object, prototype)) return name;
    }
    return undefined;
  };

  internal.kinds = {
    __proto__: null,
    kindOf,
    engineName,
    functionType,
    isProxy,
    unwrap,
    prototypeOf,
    lookup,
    has,
    constructorName,
  };
});
