// What the three kinds of stream share: promises, queuing strategies, errors.
(function (native, internal) {
  'use strict';

  const { coded, uncurry } = { ...internal, ...internal.primordials };
  const then = uncurry(Promise.prototype.then);
  const nothing = () => {};

  const deferred = () => {
    const parts = {};
    parts.promise = new Promise((resolve, reject) => {
      parts.resolve = resolve;
      parts.reject = reject;
    });
    return parts;
  };

  // A rejection that the program is free not to look at.
  const handled = (promise) => {
    then(promise, undefined, nothing);
    return promise;
  };

  // The result of a program's method as a promise, whether it returns or throws.
  const attempt = (method, receiver, args) => {
    try {
      return Promise.resolve(Reflect.apply(method, receiver, args));
    } catch (error) {
      return Promise.reject(error);
    }
  };

  const method = (object, name) => {
    const value = object[name];
    if (value === undefined) return undefined;
    if (typeof value !== 'function') {
      throw internal.wrongType(`source.${name}`, 'of type function', value);
    }
    return value;
  };

  const invalidState = (text) =>
    coded(new TypeError(`Invalid state: ${text}`), 'ERR_INVALID_STATE');
  const wrongThis = (name) =>
    coded(new TypeError(`Value of "this" must be of type ${name}`), 'ERR_INVALID_THIS');

  const highWaterMark = (strategy, fallback) => {
    const given = strategy?.highWaterMark;
    if (given === undefined) return fallback;
    const mark = Number(given);
    if (!(mark >= 0)) {
      throw internal.wrongValue('strategy.highWaterMark', given, RangeError);
    }
    return mark;
  };

  const sizeOf = (strategy) => {
    const size = strategy === undefined || strategy === null ? undefined : method(strategy, 'size');
    return size === undefined ? () => 1 : (chunk) => size(chunk);
  };

  const checkSize = (size) => {
    const number = Number(size);
    if (number >= 0 && number !== Infinity) return number;
    throw internal.wrongValue('size', size, RangeError);
  };

  const initMark = (init, name) => {
    if (init === null || typeof init !== 'object' || init.highWaterMark === undefined) {
      throw coded(new TypeError(`${name}: "init.highWaterMark" is required`), 'ERR_MISSING_OPTION');
    }
    return Number(init.highWaterMark);
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
    Fifo,
    handled,
    highWaterMark,
    invalidState,
    method,
    nothing,
    sizeOf,
    then,
    wrongThis,
  };
});
