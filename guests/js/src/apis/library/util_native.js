// What the engine knows of a value and the language does not tell.
import { native } from 'host';

const absent = (value) => value === undefined || value === null;

export const get_proxy_details = (value, full = true) => {
  const parts = native.proxyParts(value);
  if (absent(parts)) return undefined;
  return full ? parts : parts[0];
};
export const get_promise_details = (promise) => native.promiseState(promise);
