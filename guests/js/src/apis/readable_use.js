// Ways to use up a ReadableStream: tee, async iteration, and `from`, which makes one of anything
// that can be iterated.
(function (native, internal) {
  'use strict';

  const { coded, token } = internal;
  const {
    acquire,
    attempt,
    cancel,
    create,
    createBytes,
    deferred,
    isByteStream,
    read,
    recordOf,
    release,
    then,
  } = internal.streams;

  // Two streams that both see every chunk; `copy` gives the second its own of each.
  internal.tee = (source, copy = (chunk) => chunk) => {
    const reader = acquire(source);
    const bytes = isByteStream(source);
    const canceled = [false, false];
    const reasons = [undefined, undefined];
    const controls = [];
    const done = deferred();
    let reading = false;
    let again = false;
    const duplicate = bytes ? (chunk) => chunk.slice() : copy;

    const pull = () => {
      if (reading) {
        again = true;
        return Promise.resolve();
      }
      reading = true;
      read(reader, {
        // Put off: a chunk that is there already must not reach the branches before `pull` ends.
        chunk: (chunk) =>
          queueMicrotask(() => {
            again = false;
            let second = chunk;
            if (!canceled[1]) {
              try {
                second = duplicate(chunk);
              } catch (error) {
                for (const control of controls) control.fail(error);
                done.resolve(cancel(source, error));
                return;
              }
            }
            if (!canceled[0]) controls[0].enqueue(chunk);
            if (!canceled[1]) controls[1].enqueue(second);
            reading = false;
            if (again) pull();
          }),
        close: () => {
          reading = false;
          for (const i of [0, 1]) if (!canceled[i]) controls[i].close();
          if (!canceled[0] || !canceled[1]) done.resolve(undefined);
        },
        error: () => {
          reading = false;
        },
      });
      return Promise.resolve();
    };

    const cancelBranch = (i) => (reason) => {
      canceled[i] = true;
      reasons[i] = reason;
      if (canceled[1 - i]) done.resolve(cancel(source, reasons));
      return done.promise;
    };

    const make = bytes ? createBytes : create;
    const branches = [0, 1].map((i) =>
      make({ pull, cancel: cancelBranch(i), mark: bytes ? 0 : 1 }),
    );
    for (const branch of branches) controls.push(recordOf(branch).controller);
    then(reader.closed.promise, undefined, (error) => {
      for (const control of controls) control.fail(error);
      if (!canceled[0] || !canceled[1]) done.resolve(undefined);
    });
    return branches;
  };
  const { queueMicrotask } = globalThis;

  const asyncIteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf(async function* () {}.prototype),
  );

  class Iteration {
    #reader;
    #preventCancel;
    #ongoing;
    #finished = false;

    constructor(key, reader, preventCancel) {
      if (key !== token) throw internal.illegal();
      this.#reader = reader;
      this.#preventCancel = preventCancel;
    }

    next() {
      return this.#after(() => this.#step());
    }

    return(value) {
      return this.#after(() => this.#end(value));
    }

    // One step at a time, in the order they were asked for.
    #after(step) {
      const promise = this.#ongoing === undefined ? step() : then(this.#ongoing, step, step);
      this.#ongoing = promise;
      const settled = () => {
        if (this.#ongoing === promise) this.#ongoing = undefined;
      };
      then(promise, settled, settled);
      return promise;
    }

    #step() {
      if (this.#finished) return Promise.resolve({ value: undefined, done: true });
      const result = deferred();
      read(this.#reader, {
        chunk: (value) => result.resolve({ value, done: false }),
        close: () => {
          this.#finish();
          result.resolve({ value: undefined, done: true });
        },
        error: (error) => {
          this.#finish();
          result.reject(error);
        },
      });
      return result.promise;
    }

    #end(value) {
      if (this.#finished) return Promise.resolve({ value, done: true });
      const { stream } = this.#reader;
      const canceling = this.#preventCancel ? Promise.resolve() : cancel(stream, value);
      this.#finish();
      return then(canceling, () => ({ value, done: true }));
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

  internal.streamFrom = (iterable) => {
    const isObject = iterable !== null && iterable !== undefined;
    const begin = isObject
      ? (iterable[Symbol.asyncIterator] ?? iterable[Symbol.iterator])
      : undefined;
    if (typeof begin !== 'function') {
      throw coded(
        new TypeError(`${internal.inspect(iterable)} must be iterable`),
        'ERR_ARG_NOT_ITERABLE',
      );
    }
    const iterator = Reflect.apply(begin, iterable, []);
    const { next } = iterator;
    return create({
      mark: 0,
      pull: (control) =>
        then(attempt(next, iterator, []), async (result) => {
          if (result === null || typeof result !== 'object') {
            throw new TypeError(
              'The promise returned by the iterator.next() method must fulfill with an object',
            );
          }
          if (result.done) control.close();
          else control.enqueue(await result.value);
        }),
      cancel: (reason) => {
        const end = iterator.return;
        if (end === undefined || end === null) return Promise.resolve();
        return then(attempt(end, iterator, [reason]), (result) => {
          if (result === null || typeof result !== 'object') {
            throw new TypeError(
              'The promise returned by the iterator.return() method must fulfill with an object',
            );
          }
        });
      },
    });
  };

  // Everything a stream has to give, as one Uint8Array.
  internal.readBytes = (stream) => {
    const reader = acquire(recordOf(stream));
    const result = deferred();
    const chunks = [];
    let total = 0;
    const step = () =>
      read(reader, {
        chunk: (chunk) => {
          if (!(chunk instanceof Uint8Array)) {
            const error = new TypeError('Received non-Uint8Array chunk');
            result.reject(error);
            cancel(reader.stream, error);
            return;
          }
          chunks.push(chunk);
          total += chunk.byteLength;
          // A stream full of ready chunks would otherwise deepen the stack with each.
          queueMicrotask(step);
        },
        close: () => {
          result.resolve(chunks.length === 1 ? chunks[0] : internal.concatBytes(chunks, total));
        },
        error: result.reject,
      });
    step();
    return result.promise;
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
