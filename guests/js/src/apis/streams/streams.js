// The common part of the three kinds of stream: promises, queuing strategies, errors.
(function (native, internal) {
  'use strict';

  const { coded, uncurry } = { ...internal, ...internal.primordials };
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

  const sizeOf = ({ size }) => (size === undefined ? () => 1 : (chunk) => +size(chunk));

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
  class Fifo {
    #items = [];
    #from = 0;
    get length() {
      return this.#items.length - this.#from;
    }
    get first() {
      return this.#items[this.#from];
    }
    push(item) {
      this.#items.push(item);
    }
    shift() {
      const item = this.#items[this.#from];
      this.#items[this.#from++] = undefined;
      if (this.#from > 32 && this.#from * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#from);
        this.#from = 0;
      }
      return item;
    }
    clear() {
      const items = this.#items.slice(this.#from);
      this.#items = [];
      this.#from = 0;
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
    nothing,
    readStrategy,
    rejectedWith,
    resolvedWith,
    settled,
    sizeOf,
    then,
    whenDone,
    wrongThis,
  };
});
