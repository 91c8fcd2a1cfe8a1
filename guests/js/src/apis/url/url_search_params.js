// URLSearchParams, alone or linked to a URL.
(function (native, internal) {
  'use strict';

  const { coded, customInspect, requireArguments, token } = internal;
  const { formParse, formSerialize } = native;
  const wrong = (member) => `Failed to execute '${member}' on 'URLSearchParams'`;

  class URLSearchParams {
    // Pairs of strings.
    #list = [];
    #url = null;

    static {
      internal.paramsOf = (url, search) => {
        const params = new URLSearchParams(search);
        params.#url = url;
        return params;
      };
      internal.reloadParams = (params, search) => params.#load(search);
      internal.isSearchParams = (value) => #list in Object(value);
    }

    constructor(init = '') {
      if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
        this.#load(`${init}`);
        return;
      }
      const iterate = init[Symbol.iterator];
      if (iterate === undefined || iterate === null) {
        for (const key of Reflect.ownKeys(init)) {
          if (!Object.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
          if (typeof key === 'symbol')
            throw new TypeError('Cannot convert a Symbol value to a string');
          const name = scalar(key);
          const known = this.#list.find((pair) => pair[0] === name);
          const value = scalar(init[key]);
          if (known === undefined) this.#list.push([name, value]);
          else known[1] = value;
        }
        return;
      }
      if (typeof iterate !== 'function') {
        throw coded(new TypeError('Query pairs must be iterable'), 'ERR_ARG_NOT_ITERABLE');
      }
      for (const pair of init) {
        const isIterable =
          pair !== null && typeof pair === 'object' && typeof pair[Symbol.iterator] === 'function';
        const both = isIterable ? [...pair] : [];
        if (both.length !== 2) {
          throw coded(
            new TypeError('Each query pair must be an iterable [name, value] tuple'),
            'ERR_INVALID_TUPLE',
          );
        }
        this.#list.push([scalar(both[0]), scalar(both[1])]);
      }
    }

    #load(query) {
      const flat = formParse(query[0] === '?' ? query.slice(1) : query);
      this.#list = [];
      for (let i = 0; i < flat.length; i += 2) this.#list.push([flat[i], flat[i + 1]]);
    }

    #changed() {
      if (this.#url !== null) internal.updateSearch(this.#url, this.toString());
    }

    get size() {
      return this.#list.length;
    }

    append(name, value) {
      requireArguments(arguments.length, 2, wrong('append'));
      this.#list.push([scalar(name), scalar(value)]);
      this.#changed();
    }

    delete(name, value = undefined) {
      requireArguments(arguments.length, 1, wrong('delete'));
      name = scalar(name);
      const wanted = value === undefined ? undefined : scalar(value);
      this.#list = this.#list.filter(
        (pair) => pair[0] !== name || (wanted !== undefined && pair[1] !== wanted),
      );
      this.#changed();
    }

    get(name) {
      requireArguments(arguments.length, 1, wrong('get'));
      name = scalar(name);
      return this.#list.find((pair) => pair[0] === name)?.[1] ?? null;
    }

    getAll(name) {
      requireArguments(arguments.length, 1, wrong('getAll'));
      name = scalar(name);
      return this.#list.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    }

    has(name, value = undefined) {
      requireArguments(arguments.length, 1, wrong('has'));
      name = scalar(name);
      const wanted = value === undefined ? undefined : scalar(value);
      return this.#list.some(
        (pair) => pair[0] === name && (wanted === undefined || pair[1] === wanted),
      );
    }

    set(name, value) {
      requireArguments(arguments.length, 2, wrong('set'));
      name = scalar(name);
      value = scalar(value);
      const index = this.#list.findIndex((pair) => pair[0] === name);
      if (index === -1) {
        this.#list.push([name, value]);
      } else {
        this.#list[index][1] = value;
        this.#list = this.#list.filter((pair, i) => i <= index || pair[0] !== name);
      }
      this.#changed();
    }

    sort() {
      // By UTF-16 code units, and stable: what `<` compares and Array's sort keeps.
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed();
    }

    forEach(callback, thisArg = undefined) {
      requireArguments(arguments.length, 1, wrong('forEach'));
      if (typeof callback !== 'function') {
        throw internal.wrongType('callback', 'of type function', callback);
      }
      for (let i = 0; i < this.#list.length; i++) {
        const [name, value] = this.#list[i];
        Reflect.apply(callback, thisArg, [value, name, this]);
      }
    }

    entries() {
      this.#list;
      return new PairIterator(token, 'URLSearchParams', () => this.#list, 'entries');
    }

    keys() {
      this.#list;
      return new PairIterator(token, 'URLSearchParams', () => this.#list, 'keys');
    }

    values() {
      this.#list;
      return new PairIterator(token, 'URLSearchParams', () => this.#list, 'values');
    }

    toString() {
      return formSerialize(this.#list.flat());
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return '[Object]';
      return internal.inspectPairs('URLSearchParams', this.#list, options, inspect);
    }
  }

  // Shown as the pairs of a map: `Name { 'a' => '1' }`.
  internal.inspectPairs = (name, list, options, inspect) => {
    if (list.length === 0) return `${name} {}`;
    const pairs = list.map(
      ([key, value]) => `${inspect(key, options)} => ${inspect(value, options)}`,
    );
    const length = pairs.reduce((sum, text) => sum + text.length + 2, -2);
    const isLong = length > options.breakLength || pairs.some((text) => text.includes('\n'));
    return isLong ? `${name} {\n  ${pairs.join(',\n  ')} }` : `${name} { ${pairs.join(', ')} }`;
  };

  const scalar = (value) => `${value}`.toWellFormed();
  internal.scalar = scalar;

  // The iterator of every list of pairs: URLSearchParams, Headers, FormData. It reads the list
  // anew at each step, so that changes during iteration are seen as the standard says.
  const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const prototypes = new Map();

  class PairIterator {
    #read;
    #kind;
    #index = 0;

    constructor(key, name, read, kind) {
      if (key !== token) throw internal.illegal();
      this.#read = read;
      this.#kind = kind;
      if (!prototypes.has(name)) {
        const prototype = Object.create(iteratorPrototype);
        Object.defineProperty(prototype, 'next', {
          value: next,
          writable: true,
          enumerable: true,
          configurable: true,
        });
        Object.defineProperty(prototype, Symbol.toStringTag, {
          value: `${name} Iterator`,
          configurable: true,
        });
        prototypes.set(name, prototype);
      }
      Object.setPrototypeOf(this, prototypes.get(name));
    }

    static advance(iterator) {
      const list = iterator.#read();
      if (iterator.#index >= list.length) return { value: undefined, done: true };
      const pair = list[iterator.#index++];
      const value =
        iterator.#kind === 'keys'
          ? pair[0]
          : iterator.#kind === 'values'
            ? pair[1]
            : [pair[0], pair[1]];
      return { value, done: false };
    }
  }
  const { advance } = PairIterator;
  const { next } = {
    next() {
      return advance(this);
    },
  };

  // `entries` and the iteration of the object itself are one function, as WebIDL has it.
  internal.iterable = (Class) => {
    internal.hidden(Class.prototype, Symbol.iterator, Class.prototype.entries);
  };
  internal.PairIterator = PairIterator;
  internal.iterable(URLSearchParams);
  internal.exposeClass(URLSearchParams);
  internal.URLSearchParams = URLSearchParams;
});
