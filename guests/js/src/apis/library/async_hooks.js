// `async_hooks`: stores that follow a script through `await`, callbacks of promises, timers and ticks.
// The engine keeps one value for all stores: a frozen map, replaced by a copy with each change.
// Hooks are not there, because the engine does not report asynchronous steps.
import { internal } from 'host';

const { asyncContext: context } = internal;

const begin = () => {
  if (context === undefined) throw internal.notAvailable('AsyncLocalStorage', 'pass the value as an argument');
  internal.hasAsyncContext = true;
};

const within = (kept, callee, self, args) => {
  const outer = context(kept);
  try {
    return Reflect.apply(callee, self, args);
  } finally {
    context(outer);
  }
};

const checkFunction = (value, name) => {
  if (typeof value !== 'function') throw internal.wrongType(name, 'of type function', value);
};

class AsyncLocalStorage {
  constructor() {
    begin();
  }
  static bind(callee) {
    checkFunction(callee, 'fn');
    return AsyncResource.bind(callee);
  }
  static snapshot() {
    begin();
    const kept = context();
    return (callee, ...args) => within(kept, callee, undefined, args);
  }
  getStore() {
    return context()?.get(this);
  }
  enterWith(store) {
    context(new Map(context()).set(this, store));
  }
  run(store, callee, ...args) {
    return within(new Map(context()).set(this, store), callee, null, args);
  }
  exit(callee, ...args) {
    return this.run(undefined, callee, ...args);
  }
  disable() {
    const without = new Map(context());
    without.delete(this);
    context(without);
  }
}

let lastId = 1;
class AsyncResource {
  #type;
  #id = ++lastId;
  #kept = internal.hasAsyncContext ? context() : undefined;
  constructor(type) {
    if (typeof type !== 'string') throw internal.wrongType('type', 'of type string', type);
    this.#type = type;
  }
  get type() {
    return this.#type;
  }
  asyncId() {
    return this.#id;
  }
  triggerAsyncId() {
    return 1;
  }
  emitDestroy() {
    return this;
  }
  runInAsyncScope(callee, self, ...args) {
    if (!internal.hasAsyncContext) return Reflect.apply(callee, self, args);
    return within(this.#kept, callee, self, args);
  }
  bind(callee, self) {
    checkFunction(callee, 'fn');
    const resource = this;
    return function (...args) {
      return resource.runInAsyncScope(callee, self ?? this, ...args);
    };
  }
  static bind(callee, type, self) {
    return new AsyncResource(type ?? (callee.name || 'bound-anonymous-fn')).bind(callee, self);
  }
}

export default {
  AsyncLocalStorage,
  AsyncResource,
  createHook() {
    throw internal.notAvailable('async_hooks.createHook', 'the engine does not report asynchronous steps');
  },
  executionAsyncId: () => 1,
  executionAsyncResource: () => ({}),
  triggerAsyncId: () => 0,
};
