// `perf_hooks`: the global clock.
const { performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver } = globalThis;
export default {
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  constants: {},
};
