// `timers/promises`.
import { internal } from 'host';

const aborted = (signal) => {
  const error = internal.coded(new Error('The operation was aborted', { cause: signal.reason }), 'ABORT_ERR');
  internal.hidden(error, 'name', 'AbortError');
  return error;
};

const check = (options) => {
  if (options === undefined || (typeof options === 'object' && options !== null)) return options?.signal;
  throw internal.wrongType('options', 'of type object', options);
};

const wait = (start, stop) => (value, options) => {
  const signal = check(options);
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw aborted(signal);
    const onAbort = () => {
      stop(timer);
      reject(aborted(signal));
    };
    const timer = start(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    });
    if (options?.ref === false) timer.unref?.();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
};

export const setTimeout = (delay, value, options) =>
  wait((done) => globalThis.setTimeout(done, delay), globalThis.clearTimeout)(value, options);

export const setImmediate = (value, options) =>
  wait((done) => globalThis.setImmediate(done), globalThis.clearImmediate)(value, options);

export async function* setInterval(delay, value, options) {
  const signal = check(options);
  if (signal?.aborted) throw aborted(signal);
  let [due, wake] = [0, undefined];
  const timer = globalThis.setInterval(() => {
    due++;
    wake?.();
  }, delay);
  if (options?.ref === false) timer.unref?.();
  const onAbort = () => wake?.();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      if (signal?.aborted) throw aborted(signal);
      if (due === 0) await new Promise((resolve) => (wake = resolve));
      if (signal?.aborted) throw aborted(signal);
      for (; due > 0; due--) yield value;
    }
  } finally {
    globalThis.clearInterval(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

export const scheduler = {
  wait: (delay, options) => setTimeout(delay, undefined, options),
  yield: () => setImmediate(),
};

export default { setTimeout, setImmediate, setInterval, scheduler };
