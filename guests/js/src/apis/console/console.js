// The console: text to standard output and standard error.
(function (native, internal) {
  'use strict';

  const { arrayJoin, includes, indexOf, slice, split, uncurry } = internal.primordials;
  const { captureStackTrace, format, hidden, inspect } = internal;
  const { monotonicNow, writeErr, writeOut } = native;
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapDelete = uncurry(Map.prototype.delete);
  const toFixed = uncurry(Number.prototype.toFixed);
  const counts = new Map();
  const timers = new Map();
  const { floor } = Math;
  const number = Number;
  let indent = '';

  const write = (to, text) => {
    if (indent !== '') {
      text = includes(text, '\n')
        ? indent + arrayJoin(split(text, '\n'), `\n${indent}`)
        : indent + text;
    }
    (internal.sinkOf?.(to) ?? to)(`${text}\n`);
  };

  const duration = (ms) => {
    if (ms >= 1000) {
      const seconds = ms / 1000;
      if (seconds < 60) return `${toFixed(seconds, 3)}s`;
      const two = (n) => (n < 10 ? `0${n}` : `${n}`);
      const minutes = floor(seconds / 60);
      const rest = toFixed(seconds % 60, 3);
      const tail = rest.length < 6 ? `0${rest}` : rest;
      if (minutes < 60) return `${minutes}:${tail} (m:ss.mmm)`;
      return `${floor(minutes / 60)}:${two(minutes % 60)}:${slice(tail, 0, 2)} (h:mm:ss)`;
    }
    return `${number(toFixed(ms, 3))}ms`;
  };

  const warn = (text) => write(writeErr, `Warning: ${text}`);

  const elapsed = (label, what, data) => {
    const start = mapGet(timers, label);
    if (start === undefined) {
      warn(`No such label '${label}' for console.${what}()`);
      return;
    }
    const text = `${label}: ${duration(monotonicNow() - start)}`;
    write(writeOut, data.length === 0 ? text : `${text} ${format(data)}`);
  };

  const methods = {
    log: (...data) => write(writeOut, format(data)),
    warn: (...data) => write(writeErr, format(data)),
    dir: (item, options) => {
      // Colours are Node's: few scripts ask for them.
      const show = options?.colors ? internal.library('util').inspect : inspect;
      write(writeOut, show(item, { customInspect: false, ...options }));
    },
    time: (label = 'default') => {
      label = `${label}`;
      if (mapGet(timers, label) !== undefined)
        warn(`Label '${label}' already exists for console.time()`);
      else mapSet(timers, label, monotonicNow());
    },
    timeEnd: (label = 'default') => {
      elapsed(`${label}`, 'timeEnd', []);
      mapDelete(timers, `${label}`);
    },
    timeLog: (label = 'default', ...data) => elapsed(`${label}`, 'timeLog', data),
    trace: (...data) => {
      const holder = { name: 'Trace', message: '' };
      captureStackTrace(holder, methods.trace);
      const text = format(data);
      const { stack } = holder;
      const framesAt = indexOf(stack, '\n    at ');
      const frames = framesAt === -1 ? '' : slice(stack, framesAt);
      write(writeErr, (text === '' ? 'Trace' : `Trace: ${text}`) + frames);
    },
    assert: (condition, ...data) => {
      if (condition) return;
      // Put before the text, so that its format specifiers still work.
      if (data.length === 0) write(writeErr, 'Assertion failed');
      else write(writeErr, `Assertion failed: ${format(data)}`);
    },
    clear: () => {},
    count: (label = 'default') => {
      label = `${label}`;
      const count = (mapGet(counts, label) ?? 0) + 1;
      mapSet(counts, label, count);
      write(writeOut, `${label}: ${count}`);
    },
    countReset: (label = 'default') => {
      label = `${label}`;
      if (!mapDelete(counts, label)) warn(`Count for '${label}' does not exist`);
    },
    group: (...data) => {
      if (data.length > 0) write(writeOut, format(data));
      indent += '  ';
    },
    groupEnd: () => {
      indent = slice(indent, 2);
    },
    table: (data, columns) => {
      const text = internal.table(data, columns);
      write(writeOut, text === undefined ? format([data]) : text);
    },
    debug: (...data) => write(writeOut, format(data)),
    info: (...data) => write(writeOut, format(data)),
    dirxml: (...data) => write(writeOut, format(data)),
    error: (...data) => write(writeErr, format(data)),
    groupCollapsed: (...data) => {
      if (data.length > 0) write(writeOut, format(data));
      indent += '  ';
    },
  };

  // A namespace: its prototype is an object of its own, with nothing in it.
  const console = Object.create({});
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(value, 'length', { value: 0, configurable: true });
    console[name] = value;
  }
  Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
  hidden(globalThis, 'console', console);
});
