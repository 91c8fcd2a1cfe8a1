// `async_hooks`: resources without hooks. The engine does not report when a promise continues, so a
// store would be lost at the first `await`; it throws in place of losing it silently.
import { internal } from 'host';

class AsyncResource {
  #type;
  constructor(type) {
    this.#type = type;
  }
  get type() {
    return this.#type;
  }
  asyncId() {
    return 1;
  }
  triggerAsyncId() {
    return 0;
  }
  emitDestroy() {
    return this;
  }
  runInAsyncScope(callee, self, ...args) {
    return Reflect.apply(callee, self, args);
  }
  bind(callee, self) {
    return (...args) => this.runInAsyncScope(callee, self, ...args);
  }
  static bind(callee, type, self) {
    return new AsyncResource(type ?? 'bound-anonymous-fn').bind(callee, self);
  }
}

class AsyncLocalStorage {
  constructor() {
    throw internal.notAvailable('AsyncLocalStorage', 'pass the value as an argument');
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
