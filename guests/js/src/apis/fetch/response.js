// Response.
(function (native, internal) {
  'use strict';

  const { customInspect, freezeHeaders, Headers, token, URL } = internal;
  let bodyOf, typeOf;
  const NULL_BODY = [101, 103, 204, 205, 304];
  const REDIRECT = [301, 302, 303, 307, 308];

  class Response {
    #type = 'default';
    #url = '';
    #redirected = false;
    #status = 200;
    #statusText = '';
    #headers;
    #body = null;

    static {
      bodyOf = (response) => response.#body;
      typeOf = (response) => response.#headers.get('content-type');
      internal.isResponse = (value) =>
        value !== null && typeof value === 'object' && #type in value;

      // A response as the network makes one. `body` is null, a Uint8Array, or a ReadableStream;
      // `headers` are pairs.
      internal.makeResponse = ({
        status,
        statusText = '',
        headers = [],
        url = '',
        redirected = false,
        type = 'basic',
        body = null,
      }) =>
        new Response(token, (response) => {
          response.#type = type;
          response.#url = url;
          response.#redirected = redirected;
          response.#status = status;
          response.#statusText = statusText;
          response.#headers = freezeHeaders(new Headers(headers));
          if (body !== null) response.#body = internal.extractBody(body).body;
        });
    }

    constructor(body = null, init = undefined) {
      if (body === token) {
        init(this);
        return;
      }
      if (init === null || (init !== undefined && typeof init !== 'object')) {
        throw new TypeError('Response constructor: init must be an object.');
      }
      init ??= {};
      this.#setInit(init);
      if (body === null) return;
      if (NULL_BODY.includes(this.#status)) {
        throw new TypeError(`Response constructor: Invalid response status code ${this.#status}`);
      }
      const extracted = internal.extractBody(body);
      this.#body = extracted.body;
      if (extracted.type !== null && !this.#headers.has('content-type')) {
        this.#headers.append('content-type', extracted.type);
      }
    }

    #setInit(init) {
      if (init.status !== undefined) {
        const status = Math.trunc(Number(init.status)) || 0;
        if (status < 200 || status > 599) {
          throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
        }
        this.#status = status;
      }
      if (init.statusText !== undefined) {
        const text = `${init.statusText}`;
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new TypeError('Invalid statusText');
        this.#statusText = text;
      }
      this.#headers = new Headers(init.headers ?? undefined);
    }

    static error() {
      return new Response(token, (response) => {
        response.#type = 'error';
        response.#status = 0;
        response.#headers = freezeHeaders(new Headers());
      });
    }

    static json(data, init = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'json' on 'Response'");
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError('Value is not JSON serializable');
      const headers = new Headers(init?.headers ?? undefined);
      if (!headers.has('content-type')) headers.set('content-type', 'application/json');
      return new Response(text, { status: init?.status, statusText: init?.statusText, headers });
    }

    static redirect(url, status = 302) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'redirect' on 'Response'");
      let href;
      try {
        href = new URL(`${url}`).href;
      } catch (cause) {
        throw new TypeError(`Failed to parse URL from ${url}`, { cause });
      }
      const code = Math.trunc(Number(status)) || 0;
      if (!REDIRECT.includes(code)) throw new RangeError(`Invalid status code ${status}`);
      return new Response(token, (response) => {
        response.#status = code;
        response.#headers = freezeHeaders(new Headers({ location: href }));
      });
    }

    get type() {
      return this.#type;
    }
    get url() {
      return this.#url;
    }
    get redirected() {
      return this.#redirected;
    }
    get status() {
      return this.#status;
    }
    get ok() {
      return this.#status >= 200 && this.#status <= 299;
    }
    get statusText() {
      return this.#statusText;
    }
    get headers() {
      return this.#headers;
    }

    clone() {
      if (internal.isUnusable(this.#body))
        throw new TypeError('Response.clone: Body has already been consumed.');
      return new Response(token, (copy) => {
        copy.#type = this.#type;
        copy.#url = this.#url;
        copy.#redirected = this.#redirected;
        copy.#status = this.#status;
        copy.#statusText = this.#statusText;
        copy.#headers = new Headers(this.#headers);
        copy.#body = internal.cloneBody(this.#body);
      });
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'Response';
      const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
      return `Response ${inspect({ status, statusText, headers, body, bodyUsed, ok, redirected, type, url }, options)}`;
    }
  }

  internal.mixInBody(Response, bodyOf, typeOf);
  internal.exposeClass(Response);
});
