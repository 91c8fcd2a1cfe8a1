// Timers over the native ones, which only know an id and a delay.
(function (native, internal) {
  'use strict';

  const { onTimer, reportError, startTimer, stopTimer } = native;
  const callbacks = new Map();
  const MAX_DELAY = 2147483647;

  const coerceDelay = (delay) => {
    const ms = +delay;
    // A delay that does not fit, or is no number, is the shortest delay.
    return ms >= 1 && ms <= MAX_DELAY ? Math.trunc(ms) : 0;
  };

  const check = (callback) => {
    if (typeof callback !== 'function') {
      throw internal.wrongType('callback', 'of type function', callback);
    }
  };

  const start = (callback, delay, args, repeat) => {
    const entry = { callback, delay, args, repeat, nativeId: 0 };
    const id = (entry.nativeId = startTimer(delay));
    entry.id = id;
    callbacks.set(id, entry);
    byNative.set(id, entry);
    return id;
  };
  // An interval keeps the id it was given while each round is a new native timer.
  const byNative = new Map();

  const clear = (id) => {
    const entry = callbacks.get(typeof id === 'number' ? id : Number(id));
    if (entry === undefined) return;
    callbacks.delete(entry.id);
    byNative.delete(entry.nativeId);
    stopTimer(entry.nativeId);
  };

  onTimer((nativeId) => {
    const entry = byNative.get(nativeId);
    if (entry === undefined) return;
    byNative.delete(nativeId);
    if (!entry.repeat) callbacks.delete(entry.id);
    try {
      Reflect.apply(entry.callback, globalThis, entry.args);
    } catch (error) {
      reportError(error);
    }
    if (entry.repeat && callbacks.get(entry.id) === entry) {
      entry.nativeId = startTimer(entry.delay);
      byNative.set(entry.nativeId, entry);
    }
  });

  const functions = {
    setTimeout(callback, delay = undefined, ...args) {
      check(callback);
      return start(callback, coerceDelay(delay), args, false);
    },
    setInterval(callback, delay = undefined, ...args) {
      check(callback);
      return start(callback, coerceDelay(delay), args, true);
    },
    setImmediate(callback, ...args) {
      check(callback);
      return start(callback, 0, args, false);
    },
    clearTimeout(id) {
      clear(id);
    },
    clearInterval(id) {
      clear(id);
    },
    clearImmediate(id) {
      clear(id);
    },
    queueMicrotask(callback) {
      check(callback);
      enqueue(() => {
        try {
          callback();
        } catch (error) {
          reportError(error);
        }
      });
    },
  };
  const enqueue = globalThis.queueMicrotask;
  for (const [name, value] of Object.entries(functions)) internal.exposeFunction(name, value);
  internal.setTimeout = functions.setTimeout;
});
