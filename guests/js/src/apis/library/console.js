// `console`: the global one, and the class for consoles that write to streams of the program.
import { internal } from 'host';
import util from 'util';

const { console, performance } = globalThis;

const isWritable = (stream) => typeof stream?.write === 'function';

class Console {
  #streams;
  #settings;
  #step;
  #indent = '';
  #counts = new Map();
  #timers = new Map();
  constructor(options, stderr = undefined) {
    if (isWritable(options) || options === undefined) options = { stdout: options, stderr };
    const { stdout } = options;
    for (const [name, stream] of [['stdout', stdout], ['stderr', options.stderr ?? stdout]]) {
      if (isWritable(stream)) continue;
      const message = `Console expects a writable stream instance for ${name}`;
      throw internal.coded(new TypeError(message), 'ERR_CONSOLE_WRITABLE_STREAM');
    }
    this.#streams = [stdout, options.stderr ?? stdout];
    this.#settings = { colors: options.colorMode === true, ...options.inspectOptions };
    this.#step = options.groupIndentation ?? 2;
    // Methods work without their object, as those of the global console do.
    for (const name of Object.getOwnPropertyNames(Console.prototype)) {
      if (name !== 'constructor') internal.hidden(this, name, this[name].bind(this));
    }
  }
  static [Symbol.hasInstance](value) {
    return value === console || Function.prototype[Symbol.hasInstance].call(this, value);
  }
  #write(to, data) {
    const text = util.formatWithOptions(this.#settings, ...data);
    const lines = this.#indent === '' ? text : this.#indent + text.replaceAll('\n', `\n${this.#indent}`);
    this.#streams[to].write(`${lines}\n`);
  }
  #since(label, what, data) {
    const start = this.#timers.get(`${label}`);
    if (start === undefined) {
      return internal.part('process').emitWarning(`No such label '${label}' for console.${what}()`);
    }
    this.#write(0, [`${label}: ${Number((performance.now() - start).toFixed(3))}ms`, ...data]);
  }
  log(...data) {
    this.#write(0, data);
  }
  error(...data) {
    this.#write(1, data);
  }
  dir(item, options) {
    this.#write(0, [util.inspect(item, { customInspect: false, ...this.#settings, ...options })]);
  }
  assert(condition, ...data) {
    if (condition) return;
    data[0] = data.length === 0 ? 'Assertion failed' : `Assertion failed: ${data[0]}`;
    this.#write(1, data);
  }
  table(data, columns) {
    this.#write(0, [internal.table(data, columns) ?? data]);
  }
  trace(...data) {
    const holder = {};
    Error.captureStackTrace(holder, this.trace);
    const text = util.formatWithOptions(this.#settings, ...data);
    this.#write(1, [(text === '' ? 'Trace' : `Trace: ${text}`) + holder.stack.slice(holder.stack.indexOf('\n'))]);
  }
  group(...data) {
    if (data.length > 0) this.#write(0, data);
    this.#indent += ' '.repeat(this.#step);
  }
  groupEnd() {
    this.#indent = this.#indent.slice(this.#step);
  }
  count(label = 'default') {
    const count = (this.#counts.get(`${label}`) ?? 0) + 1;
    this.#counts.set(`${label}`, count);
    this.#write(0, [`${label}: ${count}`]);
  }
  countReset(label = 'default') {
    this.#counts.delete(`${label}`);
  }
  time(label = 'default') {
    this.#timers.set(`${label}`, performance.now());
  }
  timeEnd(label = 'default') {
    this.#since(label, 'timeEnd', []);
    this.#timers.delete(`${label}`);
  }
  timeLog(label = 'default', ...data) {
    this.#since(label, 'timeLog', data);
  }
  clear() {}
}
const SAME = { debug: 'log', dirxml: 'log', info: 'log', warn: 'error', groupCollapsed: 'group' };
for (const [name, same] of Object.entries(SAME)) internal.hidden(Console.prototype, name, Console.prototype[same]);

// Node's class can be called without `new`.
const callable = new Proxy(Console, { apply: (target, self, args) => new target(...args) });
internal.hidden(console, 'Console', callable);
export default console;
