// `node:test`: tests, suites, hooks and mocks, reported as TAP when all are done. What needs files or
// processes of their own (`run`, watching, snapshots, coverage) is refused by name.
import { internal } from 'host';
import { report } from 'internal/test_report';
import { mock } from 'internal/test_mock';

const refuse = (name) => () => {
  throw internal.notAvailable(`node:test: ${name}`, 'call the tests of a file by running it');
};

const failure = (type, message, cause = undefined) => ({ type, message, cause });

// File, line and column of the test in the script.
const placeOfCall = () => {
  const frame = new Error().stack.split('\n').find((line) => /^\s+at .*:\d+:\d+\)?$/.test(line) && !line.includes('cofferdam:'));
  return frame?.match(/([^\s(]+:\d+:\d+)\)?$/)?.[1] ?? '';
};

class Item {
  constructor(parent, name, options, fn, kind) {
    Object.assign(this, { parent, name, options, fn, kind, children: [], notes: [], number: 0, error: undefined });
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.skipped = options.skip || undefined;
    this.todo = options.todo || undefined;
    this.duration = 0;
    this.place = placeOfCall();
    this.done = new Promise((resolve) => (this.finish = resolve));
  }
  get isSuite() {
    return this.kind === 'suite';
  }
}

const root = new Item(undefined, '<root>', {}, undefined, 'suite');
let current = root;
let queue = Promise.resolve();
let isListening = false;

const listen = () => {
  if (isListening) return;
  isListening = true;
  const { process } = globalThis;
  let isReported = false;
  process.on('beforeExit', () => {
    if (isReported) return;
    isReported = true;
    const counts = report(root, (text) => process.stdout.write(text));
    if (counts.fail + counts.cancelled > 0) process.exitCode = 1;
  });
};

const parse = (args) => {
  let [name, options, fn] = args;
  if (typeof name === 'function') [name, options, fn] = [undefined, {}, name];
  else if (typeof name === 'object' && name !== null) [name, options, fn] = [undefined, name, options];
  else if (typeof options === 'function') [options, fn] = [{}, options];
  return { name: `${name || fn?.name || '<anonymous>'}`, options: options ?? {}, fn: fn ?? (() => {}) };
};

const chain = (item, kind) => (item === undefined ? [] : [...chain(item.parent, kind), ...item.hooks[kind]]);

const timed = async (task, limit) => {
  if (limit === undefined || limit === Infinity) return task;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(failure('testTimeoutFailure', `test timed out after ${limit}ms`)), limit);
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
};

const contextOf = (item) => {
  const controller = new AbortController();
  const context = {
    name: item.name,
    get fullName() {
      const names = [];
      for (let at = item; at !== root; at = at.parent) names.unshift(at.name);
      return names.join(' > ');
    },
    signal: controller.signal,
    get assert() {
      return internal.library('assert');
    },
    mock,
    diagnostic: (text) => void item.notes.push(`${text}`),
    skip: (text) => void (item.skipped = text ?? true),
    todo: (text) => void (item.todo = text ?? true),
    test: (...args) => start(item, 'test', args),
  };
  for (const kind of ['before', 'after', 'beforeEach', 'afterEach']) {
    context[kind] = (fn) => void item.hooks[kind].push(fn);
  }
  return context;
};

const call = (fn, self, context) => {
  if (fn.length < 2) return Reflect.apply(fn, self, [context]);
  return new Promise((resolve, reject) => {
    const returned = Reflect.apply(fn, self, [context, (error) => (error ? reject(error) : resolve())]);
    if (typeof returned?.then === 'function') {
      reject(failure('callbackAndPromisePresent', 'passed a callback but also returned a Promise'));
    }
  });
};

const each = async (hooks, context) => {
  for (const hook of hooks) await call(hook, context, context);
};

const fail = (item, error) => {
  if (item.error !== undefined) return;
  const isOurs = typeof error === 'object' && error !== null && typeof error.type === 'string' && 'cause' in error && !(error instanceof Error);
  item.error = isOurs ? error : failure('testCodeFailure', undefined, error);
};

const runTest = async (item) => {
  const context = contextOf(item);
  try {
    await each(chain(item.parent, 'beforeEach'), context);
    await timed(call(item.fn, context, context), item.options.timeout);
    await each(item.hooks.after, context);
  } catch (error) {
    fail(item, error);
  }
  for (const child of item.children) await child.done;
  try {
    await each(chain(item.parent, 'afterEach'), context);
  } catch (error) {
    fail(item, error);
  }
};

const runSuite = async (item) => {
  const context = contextOf(item);
  try {
    await item.body;
    await each(item.hooks.before, context);
    for (const child of item.children) await run(child);
  } catch (error) {
    fail(item, error);
  }
  try {
    await each(item.hooks.after, context);
  } catch (error) {
    fail(item, error);
  }
};

const run = async (item) => {
  const begin = performance.now();
  if (!item.skipped) {
    await (item.isSuite ? runSuite(item) : runTest(item));
    const failed = item.children.filter((child) => child.error !== undefined && !child.todo).length;
    if (failed > 0) fail(item, failure('subtestsFailed', `${failed} subtest${failed > 1 ? 's' : ''} failed`));
  }
  item.duration = performance.now() - begin;
  item.finish();
};

// Tests of a suite run when the suite does; those of a test, and those at the top, one after another.
const start = (parent, kind, args) => {
  listen();
  const { name, options, fn } = parse(args);
  const item = new Item(parent, name, options, fn, kind);
  parent.children.push(item);
  if (kind === 'suite' && !item.skipped) {
    const outer = current;
    current = item;
    try {
      const context = contextOf(item);
      item.body = Promise.resolve(Reflect.apply(fn, context, [context]));
      item.body.catch(() => {});
    } catch (error) {
      fail(item, error);
    } finally {
      current = outer;
    }
  }
  if (parent.isSuite && parent !== root) return item.done;
  if (parent === root) {
    const isFirst = root.children.length === 1;
    queue = queue.then(async () => {
      if (isFirst) await each(root.hooks.before);
      await run(item);
    });
  } else {
    parent.last = (parent.last ?? Promise.resolve()).then(() => run(item));
  }
  return item.done;
};

const make = (kind) => {
  const define = (...args) => start(current, kind, args);
  const variant = (more) => (...args) => {
    const { name, options, fn } = parse(args);
    return start(current, kind, [name, { ...options, ...more }, fn]);
  };
  define.skip = variant({ skip: true });
  define.todo = variant({ todo: true });
  define.only = variant({ only: true });
  return define;
};

const hook = (kind) => (fn) => {
  if (typeof fn !== 'function') throw internal.wrongType('fn', 'of type function', fn);
  current.hooks[kind].push(fn);
};

const test = make('test');
const suite = make('suite');
Object.assign(test, {
  test,
  it: test,
  suite,
  describe: suite,
  before: hook('before'),
  after: hook('after'),
  beforeEach: hook('beforeEach'),
  afterEach: hook('afterEach'),
  mock,
  run: refuse('run'),
  default: test,
});
export default test;
