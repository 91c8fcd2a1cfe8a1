// `perf_hooks`: the global clock, its marks and measures, and observers of these. Histograms are
// refused by name.
import { internal } from 'host';

const { performance, PerformanceEntry, PerformanceMark, PerformanceMeasure } = globalThis;
const observers = new Set();

const publish = (entry) => {
  for (const observer of observers) observer.push(entry);
  return entry;
};

let isWatching = false;
const watch = () => {
  if (isWatching) return;
  isWatching = true;
  for (const name of ['mark', 'measure']) {
    const original = performance[name];
    internal.hidden(performance, name, (...args) => publish(Reflect.apply(original, performance, args)));
  }
};

const listOf = (entries) => ({
  getEntries: () => [...entries],
  getEntriesByName: (name, type) => entries.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type)),
  getEntriesByType: (type) => entries.filter((entry) => entry.entryType === type),
});

const TYPES = ['function', 'mark', 'measure'];
class PerformanceObserver {
  #callback;
  #types = new Set();
  #entries = [];
  constructor(callback) {
    if (typeof callback !== 'function') throw internal.wrongType('callback', 'of type function', callback);
    this.#callback = callback;
  }
  static get supportedEntryTypes() {
    return [...TYPES];
  }
  observe(options = {}) {
    const types = options.entryTypes ?? (options.type === undefined ? undefined : [options.type]);
    if (!Array.isArray(types)) throw internal.wrongType('options.entryTypes', 'an instance of Array', types);
    if (options.entryTypes !== undefined) this.#types.clear();
    for (const type of types) {
      if (!TYPES.includes(type)) throw internal.notAvailable(`perf_hooks: entries of type ${type}`, TYPES.join(', '));
      this.#types.add(type);
    }
    watch();
    observers.add(this);
    if (options.buffered) for (const entry of performance.getEntries()) this.push(entry);
  }
  push(entry) {
    if (!this.#types.has(entry.entryType)) return;
    this.#entries.push(entry);
    if (this.#entries.length > 1) return;
    setImmediate(() => {
      const entries = this.takeRecords();
      if (entries.length > 0) Reflect.apply(this.#callback, this, [listOf(entries), this]);
    });
  }
  disconnect() {
    observers.delete(this);
    this.#entries = [];
  }
  takeRecords() {
    return this.#entries.splice(0);
  }
}
Object.defineProperty(PerformanceObserver.prototype, 'push', { enumerable: false });

const timerify = (callee) => {
  if (typeof callee !== 'function') throw internal.wrongType('fn', 'of type function', callee);
  const timed = function (...args) {
    const startTime = performance.now();
    const report = () => {
      if (observers.size === 0) return;
      publish({ name: callee.name, entryType: 'function', startTime, duration: performance.now() - startTime, detail: args });
    };
    const result = new.target ? Reflect.construct(callee, args, callee) : Reflect.apply(callee, this, args);
    if (typeof result?.finally === 'function') return result.finally(report);
    report();
    return result;
  };
  Object.defineProperty(timed, 'name', { value: `timerified ${callee.name}`, configurable: true });
  Object.defineProperty(timed, 'length', { value: callee.length, configurable: true });
  return timed;
};

const refuse = (name) => () => {
  throw internal.notAvailable(`perf_hooks: ${name}`, 'use performance.now()');
};

// The run counts as busy from its start: the guest does not see how long the host waited.
const eventLoopUtilization = (now = undefined, before = undefined) => {
  const until = before === undefined ? performance.now() : now.active;
  const active = until - ((before ?? now)?.active ?? 0);
  return { idle: 0, active, utilization: active > 0 ? 1 : 0 };
};
internal.hidden(performance, 'timerify', timerify);
internal.hidden(performance, 'eventLoopUtilization', eventLoopUtilization);

export default {
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  constants: {},
  createHistogram: refuse('createHistogram'),
  eventLoopUtilization,
  monitorEventLoopDelay: refuse('monitorEventLoopDelay'),
  timerify,
};
