// Ways to use up a ReadableStream: async iteration, and reading it whole; and `from`, which makes
// one of anything that can be iterated.
(function (native, internal) {
  'use strict';

  const { coded, token } = internal;
  const {
    acquire,
    cancel,
    create,
    deferred,
    DONE,
    handled,
    isObject,
    NOTHING,
    read,
    readNow,
    recordOf,
    rejectedWith,
    release,
    resolvedWith,
    resultOf,
    then,
    wrongThis,
  } = internal.streams;
  const { apply } = Reflect;
  const { queueMicrotask } = globalThis;
  let isIteration;

  const asyncIteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf(async function* () {}.prototype),
  );

  // One read: settled at once, or later through the promise that `later` holds.
  class Request {
    constructor() {
      this.value = undefined;
      this.isSettled = false;
      this.isClosed = false;
      this.isFailed = false;
      this.later = undefined;
      this.ended = undefined;
    }

    chunk(value) {
      this.value = value;
      this.isSettled = true;
      this.later?.resolve(undefined);
    }
    close() {
      this.isSettled = this.isClosed = true;
      this.ended?.();
      this.later?.resolve(undefined);
    }
    error(error) {
      this.value = error;
      this.isSettled = this.isFailed = true;
      this.ended?.();
      this.later?.reject(error);
    }
  }

  class Iteration {
    #reader;
    #preventCancel;
    #ongoing;
    // Steps that were asked for and are not done.
    #steps = 0;
    #finished = false;
    // The chunk of a step that had it at once, and the end of that step: one step is done at a time.
    #chunk = undefined;
    #deliver = () => {
      const value = this.#chunk;
      this.#chunk = undefined;
      if (--this.#steps === 0) this.#ongoing = undefined;
      return { value, done: false };
    };

    constructor(key, reader, preventCancel) {
      if (key !== token) throw internal.illegal();
      this.#reader = reader;
      this.#preventCancel = preventCancel;
    }

    static {
      isIteration = (value) => isObject(value) && #reader in value;
    }

    next() {
      if (!isIteration(this)) return rejectedWith(wrongThis('ReadableStream AsyncIterator'));
      const ongoing = this.#ongoing;
      this.#steps++;
      if (ongoing === undefined) return (this.#ongoing = this.#step());
      const step = () => this.#step();
      return (this.#ongoing = then(ongoing, step, step));
    }

    return(value) {
      if (!isIteration(this)) return rejectedWith(wrongThis('ReadableStream AsyncIterator'));
      this.#steps++;
      const ongoing = this.#ongoing;
      const step = () => this.#end(value);
      return (this.#ongoing = ongoing === undefined ? step() : then(ongoing, step, step));
    }

    // One step at a time, in the order they were asked for: the next waits for the last.
    #settle() {
      if (--this.#steps === 0) this.#ongoing = undefined;
    }

    #step() {
      if (this.#finished) return this.#nothing(undefined);
      // A chunk that is there takes one promise; the delay is that of the standard's two.
      const chunk = readNow(this.#reader);
      if (chunk !== NOTHING) {
        this.#chunk = chunk;
        return then(DONE, this.#deliver);
      }
      const request = new Request();
      read(this.#reader, request);
      const finish = () => {
        this.#settle();
        return { value: request.value, done: request.isClosed };
      };
      if (request.isSettled && !request.isClosed && !request.isFailed) return then(DONE, finish);
      if (!request.isSettled) request.later = deferred();
      else this.#finish();
      const { promise } = request.later ?? { promise: request.isFailed ? rejectedWith(request.value) : DONE };
      request.ended = () => this.#finish();
      return then(promise, finish, (error) => {
        this.#settle();
        throw error;
      });
    }

    #nothing(value) {
      this.#settle();
      return resolvedWith({ value, done: true });
    }

    #end(value) {
      if (this.#finished) return this.#nothing(value);
      const { stream } = this.#reader;
      const canceling = this.#preventCancel ? resolvedWith(undefined) : cancel(stream, value);
      this.#finish();
      return then(
        canceling,
        () => {
          this.#settle();
          return { value, done: true };
        },
        (error) => {
          this.#settle();
          throw error;
        },
      );
    }

    #finish() {
      this.#finished = true;
      release(this.#reader);
    }
  }
  Object.setPrototypeOf(Iteration.prototype, asyncIteratorPrototype);
  for (const name of ['next', 'return'])
    Object.defineProperty(Iteration.prototype, name, { enumerable: true });
  Object.defineProperty(Iteration.prototype, Symbol.toStringTag, {
    value: 'ReadableStream AsyncIterator',
    configurable: true,
  });
  delete Iteration.prototype.constructor;
  internal.iterate = (record, preventCancel) =>
    new Iteration(token, acquire(record), preventCancel);

  const methodOf = (value, key) => {
    const found = value[key];
    if (found === undefined || found === null) return undefined;
    if (typeof found === 'function') return found;
    throw internal.wrongType(`iterable.${String(key)}`, 'of type function', found);
  };

  const requireResult = (result, name) => {
    if (isObject(result)) return result;
    throw new TypeError(
      `The promise returned by the iterator.${name}() method must fulfill with an object`,
    );
  };

  // `{ next, return }` of an iterator, each giving a promise of a result. The values of a
  // synchronous one are waited for, and it is ended when one of them rejects.
  const iteratorOf = (iterable) => {
    // Strings too, which the newest text of the standard refuses and older programs pass.
    const given = isObject(iterable) || typeof iterable === 'string';
    const asynchronous = given ? methodOf(iterable, Symbol.asyncIterator) : undefined;
    const begin = asynchronous ?? (given ? methodOf(iterable, Symbol.iterator) : undefined);
    if (begin === undefined) {
      throw coded(
        new TypeError(`${internal.inspect(iterable)} must be iterable`),
        'ERR_ARG_NOT_ITERABLE',
      );
    }
    const iterator = apply(begin, iterable, []);
    if (!isObject(iterator)) throw internal.wrongType('iterator', 'of type object', iterator);
    const { next } = iterator;
    const going = (value) => ({ done: false, value });
    const over = (value) => ({ done: true, value });
    const closing = (error) => {
      methodOf(iterator, 'return')?.call(iterator);
      throw error;
    };
    // A promise of the iterator is used as it is: a further one would cost each chunk two turns.
    const settle = (result, name, close) => {
      if (asynchronous !== undefined) return resultOf(result);
      const { done, value } = requireResult(result, name);
      return then(resolvedWith(value), done ? over : going, !done && close ? closing : undefined);
    };
    return {
      __proto__: null,
      next: () => {
        try {
          return settle(apply(next, iterator, []), 'next', true);
        } catch (error) {
          return rejectedWith(error);
        }
      },
      return: (reason) => {
        try {
          const end = methodOf(iterator, 'return');
          if (end === undefined) return resultOf({ done: true, value: undefined });
          return settle(apply(end, iterator, [reason]), 'return', false);
        } catch (error) {
          return rejectedWith(error);
        }
      },
    };
  };

  internal.streamFrom = (iterable) => {
    const iterator = iteratorOf(iterable);
    let taken;
    return create({
      __proto__: null,
      mark: 0,
      size: undefined,
      start: (control) => {
        taken = (result) => {
          if (requireResult(result, 'next').done) control.close();
          else control.enqueue(result.value);
        };
      },
      pull: () => then(iterator.next(), taken),
      cancel: (reason) =>
        then(iterator.return(reason), (result) => {
          requireResult(result, 'return');
        }),
    });
  };

  // Everything a stream has to give, as one Uint8Array for `done`. Not a promise of it: settling
  // that would look for `then` on what was read.
  internal.readBytes = (stream, done, failed) => {
    const reader = acquire(recordOf(stream));
    const chunks = [];
    let total = 0;
    const step = () =>
      read(reader, {
        __proto__: null,
        chunk: (chunk) => {
          if (!(chunk instanceof Uint8Array)) {
            const error = new TypeError('Received non-Uint8Array chunk');
            failed(error);
            handled(cancel(reader.stream, error));
            return;
          }
          chunks.push(chunk);
          total += chunk.byteLength;
          // A stream full of ready chunks would otherwise deepen the stack with each.
          queueMicrotask(step);
        },
        close: () => done(chunks.length === 1 ? chunks[0] : internal.concatBytes(chunks, total)),
        error: failed,
      });
    step();
  };

  internal.concatBytes = (chunks, total) => {
    const whole = new Uint8Array(total);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  };
});
