// The common part of the three kinds of stream: promises, queuing strategies, errors.
(function (native, internal) {
  'use strict';

  const { arraySlice, coded, uncurry } = { ...internal, ...internal.primordials };
  const { apply } = Reflect;
  const PromiseClass = Promise;
  const then = uncurry(Promise.prototype.then);
  const nothing = () => {};
  const isObject = (value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  // Internal records have no prototype, so that nothing a tool puts on Object.prototype is called
  // or found by them; or all that is read of them is their own.
  const deferred = Promise.withResolvers.bind(PromiseClass);
  const { reject } = Promise;
  // A new promise even of a promise, unlike Promise.resolve: the standard counts on the delay.
  const { resolve } = Promise;
  const resolvedWith = (value) =>
    isObject(value)
      ? new PromiseClass((settle) => settle(value))
      : apply(resolve, PromiseClass, [value]);
  // The same for an object that is no promise.
  const resultOf = (result) => apply(resolve, PromiseClass, [result]);
  const rejectedWith = (error) => apply(reject, PromiseClass, [error]);

  // One for all that is done at once and that no program gets to see: promises are what a stream
  // costs.
  const DONE = resolvedWith(undefined);
  const settled = () => DONE;

  const { enqueue } = internal;
  // Like `then`, for functions that do not throw and whose results nothing waits for: what is done
  // already needs no further promise.
  const whenDone = (promise, done, failed) => {
    if (promise === DONE) enqueue(done);
    else then(promise, done, failed);
  };

  // Returned by a controller that has no chunk at hand.
  const NOTHING = Symbol('nothing');

  // A rejection that the program is free not to look at.
  const handled = (promise) => {
    then(promise, undefined, nothing);
    return promise;
  };

  // The result of a program's method as a promise, whether it returns or throws.
  const attempt = (method, receiver, args) => {
    try {
      const value = apply(method, receiver, args);
      return value === undefined ? DONE : resolvedWith(value);
    } catch (error) {
      return rejectedWith(error);
    }
  };

  const method = (object, name, holder = 'source') => {
    const value = object[name];
    if (value === undefined) return undefined;
    if (typeof value !== 'function') {
      throw internal.wrongType(`${holder}.${name}`, 'of type function', value);
    }
    return value;
  };

  const invalidState = (text) =>
    coded(new TypeError(`Invalid state: ${text}`), 'ERR_INVALID_STATE');
  const wrongThis = (name) =>
    coded(new TypeError(`Value of "this" must be of type ${name}`), 'ERR_INVALID_THIS');

  // An integer from 0 to 2⁵³-1, as WebIDL's EnforceRange has it.
  const enforceRange = (value, name) => {
    const whole = Math.trunc(+value);
    if (whole >= 0 && whole <= Number.MAX_SAFE_INTEGER) return whole;
    throw internal.wrongValue(name, value);
  };

  // A strategy with its members read once, in the standard's order: the marks are checked only
  // after the members of the source were read.
  const readStrategy = (strategy, name = 'strategy') => {
    if (strategy === undefined || strategy === null) {
      return { __proto__: null, name, mark: undefined, size: undefined };
    }
    if (!isObject(strategy)) throw internal.wrongType(name, 'of type object', strategy);
    const { highWaterMark } = strategy;
    const mark = highWaterMark === undefined ? undefined : +highWaterMark;
    return { __proto__: null, name, mark, size: method(strategy, 'size', name) };
  };

  const markOf = ({ name, mark }, fallback) => {
    if (mark === undefined) return fallback;
    if (!(mark >= 0)) throw internal.wrongValue(`${name}.highWaterMark`, mark, RangeError);
    return mark;
  };

  // Undefined counts chunks, without a call for each.
  const sizeOf = ({ size }) => (size === undefined ? undefined : (chunk) => +size(chunk));

  const checkSize = (size) => {
    if (size >= 0 && size !== Infinity) return size;
    throw internal.wrongValue('size', size, RangeError);
  };

  const initMark = (init, name) => {
    const mark = isObject(init) ? init.highWaterMark : undefined;
    if (mark === undefined) {
      throw coded(new TypeError(`${name}: "init.highWaterMark" is required`), 'ERR_MISSING_OPTION');
    }
    return +mark;
  };
  const { size: byteSize } = {
    size(chunk) {
      return chunk.byteLength;
    },
  };
  const { size: countSize } = {
    size() {
      return 1;
    },
  };

  class ByteLengthQueuingStrategy {
    #mark;
    constructor(init) {
      this.#mark = initMark(init, 'ByteLengthQueuingStrategy');
    }
    get highWaterMark() {
      return this.#mark;
    }
    get size() {
      this.#mark;
      return byteSize;
    }
  }

  class CountQueuingStrategy {
    #mark;
    constructor(init) {
      this.#mark = initMark(init, 'CountQueuingStrategy');
    }
    get highWaterMark() {
      return this.#mark;
    }
    get size() {
      this.#mark;
      return countSize;
    }
  }

  // A list to take from the front of, without moving the rest each time.
  // No program gets to see one, so its fields are plain: every chunk passes through here.
  class Fifo {
    constructor() {
      this.items = [];
      this.from = 0;
      this.length = 0;
    }
    get first() {
      return this.items[this.from];
    }
    push(item) {
      this.items[this.from + this.length++] = item;
    }
    shift() {
      const { items, from } = this;
      if (this.length === 0) return undefined;
      const item = items[from];
      if (--this.length === 0) {
        // Mostly one item comes and goes, in the place that it had.
        if (from >= 32) this.items = [];
        else items[from] = undefined;
        this.from = 0;
      } else if (from >= 32 && from >= this.length) {
        this.items = arraySlice(items, from + 1, from + 1 + this.length);
        this.from = 0;
      } else {
        items[from] = undefined;
        this.from = from + 1;
      }
      return item;
    }
    clear() {
      const items = arraySlice(this.items, this.from, this.from + this.length);
      this.items = [];
      this.from = this.length = 0;
      return items;
    }
  }

  internal.exposeClass(ByteLengthQueuingStrategy);
  internal.exposeClass(CountQueuingStrategy);
  internal.streams = {
    __proto__: null,
    attempt,
    checkSize,
    deferred,
    DONE,
    enforceRange,
    Fifo,
    handled,
    invalidState,
    isObject,
    markOf,
    method,
    NOTHING,
    nothing,
    readStrategy,
    rejectedWith,
    resolvedWith,
    resultOf,
    settled,
    sizeOf,
    then,
    whenDone,
    wrongThis,
  };
});
