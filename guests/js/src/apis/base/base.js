// Foundation of every later prelude: built-ins as they were at init, and the functions that put an
// API on the global object.
(function (native, internal) {
  'use strict';

  const { bind, call } = Function.prototype;
  const uncurry = bind.bind(call);

  // Context of `AsyncLocalStorage`, which the engine hands on from callback to callback: without an
  // argument it is returned, with one it is replaced. Undefined in an engine without that change.
  const context = Promise.cofferdamContext;
  delete Promise.cofferdamContext;
  internal.asyncContext = context;
  // True once a script has used a context; until then callbacks need not be wrapped.
  internal.hasAsyncContext = false;
  internal.inAsyncContext = (callback) => {
    const kept = context();
    return function (...args) {
      const outer = context(kept);
      try {
        return Reflect.apply(callback, this, args);
      } finally {
        context(outer);
      }
    };
  };

  // Returns the items that an iterator of a Map or Set has left: [are pairs, count, ...items]. The
  // engine puts the function on `Map` for this line alone.
  const rest = Map.cofferdamRest;
  delete Map.cofferdamRest;
  internal.iteratorRest = rest;

  // Takes an error that a callback threw; a document tells its listeners first.
  internal.report = (error) => native.reportError(error);

  // Console output has to work in a tool that has rewritten the built-ins, so inspection calls
  // these and no method found on a value.
  internal.primordials = {
    __proto__: null,
    arrayJoin: uncurry(Array.prototype.join),
    arrayPush: uncurry(Array.prototype.push),
    arraySlice: uncurry(Array.prototype.slice),
    arraySort: uncurry(Array.prototype.sort),
    bigIntToString: uncurry(BigInt.prototype.toString),
    booleanValueOf: uncurry(Boolean.prototype.valueOf),
    bigIntValueOf: uncurry(BigInt.prototype.valueOf),
    numberValueOf: uncurry(Number.prototype.valueOf),
    stringValueOf: uncurry(String.prototype.valueOf),
    symbolValueOf: uncurry(Symbol.prototype.valueOf),
    dateGetTime: uncurry(Date.prototype.getTime),
    dateToISOString: uncurry(Date.prototype.toISOString),
    errorToString: uncurry(Error.prototype.toString),
    functionToString: uncurry(Function.prototype.toString),
    mapForEach: uncurry(Map.prototype.forEach),
    mapSize: uncurry(Object.getOwnPropertyDescriptor(Map.prototype, 'size').get),
    setForEach: uncurry(Set.prototype.forEach),
    setSize: uncurry(Object.getOwnPropertyDescriptor(Set.prototype, 'size').get),
    propertyIsEnumerable: uncurry(Object.prototype.propertyIsEnumerable),
    regExpExec: uncurry(RegExp.prototype.exec),
    regExpToString: uncurry(RegExp.prototype.toString),
    charCodeAt: uncurry(String.prototype.charCodeAt),
    endsWith: uncurry(String.prototype.endsWith),
    includes: uncurry(String.prototype.includes),
    indexOf: uncurry(String.prototype.indexOf),
    padEnd: uncurry(String.prototype.padEnd),
    padStart: uncurry(String.prototype.padStart),
    repeat: uncurry(String.prototype.repeat),
    slice: uncurry(String.prototype.slice),
    split: uncurry(String.prototype.split),
    startsWith: uncurry(String.prototype.startsWith),
    numberToString: uncurry(Number.prototype.toString),
    symbolToString: uncurry(Symbol.prototype.toString),
    apply: Reflect.apply,
    defineProperty: Object.defineProperty,
    getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
    getOwnPropertyNames: Object.getOwnPropertyNames,
    getOwnPropertySymbols: Object.getOwnPropertySymbols,
    getPrototypeOf: Object.getPrototypeOf,
    hasOwn: Object.hasOwn,
    isArray: Array.isArray,
    keys: Object.keys,
    parseFloat,
    parseInt,
    stringify: JSON.stringify,
    // Later preludes take single built-ins with it.
    uncurry,
  };

  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { ownKeys } = Reflect;

  const makeEnumerable = (holder, skip) => {
    for (const key of ownKeys(holder)) {
      if (typeof key === 'symbol' || skip.includes(key)) continue;
      const descriptor = getOwnPropertyDescriptor(holder, key);
      descriptor.enumerable = true;
      defineProperty(holder, key, descriptor);
    }
  };

  const hidden = (holder, key, value) =>
    defineProperty(holder, key, { value, writable: true, enumerable: false, configurable: true });

  // Gives a class the attributes that WebIDL gives an interface, and makes it global;
  // `shapeClass` leaves the global object alone.
  internal.exposeClass = (Class) => {
    internal.shapeClass(Class);
    hidden(globalThis, Class.name, Class);
  };
  internal.shapeClass = (Class) => {
    makeEnumerable(Class.prototype, ['constructor']);
    makeEnumerable(Class, ['length', 'name', 'prototype']);
    if (!Object.hasOwn(Class.prototype, Symbol.toStringTag)) {
      defineProperty(Class.prototype, Symbol.toStringTag, {
        value: Class.name,
        configurable: true,
      });
    }
    internal.platform.set(Class.prototype, Class.name);
  };

  internal.exposeFunction = (name, value) =>
    defineProperty(globalThis, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });

  // A single object such as `crypto`: a getter, so that assigning to it by mistake does nothing.
  internal.exposeObject = (name, value) =>
    defineProperty(globalThis, name, {
      get: { [name]: () => value }[name],
      set: undefined,
      enumerable: true,
      configurable: true,
    });

  // Objects of these classes are more than their fields: structuredClone copies or refuses them.
  internal.platform = new Map();
  // By prototype, for those that can be copied: a function that copies one, or gives undefined
  // for an object that only inherits from the class.
  internal.copies = new Map();

  internal.hidden = hidden;
  internal.customInspect = Symbol.for('nodejs.util.inspect.custom');

  // Constants such as `Event.AT_TARGET`: on the class and on its prototype.
  internal.constants = (Class, table) => {
    for (const [key, value] of Object.entries(table)) {
      const descriptor = { value, writable: false, enumerable: true, configurable: false };
      defineProperty(Class, key, descriptor);
      defineProperty(Class.prototype, key, descriptor);
    }
  };

  // Private token: a constructor that the standard calls illegal accepts it from us.
  internal.token = Symbol('internal');
  internal.illegal = () => new TypeError('Illegal constructor');

  // An error as Node makes them, with a `code` that is listed.
  internal.coded = (error, code) =>
    defineProperty(error, 'code', { value: code, writable: true, enumerable: true, configurable: true });

  internal.requireArguments = (count, needed, what) => {
    if (count >= needed) return;
    const noun = needed === 1 ? 'argument' : 'arguments';
    throw internal.coded(
      new TypeError(`${what}: ${needed} ${noun} required, but only ${count} present`),
      'ERR_MISSING_ARGS',
    );
  };

  // The words of Node for a value that is not what was wanted.
  const received = (value) => {
    if (value === null || value === undefined) return `${value}`;
    const { constructorName, lookup, unwrap } = internal.kinds;
    if (typeof value === 'function') {
      const name = lookup(value, 'name');
      if (typeof name === 'string' && name !== '') return `function ${name}`;
    }
    if (typeof value === 'object') {
      const object = unwrap(value);
      const name = object === null ? undefined : constructorName(object);
      return name === undefined ? internal.inspect(value, { depth: -1 }) : `an instance of ${name}`;
    }
    const short = (text) => (text.length > 28 ? `${text.slice(0, 25)}...` : text);
    const shown = typeof value === 'string' ? internal.inspect(short(value)) : short(internal.inspect(value));
    return `type ${typeof value} (${shown})`;
  };

  internal.wrongType = (name, expected, value) => {
    // A dotted name is a member of an argument.
    const what = name.includes('.') ? 'property' : 'argument';
    return internal.coded(
      new TypeError(`The "${name}" ${what} must be ${expected}. Received ${received(value)}`),
      'ERR_INVALID_ARG_TYPE',
    );
  };

  internal.wrongValue = (name, value, ErrorClass = TypeError) =>
    internal.coded(
      new ErrorClass(`The property '${name}' is invalid. Received ${internal.inspect(value)}`),
      'ERR_INVALID_ARG_VALUE',
    );

  // Any buffer or view as a `Uint8Array` over the same memory, empty for memory that was given
  // away; undefined for anything else.
  const { isView } = ArrayBuffer;
  internal.bytesOf = (source) => {
    const view = isView(source);
    if ((view ? source.buffer : source)?.detached === true) return new Uint8Array(0);
    if (view) {
      return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    }
    if (source instanceof ArrayBuffer || source instanceof SharedArrayBuffer) {
      return new Uint8Array(source);
    }
    return undefined;
  };

  hidden(globalThis, 'self', globalThis);
});
