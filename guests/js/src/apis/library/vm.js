// `vm`: scripts with other global names. The properties of a context's object are copied into its
// global object before a script runs, and back after it; what a script changes later, in a callback,
// stays there.
import { native, internal } from 'host';

const { coded } = internal;
const contexts = new WeakMap();
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

const REFUSED = ['cachedData', 'produceCachedData', 'importModuleDynamically', 'microtaskMode', 'contextExtensions', 'parsingContext'];
const read = (options, fallback = 'evalmachine.<anonymous>') => {
  if (typeof options === 'string') return { filename: options, timeout: 0 };
  if (options !== undefined && !isObject(options)) throw internal.wrongType('options', 'of type object', options);
  const wrong = REFUSED.find((name) => options?.[name] !== undefined);
  if (wrong !== undefined) throw internal.notAvailable(`node:vm: the option ${wrong}`, 'leave it out');
  const { filename = fallback, timeout = 0 } = options ?? {};
  if (timeout !== 0 && !(Number.isInteger(timeout) && timeout > 0)) {
    throw coded(new RangeError(`The value of "options.timeout" is out of range. It must be >= 1. Received ${timeout}`), 'ERR_OUT_OF_RANGE');
  }
  return { filename: `${filename}`, timeout };
};

const evaluate = (number, code, { filename, timeout }) => {
  const late = coded(new Error(`Script execution timed out after ${timeout}ms`), 'ERR_SCRIPT_EXECUTION_TIMEOUT');
  return native.runInContext(number, code, filename, timeout, late);
};

const createContext = (object = {}, options = undefined) => {
  if (!isObject(object)) throw internal.wrongType('contextObject', 'of type object', object);
  read(options);
  if (contexts.has(object)) return object;
  const number = native.newContext();
  const global = native.globalOfContext(number);
  delete global.Promise.cofferdamContext;
  contexts.set(object, { number, global, own: new Set(Reflect.ownKeys(global)) });
  return object;
};
const isContext = (object) => {
  if (!isObject(object)) throw internal.wrongType('object', 'of type object', object);
  return contexts.has(object);
};

const enter = (object, { global }) => {
  for (const key of Reflect.ownKeys(object)) {
    const there = Object.getOwnPropertyDescriptor(global, key);
    if (there === undefined || there.configurable) {
      Object.defineProperty(global, key, { value: object[key], writable: true, enumerable: true, configurable: true });
    } else {
      global[key] = object[key];
    }
  }
};
const leave = (object, { global, own }) => {
  for (const key of Reflect.ownKeys(object)) {
    if (!Object.hasOwn(global, key)) delete object[key];
  }
  for (const key of Reflect.ownKeys(global)) {
    if (own.has(key) && !Object.hasOwn(object, key)) continue;
    if (object[key] !== global[key] || !Object.hasOwn(object, key)) object[key] = global[key];
  }
};

const runInContext = (code, object, options) => {
  const context = isObject(object) ? contexts.get(object) : undefined;
  if (context === undefined) throw internal.wrongType('contextifiedObject', 'an vm.Context', object);
  const settings = read(options);
  enter(object, context);
  try {
    return evaluate(context.number, `${code}`, settings);
  } finally {
    leave(object, context);
  }
};
const runInNewContext = (code, object = {}, options = undefined) => runInContext(code, createContext(object), options);
const runInThisContext = (code, options) => evaluate(undefined, `${code}`, read(options));

class Script {
  #code;
  #filename;
  constructor(code, options) {
    this.#code = `${code}`;
    this.#filename = read(options).filename;
    native.checkScript(this.#code, this.#filename);
  }
  #settings(options) {
    return { ...read(options), filename: this.#filename };
  }
  runInContext(object, options) {
    return runInContext(this.#code, object, this.#settings(options));
  }
  runInNewContext(object, options) {
    return runInNewContext(this.#code, object, this.#settings(options));
  }
  runInThisContext(options) {
    return runInThisContext(this.#code, this.#settings(options));
  }
  createCachedData() {
    throw internal.notAvailable('node:vm: createCachedData', 'compile the source again');
  }
}

const compileFunction = (code, params = [], options = undefined) => {
  read(options);
  return new Function(...params, code);
};

const refuse = (name) =>
  class {
    constructor() {
      throw internal.notAvailable(`node:vm: ${name}`, 'use import()');
    }
  };

export default {
  Script,
  compileFunction,
  constants: {},
  createContext,
  isContext,
  measureMemory: async () => {
    throw internal.notAvailable('node:vm: measureMemory', 'the run has a memory limit');
  },
  runInContext,
  runInNewContext,
  runInThisContext,
  Module: refuse('Module'),
  SourceTextModule: refuse('SourceTextModule'),
  SyntheticModule: refuse('SyntheticModule'),
};
