// Kinds of properties that are attributes under other names, by the rules of HTML for reflecting.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf } = internal;
  const read = (element, name) => dom.attribute(idOf(element), name) ?? null;
  internal.readAttribute = read;

  const define = (Class, key, get, set) => {
    const accessors = { get [key]() { return get(this); }, set [key](value) { set(this, value); } };
    const descriptor = Object.getOwnPropertyDescriptor(accessors, key);
    if (set === undefined) descriptor.set = undefined;
    Object.defineProperty(Class.prototype, key, { ...descriptor, enumerable: true });
  };
  // Calls `make(key, name)` for each of the keys; `key=name` has an attribute of another name.
  const each = (Class, keys, get, set) => {
    for (const part of keys.split(' ')) {
      const [key, name = key.toLowerCase()] = part.split('=');
      define(Class, key, (element) => get(element, name), set === undefined ? undefined : (element, value) => set(element, name, value));
    }
  };
  const write = (element, name, value) => internal.setAttribute(element, name, `${value}`);

  const MAX = 2147483647;
  // The integer that a text begins with, or NaN.
  const integer = (text) => {
    const found = /^[\t\n\f\r ]*([+-]?\d+)/.exec(text ?? '');
    return found === null ? NaN : Number(found[1]) + 0;
  };
  const isWithin = (value, low, high) => value >= low && value <= high;
  const tooSmall = (value) => new internal.DOMException(`${value} is too small`, 'IndexSizeError');

  const kinds = {
    text: (Class, keys) => each(Class, keys, (element, name) => read(element, name) ?? '', write),
    flag: (Class, keys) =>
      each(Class, keys, (element, name) => read(element, name) !== null, (element, name, value) => {
        if (value) write(element, name, '');
        else internal.removeAttribute(element, name);
      }),
    long: (Class, keys, missing = 0) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = integer(read(element, name));
          return isWithin(value, -MAX - 1, MAX) ? value : missing;
        },
        (element, name, value) => write(element, name, value | 0),
      ),
    // No negative numbers.
    natural: (Class, keys, missing = -1) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = integer(read(element, name));
          return isWithin(value, 0, MAX) ? value : missing;
        },
        (element, name, value) => {
          if ((value | 0) < 0) throw tooSmall(value);
          write(element, name, value | 0);
        },
      ),
    unsigned: (Class, keys, missing = 0) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = integer(read(element, name));
          return isWithin(value, 0, MAX) ? value : missing;
        },
        (element, name, value) => write(element, name, value >>> 0 > MAX ? missing : value >>> 0),
      ),
    // No zero: one is refused, or replaced if `isLenient`.
    positive: (Class, keys, missing, isLenient) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = integer(read(element, name));
          return isWithin(value, 1, MAX) ? value : missing;
        },
        (element, name, value) => {
          value >>>= 0;
          if (value === 0 && !isLenient) throw tooSmall(value);
          write(element, name, isWithin(value, 1, MAX) ? value : missing);
        },
      ),
    clamped: (Class, keys, low, high, missing) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = integer(read(element, name));
          return value >= 0 ? Math.max(low, Math.min(high, value)) : missing;
        },
        (element, name, value) => write(element, name, value >>> 0 > MAX ? missing : value >>> 0),
      ),
    real: (Class, keys, missing, isPositive = false) =>
      each(
        Class,
        keys,
        (element, name) => {
          const found = /^[\t\n\f\r ]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)/i.exec(read(element, name) ?? '');
          const value = found === null ? NaN : Number(found[1]) + 0;
          return Number.isFinite(value) && (!isPositive || value > 0) ? value : missing;
        },
        (element, name, value) => {
          const wanted = +value;
          if (!Number.isFinite(wanted)) throw internal.wrongType(name, 'a finite number', value);
          if (!isPositive || wanted > 0) write(element, name, wanted);
        },
      ),
    address: (Class, keys) =>
      each(
        Class,
        keys,
        (element, name) => {
          const value = read(element, name);
          if (value === null) return '';
          return URL.parse(value, element.baseURI)?.href ?? value;
        },
        write,
      ),
    // One of some words, whatever its case. `missing` and `invalid` are what is read instead; with
    // null for `missing`, null removes the attribute.
    word: (Class, keys, words, missing = '', invalid = missing, others = {}) => {
      const known = new Map(words.split(' ').map((one) => [one, one]));
      for (const [other, one] of Object.entries(others)) known.set(other, one);
      each(
        Class,
        keys,
        (element, name) => {
          const value = read(element, name);
          if (value === null) return missing;
          return known.get(internal.lower(value)) ?? invalid;
        },
        (element, name, value) => {
          if (missing === null && (value === null || value === undefined)) internal.removeAttribute(element, name);
          else write(element, name, value);
        },
      );
    },
    // A text in which null is the empty one.
    nullText: (Class, keys) =>
      each(Class, keys, (element, name) => read(element, name) ?? '', (element, name, value) => write(element, name, value ?? '')),
    tokens: (Class, keys, supported = undefined) => {
      for (const part of keys.split(' ')) {
        const [key, name] = part.split('=');
        const lists = new WeakMap();
        define(
          Class,
          key,
          (element) => {
            let list = lists.get(element);
            if (list === undefined) {
              idOf(element);
              lists.set(element, (list = internal.tokensOf(element, name, supported)));
            }
            return list;
          },
          (element, value) => write(element, name, value),
        );
      }
    },
  };
  internal.reflect = kinds;
  internal.defineAccessor = define;
});
