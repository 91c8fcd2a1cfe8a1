// Node's globals. Each is loaded when a tool first uses it.
(function (native, internal) {
  'use strict';

  const { defineProperty } = Object;
  const loaded = new Map();

  // The exports of a part; loaded once.
  internal.part = (name) => {
    let exports = loaded.get(name);
    if (exports === undefined) {
      exports = internal.library(name) ?? native.loadPart(name, native)(native, internal);
      loaded.set(name, exports);
    }
    return exports;
  };
  internal.isLoaded = (name) => loaded.has(name);
  native.keepParts(internal.part);

  const late = (name, load, owner = globalThis) =>
    defineProperty(owner, name, {
      get() {
        const value = load();
        internal.hidden(owner, name, value);
        return value;
      },
      set(value) {
        internal.hidden(owner, name, value);
      },
      enumerable: false,
      configurable: true,
    });
  late('Atomics', () => internal.openPart('internal/atomics'));
  late('Buffer', () => internal.part('buffer').Buffer);
  late('Intl', () => internal.formats().Intl);
  late('Console', () => internal.library('console').Console, console);
  late('Bun', () => internal.part('bun'));
  for (const name of ['BroadcastChannel', 'MessageChannel', 'MessagePort']) {
    late(name, () => internal.part('messages')[name]);
  }
  late('PerformanceObserver', () => internal.part('perf_hooks').PerformanceObserver);
  late('process', () => internal.part('process'));
  late('require', () => internal.part('modules').require);
  internal.hidden(globalThis, 'global', globalThis);
});
