// Mocks of `node:test`: functions and methods that keep their calls.
import { internal } from 'host';

class MockFunctionContext {
  #calls = [];
  #implementation;
  #once = new Map();
  #restore;
  constructor(implementation, restore) {
    this.#implementation = implementation;
    this.#restore = restore;
  }
  get calls() {
    return [...this.#calls];
  }
  callCount() {
    return this.#calls.length;
  }
  mockImplementation(implementation) {
    this.#implementation = implementation;
  }
  mockImplementationOnce(implementation, onCall = this.#calls.length) {
    this.#once.set(onCall, implementation);
  }
  resetCalls() {
    this.#calls = [];
  }
  restore() {
    this.#restore?.(this);
  }
  // The mocked function calls this.
  static call(context, self, args, target) {
    const at = context.#calls.length;
    const implementation = context.#once.get(at) ?? context.#implementation;
    context.#once.delete(at);
    const entry = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self };
    try {
      entry.result = target === undefined ? Reflect.apply(implementation, self, args) : Reflect.construct(implementation, args, target);
      return entry.result;
    } catch (error) {
      entry.error = error;
      throw error;
    } finally {
      context.#calls.push(entry);
    }
  }
}

const mocked = (original, implementation, restore) => {
  const context = new MockFunctionContext(implementation, restore);
  return new Proxy(original, {
    apply: (_, self, args) => MockFunctionContext.call(context, self, args, undefined),
    construct: (_, args, target) => MockFunctionContext.call(context, undefined, args, target),
    get: (target, key, receiver) => (key === 'mock' ? context : Reflect.get(target, key, receiver)),
  });
};

class MockTracker {
  #mocks = [];
  fn(original = function () {}, implementation = original) {
    if (typeof implementation === 'object') implementation = original;
    const made = mocked(original, implementation, (context) => context.mockImplementation(original));
    this.#mocks.push(made.mock);
    return made;
  }
  method(object, name, implementation = object[name], options = {}) {
    if (typeof implementation === 'object') [implementation, options] = [object[name], implementation];
    let holder = object;
    while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
    const before = holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, name);
    const kind = options.getter ? 'get' : options.setter ? 'set' : 'value';
    const original = before?.[kind];
    if (typeof original !== 'function') throw internal.wrongType('methodName', 'a method', original);
    const replacement = typeof implementation === 'function' ? implementation : original;
    const made = mocked(original, replacement, () => Object.defineProperty(holder, name, before));
    Object.defineProperty(object, name, { ...before, configurable: true, [kind]: made });
    this.#mocks.push(made.mock);
    return made;
  }
  getter(object, name, implementation, options = {}) {
    return this.method(object, name, implementation, { ...options, getter: true });
  }
  setter(object, name, implementation, options = {}) {
    return this.method(object, name, implementation, { ...options, setter: true });
  }
  reset() {
    this.restoreAll();
    this.#mocks = [];
  }
  restoreAll() {
    for (const context of this.#mocks) context.restore();
  }
  get timers() {
    throw internal.notAvailable('node:test: mock.timers', 'pass the clock as an argument');
  }
  module() {
    throw internal.notAvailable('node:test: mock.module', 'pass the module as an argument');
  }
}

export const mock = new MockTracker();
