// The built-in modules of Node, run at their first use; see `mod.rs`.
(function (native, internal) {
  'use strict';

  const { coded, hidden } = internal;
  native.lendToModules({ native, internal });
  const opened = new Map();

  internal.notAvailable = (name, instead) =>
    coded(new Error(`${name} is not available in the sandbox: ${instead}`), 'ERR_METHOD_NOT_IMPLEMENTED');

  // Modules that load without being there; see `absent.js`.
  const ABSENT = [
    'cluster', 'dgram', 'dns', 'dns/promises', 'domain', 'http2', 'inspector', 'inspector/promises', 'repl',
    'sqlite', 'tls', 'trace_events', 'v8', 'wasi', 'worker_threads',
  ];

  internal.libraryNames = [...native.publicModules, ...ABSENT];

  // The default export of a module that only preludes open.
  internal.openPart = (name) => native.openModule(name).default;

  // What `require` gives for a built-in module: its default export. Undefined for another name.
  internal.library = (name) => {
    if (opened.has(name)) return opened.get(name);
    if (ABSENT.includes(name)) {
      const exports = internal.openPart('internal/absent')(name);
      opened.set(name, exports);
      return exports;
    }
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
  const formats = () => (english ??= internal.openPart('internal/intl'));
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
