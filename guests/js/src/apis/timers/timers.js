// Timers over the native ones, which only know an id and a delay.
(function (native, internal) {
  'use strict';

  const { holdRun, onTimer, startTimer, stopTimer } = native;
  const { Map } = globalThis;
  // Timers that are not over, by id. Made by the first: a map in the image would cost each cell that
  // sets a timer the pages it lies on.
  let callbacks;
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

  // A timer as Node returns it: an object that converts to its id. The id is the ticket of its first
  // native timer; each further round of an interval is a new one, and `renamed` finds the id.
  let renamed;
  let entryOf;
  class Timeout {
    #entry;
    static {
      entryOf = (timer) => timer.#entry;
    }
    constructor(entry) {
      this.#entry = entry;
    }
    ref() {
      this.#entry.holds = true;
      holdRun(this.#entry.nativeId, true);
      return this;
    }
    // The run does not wait for this timer.
    unref() {
      this.#entry.holds = false;
      holdRun(this.#entry.nativeId, false);
      return this;
    }
    hasRef() {
      return this.#entry.holds;
    }
    refresh() {
      stop(this.#entry);
      callbacks.set(this.#entry.id, this);
      again(this.#entry);
      return this;
    }
    close() {
      clear(this);
      return this;
    }
    get _destroyed() {
      return callbacks?.get(this.#entry.id) !== this;
    }
    [Symbol.toPrimitive]() {
      return this.#entry.id;
    }
  }
  internal.hidden(Timeout.prototype, Symbol.dispose ?? Symbol.for('nodejs.dispose'), Timeout.prototype.close);

  const start = (callback, delay, args, repeat) => {
    const id = startTimer(delay);
    if (internal.hasAsyncContext) callback = internal.inAsyncContext(callback);
    const timer = new Timeout({ callback, delay, args, repeat, id, nativeId: id, holds: true });
    (callbacks ??= new Map()).set(id, timer);
    return timer;
  };

  const again = (entry) => {
    entry.nativeId = startTimer(entry.delay);
    if (!entry.holds) holdRun(entry.nativeId, false);
    (renamed ??= new Map()).set(entry.nativeId, entry.id);
  };

  const stop = (entry) => {
    renamed?.delete(entry.nativeId);
    stopTimer(entry.nativeId);
  };

  const clear = (id) => {
    const timer = callbacks?.get(typeof id === 'symbol' ? undefined : Number(id));
    if (timer === undefined) return;
    callbacks.delete(entryOf(timer).id);
    stop(entryOf(timer));
  };

  onTimer((nativeId) => {
    const timer = callbacks.get(renamed?.get(nativeId) ?? nativeId);
    if (timer === undefined) return;
    const entry = entryOf(timer);
    renamed?.delete(nativeId);
    if (!entry.repeat) callbacks.delete(entry.id);
    try {
      Reflect.apply(entry.callback, timer, entry.args);
    } catch (error) {
      internal.report(error);
    }
    // A callback may have cleared its own interval, or started it anew.
    if (entry.repeat && callbacks.get(entry.id) === timer && entry.nativeId === nativeId) again(entry);
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
      if (internal.hasAsyncContext) callback = internal.inAsyncContext(callback);
      enqueue(() => {
        try {
          callback();
        } catch (error) {
          internal.report(error);
        }
      });
    },
  };
  const enqueue = globalThis.queueMicrotask;
  for (const [name, value] of Object.entries(functions)) internal.exposeFunction(name, value);
  // The forms with promises, for `util.promisify`.
  for (const name of ['setTimeout', 'setImmediate']) {
    Object.defineProperty(functions[name], Symbol.for('nodejs.util.promisify.custom'), {
      get: () => internal.library('timers/promises')[name],
      configurable: true,
    });
  }
  internal.setTimeout = functions.setTimeout;
  // The engine's own, for functions of the surface that do not throw.
  internal.enqueue = enqueue;
});
