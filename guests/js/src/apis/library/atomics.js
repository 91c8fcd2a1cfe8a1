// `Atomics`. A tool has one thread, so every operation is whole by itself, and nothing can wake a
// waiter: a wait lasts as long as it may, which is how programs sleep.
import { internal } from 'host';

const startTimer = internal.hostCallNow('timer.start', 'r', '');
const WHOLE = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
const WAITABLE = [Int32Array, BigInt64Array];

const named = (value) => Object.prototype.toString.call(value);
const check = (array, index, kinds = WHOLE) => {
  if (!kinds.some((kind) => array instanceof kind)) {
    throw new TypeError(`${named(array)} is not an ${kinds === WHOLE ? 'integer' : 'int32 or BigInt64'} typed array.`);
  }
  const at = Math.trunc(Number(index)) || 0;
  if (at < 0 || at >= array.length) throw new RangeError('Invalid atomic access index');
  return at;
};
const valueFor = (array, value) => (typeof array[0] === 'bigint' ? BigInt(value) : Math.trunc(Number(value)) || 0);

const changing = (change) => (array, index, value) => {
  const at = check(array, index);
  const operand = valueFor(array, value);
  const former = array[at];
  array[at] = change(former, operand);
  return former;
};

const wait = (array, index, value, timeout = Infinity) => {
  const at = check(array, index, WAITABLE);
  if (!(array.buffer instanceof SharedArrayBuffer)) throw new TypeError(`${named(array)} is not a shared typed array.`);
  if (array[at] !== valueFor(array, value)) return 'not-equal';
  const delay = Number(timeout);
  if (delay > 0 || Number.isNaN(delay)) startTimer(new Uint8Array(new Float64Array([Math.min(delay || Infinity, 2 ** 40)]).buffer));
  return 'timed-out';
};

const methods = {
  add: changing((a, b) => a + b),
  and: changing((a, b) => a & b),
  compareExchange(array, index, expected, replacement) {
    const at = check(array, index);
    const former = array[at];
    const [wanted, next] = [valueFor(array, expected), valueFor(array, replacement)];
    // Compared as the array would hold it.
    const held = new array.constructor([wanted])[0];
    if (former === held) array[at] = next;
    return former;
  },
  exchange: changing((_, b) => b),
  isLockFree: (size) => size === 1 || size === 2 || size === 4 || size === 8,
  load: (array, index) => array[check(array, index)],
  notify(array, index, count = undefined) {
    check(array, index, WAITABLE);
    if (count !== undefined && Number(count) < 0) throw new RangeError('Invalid count');
    return 0;
  },
  or: changing((a, b) => a | b),
  store(array, index, value) {
    const at = check(array, index);
    const operand = valueFor(array, value);
    array[at] = operand;
    return operand;
  },
  sub: changing((a, b) => a - b),
  wait,
  xor: changing((a, b) => a ^ b),
};
const Atomics = {};
for (const [name, method] of Object.entries(methods)) internal.hidden(Atomics, name, Object.defineProperty(method, 'name', { value: name }));
Object.defineProperty(Atomics, Symbol.toStringTag, { value: 'Atomics', configurable: true });
export default Atomics;
