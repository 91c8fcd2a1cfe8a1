// `http` and `https`: requests over `fetch`, so that the broker sees each. Servers throw.
import { internal } from 'host';
import { Buffer } from 'buffer';
import EventEmitter from 'events';
import { Readable, Writable } from 'stream';

const { fetch, AbortController, URL } = globalThis;

const STATUS_CODES = {
  100: 'Continue', 101: 'Switching Protocols', 200: 'OK', 201: 'Created', 202: 'Accepted',
  203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content', 206: 'Partial Content',
  300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified',
  307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized',
  402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable',
  408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed',
  413: 'Payload Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type', 418: "I'm a Teapot",
  422: 'Unprocessable Entity', 425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required',
  429: 'Too Many Requests', 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
  503: 'Service Unavailable', 504: 'Gateway Timeout',
};

class IncomingMessage extends Readable {
  #reader;
  constructor(response) {
    super();
    this.statusCode = response.status;
    this.statusMessage = response.statusText || (STATUS_CODES[response.status] ?? '');
    this.httpVersion = '1.1';
    this.url = '';
    this.complete = false;
    this.headers = {};
    this.rawHeaders = [];
    for (const [name, value] of response.headers) {
      this.rawHeaders.push(name, value);
      if (name === 'set-cookie') (this.headers[name] ??= []).push(value);
      else this.headers[name] = name in this.headers ? `${this.headers[name]}, ${value}` : value;
    }
    this.#reader = response.body?.getReader();
  }
  _read() {
    if (this.#reader === undefined) {
      this.complete = true;
      return void this.push(null);
    }
    this.#reader.read().then(
      ({ done, value }) => {
        if (done) this.complete = true;
        this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      },
      (error) => this.destroy(error),
    );
  }
  _destroy(error, done) {
    this.#reader?.cancel().catch(() => {});
    done(error);
  }
  setTimeout() {
    return this;
  }
}

class ClientRequest extends Writable {
  #url;
  #headers = new Map();
  #pieces = [];
  #abort = new AbortController();
  #timer;

