// AbortController and AbortSignal.
(function (native, internal) {
  'use strict';

  const { customInspect, DOMException, EventTarget, setTimeout, token } = internal;
  let signalAbort, addAlgorithm, removeAlgorithm;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #algorithms = new Set();
    // For a signal made by `any`: what it listens to, never another such signal.
    #sources = [];
    #dependents = [];

    static {
      signalAbort = (signal, reason) => signal.#abort(reason);
      addAlgorithm = (signal, algorithm) => {
        signal.#algorithms.add(algorithm);
      };
      removeAlgorithm = (signal, algorithm) => {
        signal.#algorithms.delete(algorithm);
      };
    }

    constructor(key) {
      if (key !== token) throw internal.coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
      super();
    }

    static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
      const signal = new AbortSignal(token);
      signal.#aborted = true;
      signal.#reason = reason;
      return signal;
    }

    static timeout(delay) {
      internal.requireArguments(
        arguments.length,
        1,
        "Failed to execute 'timeout' on 'AbortSignal'",
      );
      const ms = Number(delay);
      if (!(ms >= 0) || ms > Number.MAX_SAFE_INTEGER) {
        throw internal.coded(
          new RangeError(
            `The value of "delay" is out of range. It must be >= 0 && <= 9007199254740991. Received ${internal.inspect(delay)}`,
          ),
          'ERR_OUT_OF_RANGE',
        );
      }
      const signal = new AbortSignal(token);
      setTimeout(() => {
        signal.#abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      }, ms);
      return signal;
    }

    static any(signals) {
      const list = [...signals];
      const result = new AbortSignal(token);
      for (const signal of list) {
        if (!(#aborted in Object(signal))) {
          throw internal.wrongType('signals', 'an instance of AbortSignal', signal);
        }
      }
      for (const signal of list) {
        if (!signal.#aborted) continue;
        result.#aborted = true;
        result.#reason = signal.#reason;
        return result;
      }
      for (const signal of list) {
        for (const source of signal.#sources.length > 0 ? signal.#sources : [signal]) {
          if (result.#sources.includes(source)) continue;
          result.#sources.push(source);
          source.#dependents.push(result);
        }
      }
      return result;
    }

    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }

    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }

    #abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
      if (this.#aborted) return;
      const all = [this];
      this.#aborted = true;
      this.#reason = reason;
      // All are aborted before any listener runs, so that none sees a half-aborted set.
      for (const dependent of this.#dependents) {
        if (dependent.#aborted) continue;
        dependent.#aborted = true;
        dependent.#reason = reason;
        all.push(dependent);
      }
      for (const signal of all) {
        const algorithms = [...signal.#algorithms];
        signal.#algorithms.clear();
        for (const algorithm of algorithms) algorithm(reason);
        internal.fire(signal, internal.trustedEvent('abort'));
      }
    }

    [customInspect](depth, options, inspect) {
      return depth < 0
        ? 'AbortSignal'
        : `AbortSignal ${inspect({ aborted: this.#aborted }, options)}`;
    }
  }
  internal.defineHandler(AbortSignal, 'abort');

  class AbortController {
    #signal = new AbortSignal(token);

    get signal() {
      return this.#signal;
    }

    abort(reason = undefined) {
      signalAbort(this.#signal, reason);
    }

    [customInspect](depth, options, inspect) {
      return depth < 0
        ? 'AbortController'
        : `AbortController ${inspect({ signal: this.#signal }, options)}`;
    }
  }

  internal.exposeClass(AbortSignal);
  internal.exposeClass(AbortController);
  Object.assign(internal, {
    AbortSignal,
    AbortController,
    signalAbort,
    addAlgorithm,
    removeAlgorithm,
  });
});
