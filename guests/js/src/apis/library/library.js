// The built-in modules of Node, run at their first use; see `mod.rs`.
(function (native, internal) {
  'use strict';

  const { coded, hidden } = internal;
  native.lendToModules({ native, internal });
  const opened = new Map();

  internal.notAvailable = (name, instead) =>
    coded(new Error(`${name} is not available in the sandbox: ${instead}`), 'ERR_METHOD_NOT_IMPLEMENTED');

  // Modules of Node that the sandbox does not have, and what to use in their place.
  const ABSENT = {
    __proto__: null,
    cluster: 'a tool is one process',
    dgram: 'use fetch for requests',
    dns: 'fetch resolves host names',
    'dns/promises': 'fetch resolves host names',
    domain: 'use try and catch, or events',
    http2: 'use fetch, http or https',
    inspector: 'use console.log',
    net: 'use fetch, http or https for requests',
    repl: 'use readline',
    sea: 'a tool is a script',
    sqlite: 'use files, or the command sqlite3 through child_process',
    tls: 'use fetch or https for requests',
    trace_events: 'use performance.now()',
    v8: 'the engine is QuickJS; structuredClone copies values',
    vm: 'use eval or new Function',
    wasi: 'run the program as a command of the sandbox',
    worker_threads: 'use promises, or child_process for commands',
  };

  internal.libraryNames = [...native.publicModules, ...Object.keys(ABSENT)];

  // What `require` gives for a built-in module: its default export. Undefined for another name.
  internal.library = (name) => {
    if (opened.has(name)) return opened.get(name);
    if (name in ABSENT) throw internal.notAvailable(`node:${name}`, ABSENT[name]);
    const namespace = native.openModule(name);
    if (namespace === undefined || namespace === null) return undefined;
    const exports = name === 'string_decoder' ? { ...namespace } : (namespace.default ?? { ...namespace });
    opened.set(name, exports);
    return exports;
  };

  internal.toBuffer = (bytes) =>
    internal.library('buffer').Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  // `Intl` and what needs a locale: the engine has none of it.
  let english;
  const formats = () => (english ??= native.openModule('internal/intl').default);
  internal.formats = formats;
  const { bigIntValueOf, dateGetTime, numberValueOf } = internal.primordials;
  const extend = (prototype, methods) => {
    for (const [name, method] of Object.entries(methods)) hidden(prototype, name, method);
  };
  extend(Number.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return formats().number(numberValueOf(this), locales, options);
    },
  });
  extend(BigInt.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return formats().number(bigIntValueOf(this), locales, options);
    },
  });
  const dateOf = (value) => new Date(dateGetTime(value));
  extend(Date.prototype, {
    toLocaleDateString(locales = undefined, options = undefined) {
      return formats().date(dateOf(this), locales, options);
    },
    toLocaleString(locales = undefined, options = undefined) {
      return formats().dateTime(dateOf(this), locales, options);
    },
    toLocaleTimeString(locales = undefined, options = undefined) {
      return formats().time(dateOf(this), locales, options);
    },
  });
  extend(String.prototype, {
    localeCompare(that, locales = undefined, options = undefined) {
      return formats().compare(`${this}`, `${that}`, locales, options);
    },
  });
});
