const { performance, PerformanceObserver } = require('node:perf_hooks');
const start = performance.now();
performance.mark('begin');
let sum = 0;
for (let i = 0; i < 1e4; i++) sum += i;
performance.mark('end', { detail: { sum } });
const measure = performance.measure('loop', 'begin', 'end');
console.log(sum, measure.name, measure.entryType, typeof measure.duration, measure.duration >= 0);
console.log(performance.getEntriesByType('mark').map((entry) => entry.name), performance.getEntriesByName('end')[0].detail);
console.log(performance.now() >= start, performance.timeOrigin > 1e12, typeof performance.toJSON());
try {
  performance.measure('bad', 'never-marked');
} catch (error) {
  console.log(error.name, error.message);
}
performance.clearMarks('begin');
console.log(performance.getEntriesByType('mark').length, performance.getEntries().length);
const timed = performance.timerify(function add(a, b) { return a + b; });
console.log(timed(1, 2), timed.name);
const observer = new PerformanceObserver((list) => {
  console.log('observed', list.getEntries().map((entry) => entry.name));
  observer.disconnect();
});
observer.observe({ entryTypes: ['mark'] });
performance.mark('seen');
console.log(typeof process.hrtime.bigint(), process.hrtime().length, process.uptime() > 0, Object.keys(process.memoryUsage()).includes('heapUsed'));
