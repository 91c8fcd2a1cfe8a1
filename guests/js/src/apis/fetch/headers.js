// Headers.
(function (native, internal) {
  'use strict';

  const { customInspect, PairIterator, requireArguments, token } = internal;
  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const wrong = (member) => `Failed to execute '${member}' on 'Headers'`;

  const checkName = (name, member) => {
    const text = `${name}`;
    if (!TOKEN.test(text))
      throw new TypeError(`Headers.${member}: "${text}" is an invalid header name.`);
    return text;
  };

  const checkValue = (value, member) => {
    const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    if (/[\0\r\n]/.test(text) || /[^\0-\xff]/.test(text)) {
      throw new TypeError(`Headers.${member}: "${text}" is an invalid header value.`);
    }
    return text;
  };

  class Headers {
    // Lower-case name → { name as first given, values }
    #map = new Map();
    #immutable = false;
    #sorted;

    static {
      internal.isHeaders = (value) => value !== null && typeof value === 'object' && #map in value;
      internal.freezeHeaders = (headers) => {
        headers.#immutable = true;
        return headers;
      };
      // `[name, value]` pairs with one pair for each value, as they go on the wire.
      internal.headerList = (headers) =>
        [...headers.#map.values()].flatMap(({ name, values }) =>
          values.map((value) => [name, value]),
        );
    }

    constructor(init = undefined) {
      if (init === undefined) return;
      if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
        throw new TypeError(
          'Headers constructor: Argument 1 could not be converted to one of: sequence<sequence<ByteString>>, record<ByteString, ByteString>.',
        );
      }
      internal.fillHeaders(this, init);
    }

    #change(member) {
      if (this.#immutable) throw new TypeError(`Headers.${member}: headers are immutable`);
      this.#sorted = undefined;
    }

    append(name, value) {
      requireArguments(arguments.length, 2, wrong('append'));
      name = checkName(name, 'append');
      value = checkValue(value, 'append');
      this.#change('append');
      const known = this.#map.get(name.toLowerCase());
      if (known === undefined) this.#map.set(name.toLowerCase(), { name, values: [value] });
      else known.values.push(value);
    }

    delete(name) {
      requireArguments(arguments.length, 1, wrong('delete'));
      name = checkName(name, 'delete');
      this.#change('delete');
      this.#map.delete(name.toLowerCase());
    }

    get(name) {
      requireArguments(arguments.length, 1, wrong('get'));
      return this.#map.get(checkName(name, 'get').toLowerCase())?.values.join(', ') ?? null;
    }

    has(name) {
      requireArguments(arguments.length, 1, wrong('has'));
      return this.#map.has(checkName(name, 'has').toLowerCase());
    }

    set(name, value) {
      requireArguments(arguments.length, 2, wrong('set'));
      name = checkName(name, 'set');
      value = checkValue(value, 'set');
      this.#change('set');
      const known = this.#map.get(name.toLowerCase());
      this.#map.set(name.toLowerCase(), { name: known?.name ?? name, values: [value] });
    }

    getSetCookie() {
      return [...(this.#map.get('set-cookie')?.values ?? [])];
    }

    // Sorted by name; cookies stay apart, since a comma can be part of one.
    #list() {
      this.#sorted ??= [...this.#map.keys()].sort().flatMap((name) => {
        const { values } = this.#map.get(name);
        return name === 'set-cookie'
          ? values.map((value) => [name, value])
          : [[name, values.join(', ')]];
      });
      return this.#sorted;
    }

    forEach(callback, thisArg = undefined) {
      requireArguments(arguments.length, 1, wrong('forEach'));
      if (typeof callback !== 'function') {
        throw new TypeError(
          "Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.",
        );
      }
      for (let i = 0; i < this.#list().length; i++) {
        const [name, value] = this.#list()[i];
        Reflect.apply(callback, thisArg, [value, name, this]);
      }
    }

    entries() {
      this.#map;
      return new PairIterator(token, 'Headers', () => this.#list(), 'entries');
    }

    keys() {
      this.#map;
      return new PairIterator(token, 'Headers', () => this.#list(), 'keys');
    }

    values() {
      this.#map;
      return new PairIterator(token, 'Headers', () => this.#list(), 'values');
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'Headers';
      const shown = {};
      for (const [key, { values }] of this.#map)
        shown[key] = key === 'set-cookie' && values.length > 1 ? values : values.join(', ');
      return `Headers ${inspect(shown, options)}`;
    }
  }

  const byteString = (value) => {
    const text = `${value}`;
    if (!/[^\0-\xff]/.test(text)) return text;
    throw new TypeError(`Headers constructor: ${text} holds a character above U+00FF.`);
  };

  // `[name, value]` pairs of what a program gives, all converted before the first is added.
  const readPairs = (init) => {
    const iterate = init[Symbol.iterator];
    if (internal.isHeaders(init) && iterate === Headers.prototype.entries) {
      return internal.headerList(init);
    }
    const pairs = [];
    if (iterate !== undefined && iterate !== null) {
      if (typeof iterate !== 'function')
        throw internal.wrongType('init[Symbol.iterator]', 'of type function', iterate);
      for (const pair of { [Symbol.iterator]: () => Reflect.apply(iterate, init, []) }) {
        const isList =
          pair !== null && typeof pair === 'object' && typeof pair[Symbol.iterator] === 'function';
        const both = isList ? [...pair] : [];
        if (both.length !== 2)
          throw new TypeError(
            `Headers constructor: expected name/value pair to be length 2, found ${both.length}.`,
          );
        pairs.push([byteString(both[0]), byteString(both[1])]);
      }
      return pairs;
    }
    for (const key of Reflect.ownKeys(init)) {
      if (!Object.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      if (typeof key === 'symbol')
        throw new TypeError('Headers constructor: a symbol cannot be a header name.');
      const name = byteString(key);
      pairs.push([name, byteString(init[key])]);
    }
    return pairs;
  };

  internal.fillHeaders = (headers, init) => {
    for (const [name, value] of readPairs(init)) headers.append(name, value);
  };

  internal.iterable(Headers);
  internal.exposeClass(Headers);
  internal.Headers = Headers;
});
