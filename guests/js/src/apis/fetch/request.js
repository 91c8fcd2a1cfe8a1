// Request.
(function (native, internal) {
  'use strict';

  const { AbortController, AbortSignal, customInspect, Headers, token, URL } = internal;
  let bodyOf, typeOf;
  const NORMAL = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];
  const CHOICES = {
    mode: ['cors', 'no-cors', 'same-origin', 'navigate'],
    credentials: ['omit', 'same-origin', 'include'],
    cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
    redirect: ['follow', 'error', 'manual'],
    referrerPolicy: [
      '',
      'no-referrer',
      'no-referrer-when-downgrade',
      'same-origin',
      'origin',
      'strict-origin',
      'origin-when-cross-origin',
      'strict-origin-when-cross-origin',
      'unsafe-url',
    ],
  };

  const cleanMethod = (given) => {
    const method = `${given}`;
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method))
      throw new TypeError(`'${method}' is not a valid HTTP method.`);
    const upper = method.toUpperCase();
    if (['CONNECT', 'TRACE', 'TRACK'].includes(upper))
      throw new TypeError(`'${method}' HTTP method is unsupported.`);
    return NORMAL.includes(upper) ? upper : method;
  };

  const parseUrl = (input) => {
    let url;
    try {
      url = new URL(input);
    } catch (cause) {
      throw new TypeError(`Failed to parse URL from ${input}`, { cause });
    }
    if (url.username !== '' || url.password !== '') {
      throw new TypeError(
        `Request cannot be constructed from a URL that includes credentials: ${input}`,
      );
    }
    return url.href;
  };

  class Request {
    #url;
    #method = 'GET';
    #headers;
    #body = null;
    #signal;
    #options = {
      mode: 'cors',
      credentials: 'same-origin',
      cache: 'default',
      redirect: 'follow',
      referrerPolicy: '',
      referrer: 'about:client',
      integrity: '',
      keepalive: false,
      duplex: 'half',
    };

    static {
      bodyOf = (request) => request.#body;
      typeOf = (request) => request.#headers.get('content-type');
      internal.isRequest = (value) => value !== null && typeof value === 'object' && #url in value;
      internal.requestBody = bodyOf;
    }

    constructor(input, init = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'Request'");
      const from = internal.isRequest(input) ? input : undefined;
      if (input === token) {
        init(this);
        return;
      }
      init ??= {};
      this.#url = from === undefined ? parseUrl(`${input}`) : from.#url;
      if (from !== undefined) {
        this.#method = from.#method;
        Object.assign(this.#options, from.#options);
      }
      if (init.method !== undefined) this.#method = cleanMethod(init.method);
      this.#choose(init);
      this.#headers = new Headers(init.headers ?? from?.#headers);
      this.#follow(init.signal === undefined ? from?.#signal : init.signal);
      this.#takeBody(from, init);
    }

    #choose(init) {
      for (const [name, choices] of Object.entries(CHOICES)) {
        if (init[name] === undefined) continue;
        const value = `${init[name]}`;
        if (!choices.includes(value)) {
          throw new TypeError(
            `Request constructor: ${value} is not an accepted type. Expected one of ${choices.join(', ')}.`,
          );
        }
        this.#options[name] = value;
      }
      if (init.referrer !== undefined) this.#options.referrer = `${init.referrer}` || 'no-referrer';
      if (init.integrity !== undefined) this.#options.integrity = `${init.integrity}`;
      if (init.keepalive !== undefined) this.#options.keepalive = Boolean(init.keepalive);
    }

    #follow(signal) {
      if (signal === undefined || signal === null) {
        this.#signal = new AbortController().signal;
        return;
      }
      if (!(signal instanceof AbortSignal)) {
        throw new TypeError(
          "Failed to construct 'Request': member signal is not of type AbortSignal.",
        );
      }
      this.#signal = AbortSignal.any([signal]);
    }

    #takeBody(from, init) {
      const given = init.body ?? null;
      const inherited = from === undefined ? null : from.#body;
      if (
        (given !== null || (init.body === undefined && inherited !== null)) &&
        (this.#method === 'GET' || this.#method === 'HEAD')
      ) {
        throw new TypeError('Request with GET/HEAD method cannot have body.');
      }
      if (given !== null) {
        const { body, type } = internal.extractBody(given);
        if (body.bytes === null && init.duplex !== 'half') {
          throw new TypeError('RequestInit: duplex option is required when sending a body.');
        }
        this.#body = body;
        if (type !== null && !this.#headers.has('content-type'))
          this.#headers.append('content-type', type);
      } else if (inherited !== null && init.body === undefined) {
        if (internal.isUnusable(inherited)) {
          throw new TypeError(
            'Cannot construct a Request with a Request object that has already been used.',
          );
        }
        // The content moves over; the request it came from counts as read.
        this.#body = { ...inherited };
        if (inherited.stream !== null) {
          this.#body.stream = apply(pipeThrough, inherited.stream, [new TransformStream()]);
        }
        inherited.used = true;
      }
    }

    get method() {
      return this.#method;
    }
    get url() {
      return this.#url;
    }
    get headers() {
      return this.#headers;
    }
    get destination() {
      this.#url;
      return '';
    }
    get referrer() {
      return this.#options.referrer;
    }
    get referrerPolicy() {
      return this.#options.referrerPolicy;
    }
    get mode() {
      return this.#options.mode;
    }
    get credentials() {
      return this.#options.credentials;
    }
    get cache() {
      return this.#options.cache;
    }
    get redirect() {
      return this.#options.redirect;
    }
    get integrity() {
      return this.#options.integrity;
    }
    get keepalive() {
      return this.#options.keepalive;
    }
    get duplex() {
      return this.#options.duplex;
    }
    get signal() {
      return this.#signal;
    }

    clone() {
      if (internal.isUnusable(this.#body))
        throw new TypeError('Request.clone: Body has already been consumed.');
      return new Request(token, (copy) => {
        copy.#url = this.#url;
        copy.#method = this.#method;
        copy.#headers = new Headers(this.#headers);
        copy.#options = { ...this.#options };
        copy.#signal = AbortSignal.any([this.#signal]);
        copy.#body = internal.cloneBody(this.#body);
      });
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'Request';
      const shown = {};
      for (const name of [
        'method',
        'url',
        'headers',
        'destination',
        'referrer',
        'referrerPolicy',
        'mode',
        'credentials',
        'cache',
        'redirect',
        'integrity',
        'keepalive',
        'bodyUsed',
        'duplex',
        'signal',
      ])
        shown[name] = this[name];
      return `Request ${inspect(shown, options)}`;
    }
  }
  const { TransformStream } = globalThis;
  const { pipeThrough } = internal.ReadableStream.prototype;
  const { apply } = Reflect;

  internal.mixInBody(Request, bodyOf, typeOf);
  internal.exposeClass(Request);
});
