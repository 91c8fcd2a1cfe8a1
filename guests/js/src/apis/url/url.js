// URL: parsing and setters are native, the object is a set of strings.
(function (native, internal) {
  'use strict';

  const { coded, customInspect } = internal;
  const { urlParse, urlSet } = native;
  const HREF = 0,
    PROTOCOL = 1,
    USERNAME = 2,
    PASSWORD = 3,
    HOST = 4,
    HOSTNAME = 5,
    PORT = 6,
    PATHNAME = 7,
    SEARCH = 8,
    HASH = 9,
    ORIGIN = 10;

  const parse = (input, base) =>
    (base === undefined ? urlParse(`${input}`, undefined) : urlParse(`${input}`, `${base}`)) ??
    null;

  const invalid = (input, base) => {
    const error = coded(new TypeError('Invalid URL'), 'ERR_INVALID_URL');
    error.input = `${input}`;
    if (base !== undefined) error.base = `${base}`;
    return error;
  };

  let searchOf;

  class URL {
    #parts;
    #params;

    static {
      // Called by URLSearchParams when a program changes it.
      internal.updateSearch = (url, query) => {
        url.#parts = urlSet(url.#parts[HREF], 'search', query);
      };
      searchOf = (url) => url.#parts[SEARCH];
    }

    constructor(input, base = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'URL'");
      const parts = parse(input, base);
      if (parts === null) throw invalid(input, base);
      this.#parts = parts;
    }

    static canParse(input, base = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'canParse' on 'URL'");
      return parse(input, base) !== null;
    }

    static parse(input, base = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'parse' on 'URL'");
      return parse(input, base) === null ? null : new URL(input, base);
    }

    static createObjectURL(object) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'createObjectURL' on 'URL'");
      return internal.part('blob_urls').create(object);
    }

    static revokeObjectURL(url) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'revokeObjectURL' on 'URL'");
      internal.part('blob_urls').revoke(url);
    }

    #set(part, value) {
      this.#parts = urlSet(this.#parts[HREF], part, `${value}`) ?? this.#parts;
    }

    get href() {
      return this.#parts[HREF];
    }
    set href(value) {
      const parts = parse(value);
      if (parts === null) throw invalid(value);
      this.#parts = parts;
      if (this.#params !== undefined) internal.reloadParams(this.#params, parts[SEARCH]);
    }

    get origin() {
      return this.#parts[ORIGIN];
    }
    get protocol() {
      return this.#parts[PROTOCOL];
    }
    set protocol(value) {
      this.#set('protocol', value);
    }
    get username() {
      return this.#parts[USERNAME];
    }
    set username(value) {
      this.#set('username', value);
    }
    get password() {
      return this.#parts[PASSWORD];
    }
    set password(value) {
      this.#set('password', value);
    }
    get host() {
      return this.#parts[HOST];
    }
    set host(value) {
      this.#set('host', value);
    }
    get hostname() {
      return this.#parts[HOSTNAME];
    }
    set hostname(value) {
      this.#set('hostname', value);
    }
    get port() {
      return this.#parts[PORT];
    }
    set port(value) {
      this.#set('port', value);
    }
    get pathname() {
      return this.#parts[PATHNAME];
    }
    set pathname(value) {
      this.#set('pathname', value);
    }
    get search() {
      return this.#parts[SEARCH];
    }
    set search(value) {
      this.#set('search', value);
      if (this.#params !== undefined) internal.reloadParams(this.#params, this.#parts[SEARCH]);
    }

    get searchParams() {
      this.#params ??= internal.paramsOf(this, searchOf(this));
      return this.#params;
    }

    get hash() {
      return this.#parts[HASH];
    }
    set hash(value) {
      this.#set('hash', value);
    }

    toString() {
      return this.#parts[HREF];
    }
    toJSON() {
      return this.#parts[HREF];
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'URL {}';
      const {
        href,
        origin,
        protocol,
        username,
        password,
        host,
        hostname,
        port,
        pathname,
        search,
        searchParams,
        hash,
      } = this;
      return `URL ${inspect(
        {
          href,
          origin,
          protocol,
          username,
          password,
          host,
          hostname,
          port,
          pathname,
          search,
          searchParams,
          hash,
        },
        options,
      )}`;
    }
  }

  internal.exposeClass(URL);
  internal.URL = URL;
});