  constructor(url, options, callback) {
    // The end of the body is not the end of the request.
    super({ autoDestroy: false });
    this.#url = url;
    this.method = `${options.method ?? 'GET'}`.toUpperCase();
    this.path = url.pathname + url.search;
    this.host = url.hostname;
    this.protocol = url.protocol;
    this.aborted = false;
    this.reusedSocket = false;
    const given = Array.isArray(options.headers) ? options.headers : Object.entries(options.headers ?? {});
    for (const [name, value] of given) this.setHeader(name, value);
    if (options.auth) this.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
    if (callback !== undefined) this.once('response', callback);
    if (options.timeout) this.setTimeout(options.timeout);
    options.signal?.addEventListener('abort', () => this.destroy(options.signal.reason), { once: true });
  }
  setHeader(name, value) {
    this.#headers.set(`${name}`.toLowerCase(), [name, value]);
    return this;
  }
  getHeader(name) {
    return this.#headers.get(`${name}`.toLowerCase())?.[1];
  }
  getHeaders() {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  }
  hasHeader(name) {
    return this.#headers.has(`${name}`.toLowerCase());
  }
  removeHeader(name) {
    this.#headers.delete(`${name}`.toLowerCase());
  }
  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}
  setTimeout(ms, callback) {
    if (callback !== undefined) this.once('timeout', callback);
    clearTimeout(this.#timer);
    if (ms > 0) this.#timer = setTimeout(() => this.emit('timeout'), ms);
    return this;
  }
  _write(chunk, encoding, done) {
    this.#pieces.push(Buffer.from(chunk, encoding));
    done();
  }
  _final(done) {
    const headers = [];
    for (const [name, [, value]] of this.#headers) {
      // `fetch` sends these by itself.
      if (['connection', 'content-length', 'host', 'transfer-encoding'].includes(name)) continue;
      for (const one of Array.isArray(value) ? value : [value]) headers.push([name, `${one}`]);
    }
    const body = this.#pieces.length === 0 || /^(GET|HEAD)$/.test(this.method) ? undefined : Buffer.concat(this.#pieces);
    fetch(this.#url, { method: this.method, headers, body, redirect: 'manual', signal: this.#abort.signal }).then(
      (response) => {
        clearTimeout(this.#timer);
        if (this.destroyed) return;
        const message = new IncomingMessage(response);
        message.req = this;
        this.res = message;
        message.once('close', () => this.destroy());
        if (!this.emit('response', message)) message.resume();
      },
      (error) => {
        clearTimeout(this.#timer);
        if (!this.destroyed) this.destroy(error.cause?.code === undefined ? error : error.cause);
      },
    );
    done();
  }
  _destroy(error, done) {
    clearTimeout(this.#timer);
    this.#abort.abort();
    done(error ?? (this.res === undefined ? hangUp() : null));
  }
  abort() {
    this.aborted = true;
    this.destroy();
  }
}
const hangUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

class Agent {
  constructor(options = {}) {
    this.options = options;
    this.maxSockets = Infinity;
  }
  destroy() {}
}

const clientOf = (protocol, port) => {
  const target = (options) => {
    const host = options.hostname ?? options.host ?? 'localhost';
    const at = `${options.port ?? port}` === `${port}` ? '' : `:${options.port}`;
    return new URL(`${options.protocol ?? protocol}//${host.includes(':') ? host : `${host}${at}`}${options.path ?? '/'}`);
  };
  const request = (...given) => {
    const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
    const [first, second] = given;
    const named = typeof first === 'string' || first instanceof URL;
    const options = { ...(named ? second : first) };
    const url = named ? new URL(first) : target(options);
    if (named && second !== undefined) {
      if (options.hostname !== undefined || options.host !== undefined) url.hostname = options.hostname ?? options.host;
      if (options.port !== undefined) url.port = options.port;
      if (options.path !== undefined) url.href = new URL(options.path, url).href;
    }
    if (url.protocol !== protocol) {
      throw internal.coded(
        new TypeError(`Protocol "${url.protocol}" not supported. Expected "${protocol}"`),
        'ERR_INVALID_PROTOCOL',
      );
    }
    if (url.username !== '' && options.auth === undefined) {
      options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    }
    [url.username, url.password] = ['', ''];
    return new ClientRequest(url, options, callback);
  };
  const get = (...given) => {
    const started = request(...given);
    started.end();
    return started;
  };
  return { get, request };
};

const refusal = (name) => internal.notAvailable(name, 'a tool can make requests, not serve them');
const refuse = (name) => () => {
  throw refusal(name);
};

// Frameworks extend the classes of a server when they are loaded. None can be made.
class OutgoingMessage extends Writable {}
class ServerResponse extends OutgoingMessage {
  constructor() {
    throw refusal('http.ServerResponse');
  }
}
class Server extends EventEmitter {
  constructor() {
    throw refusal('http.Server');
  }
}
const wrong = (message, code) => internal.coded(new TypeError(message), code);
const validateHeaderName = (name, label = 'Header name') => {
  if (typeof name === 'string' && /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return;
  throw wrong(`${label} must be a valid HTTP token ["${name}"]`, 'ERR_INVALID_HTTP_TOKEN');
};
const validateHeaderValue = (name, value) => {
  if (value === undefined) throw wrong(`Invalid value "undefined" for header "${name}"`, 'ERR_HTTP_INVALID_HEADER_VALUE');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw wrong(`Invalid character in header content ["${name}"]`, 'ERR_INVALID_CHAR');
};
const common = { Agent, ClientRequest, IncomingMessage, Server, globalAgent: new Agent() };
export const https = { ...common, ...clientOf('https:', 443), createServer: refuse('https.createServer') };
export default {
  ...common,
  ...clientOf('http:', 80),
  METHODS: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  STATUS_CODES,
  createServer: refuse('http.createServer'),
  maxHeaderSize: 16384,
  OutgoingMessage,
  ServerResponse,
  setMaxIdleHTTPParsers() {},
  validateHeaderName,
  validateHeaderValue,
};
