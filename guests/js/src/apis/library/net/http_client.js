// The requests of `http` and `https`: over `fetch`, so that the broker sees each, or over a
// connection to a server of the same tool.
import { internal } from 'host';
import { Buffer } from 'buffer';
import EventEmitter from 'events';
import net from 'net';
import { Writable } from 'stream';
import { METHODS, STATUS_CODES, _checkIsHttpToken, validateHeaderName, validateHeaderValue } from 'internal/net/http_common';
import { Exchange } from 'internal/net/http_local';
import { ServerIncomingMessage } from 'node_http_server';
import { isServed } from 'internal/net/connections';

const { fetch, AbortController, URL } = globalThis;
const { coded } = internal;

// One prototype for the messages of both sides: frameworks change it.
export function IncomingMessage(socket) {
  return Reflect.construct(ServerIncomingMessage, [socket, null, '', '1.1', []], new.target ?? IncomingMessage);
}
IncomingMessage.prototype = ServerIncomingMessage.prototype;
Object.setPrototypeOf(IncomingMessage, Object.getPrototypeOf(ServerIncomingMessage));
internal.hidden(IncomingMessage.prototype, 'constructor', IncomingMessage);
// The rest of a request that nothing reads is dropped when it was answered.
internal.hidden(IncomingMessage.prototype, '_dump', function _dump() {
  if (this._dumped) return;
  this._dumped = true;
  this.resume();
});
internal.hidden(IncomingMessage.prototype, 'setTimeout', function setTimeout(ms, callback) {
  if (callback !== undefined) this.on('timeout', callback);
  this.socket?.setTimeout(ms, () => this.emit('timeout'));
  return this;
});

// The response to a request. Its body is pulled from a reader, or pushed by an exchange.
class Received extends ServerIncomingMessage {
  #reader;
  #cancel;
  constructor({ status, statusText, rawHeaders, httpVersion = '1.1', reader, socket = null, cancel }) {
    super(socket, null, '', httpVersion, rawHeaders);
    this.statusCode = status;
    this.statusMessage = statusText;
    this.#reader = reader;
    this.#cancel = cancel;
  }
  _read() {
    this.#reader?.read().then(
      ({ done, value }) => {
        if (done) this.complete = true;
        this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      },
      (error) => this.destroy(error),
    );
  }
  _destroy(error, done) {
    this.#reader?.cancel().catch(() => {});
    this.#cancel?.();
    // Programs that do not listen for an error of the message hear of it from the request.
    process.nextTick(() => done(this.listenerCount('error') > 0 ? error : null));
  }
}
internal.hidden(Received.prototype, 'constructor', IncomingMessage);

const hangUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
// `fetch` sends these by itself.
const OWN_HEADERS = ['connection', 'content-length', 'host', 'transfer-encoding'];

export class ClientRequest extends Writable {
  #url;
  #headers = new Map();
  #pieces = [];
  #abort = new AbortController();
  #timer;
  #exchange;

  constructor(url, options, callback) {
    // The end of the body is not the end of the request.
    super({ autoDestroy: false });
    this.#url = url;
    const { method = 'GET', path } = options;
    if (typeof method !== 'string') throw internal.wrongType('options.method', 'of type string', method);
    if (!_checkIsHttpToken(method)) throw coded(new TypeError(`Method must be a valid HTTP token ["${method}"]`), 'ERR_INVALID_HTTP_TOKEN');
    if (/[\0-\x20]/.test(path ?? '')) {
      throw coded(new TypeError('Request path contains unescaped characters'), 'ERR_UNESCAPED_CHARACTERS');
    }
    this.method = method.toUpperCase();
    this.path = url.pathname + url.search;
    this.host = url.hostname;
    this.protocol = url.protocol;
    this.aborted = false;
    this.reusedSocket = false;
    this.finished = false;
    this.socket = null;
    const given = Array.isArray(options.headers) ? options.headers : Object.entries(options.headers ?? {});
    for (const [name, value] of given) this.setHeader(name, value);
    if (options.auth) this.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
    if (options.setHost !== false && !this.hasHeader('host')) this.setHeader('Host', url.host);
    if (this.hasHeader('expect')) process.nextTick(() => this.destroyed || this.flushHeaders());
    if (callback !== undefined) this.once('response', callback);
    if (options.timeout) this.setTimeout(options.timeout);
    options.signal?.addEventListener('abort', () => this.destroy(options.signal.reason), { once: true });
  }
  get headersSent() {
    return this.#exchange !== undefined;
  }
  get connection() {
    return this.socket;
  }
  setHeader(name, value) {
    if (this.headersSent) throw coded(new Error('Cannot set headers after they are sent to the client'), 'ERR_HTTP_HEADERS_SENT');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }
  getHeader(name) {
    return this.#headers.get(`${name}`.toLowerCase())?.[1];
  }
  getHeaders() {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  }
  getHeaderNames() {
    return [...this.#headers.keys()];
  }
  getRawHeaderNames() {
    return [...this.#headers.values()].map(([name]) => name);
  }
  hasHeader(name) {
    return this.#headers.has(`${name}`.toLowerCase());
  }
  appendHeader(name, value) {
    const known = this.getHeader(name);
    return this.setHeader(name, known === undefined ? value : [known, value].flat());
  }
  removeHeader(name) {
    this.#headers.delete(`${name}`.toLowerCase());
  }
  flushHeaders() {
    if (this.#isLocal() && this.#exchange === undefined) this.#open(undefined);
  }
  setNoDelay() {}
  setSocketKeepAlive() {}
  setTimeout(ms, callback) {
    if (callback !== undefined) this.once('timeout', callback);
    clearTimeout(this.#timer);
    if (ms > 0) this.#timer = setTimeout(() => this.emit('timeout'), ms);
    return this;
  }
  #isLocal() {
    return this.protocol === 'http:' && isServed(this.host, Number(this.#url.port || 80));
  }
  // Begins a request to a server of the tool. `length` is that of the whole body, if it is known.
  #open(length) {
    const has = (name) => this.#headers.has(name);
    const head = [];
    for (const [name, value] of this.#headers.values()) {
      for (const one of Array.isArray(value) ? value : [value]) head.push([name, `${one}`]);
    }
    if (!has('connection')) head.push(['Connection', 'keep-alive']);
    const isBare = length === 0 && /^(?:GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT)$/.test(this.method);
    if (!has('content-length') && !has('transfer-encoding') && !isBare) {
      head.push(length === undefined ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${length}`]);
    }
    const isChunked = head.some(([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value));
    this.#exchange = new Exchange(this, this.#url, head, isChunked, (received) => new Received(received));
  }
  _write(chunk, encoding, done) {
    const bytes = Buffer.from(chunk, encoding);
    if (this.#exchange !== undefined) return this.#exchange.write(bytes, done);
    if (!this.#isLocal()) {
      this.#pieces.push(bytes);
      return done();
    }
    // A body that is given with the end of the request is sent with its length.
    process.nextTick(() => {
      if (this.destroyed) return done();
      this.#open(this.writableEnded && this.writableLength === bytes.length ? bytes.length : undefined);
      this.#exchange.write(bytes, done);
    });
  }
  _final(done) {
    this.finished = true;
    if (this.#exchange === undefined && this.#pieces.length === 0 && this.#isLocal()) this.#open(0);
    if (this.#exchange !== undefined) return this.#exchange.end(done);
    const headers = [];
    for (const [name, [, value]] of this.#headers) {
      if (OWN_HEADERS.includes(name)) continue;
      for (const one of Array.isArray(value) ? value : [value]) headers.push([name, `${one}`]);
    }
    const body = this.#pieces.length === 0 || /^(GET|HEAD)$/.test(this.method) ? undefined : Buffer.concat(this.#pieces);
    fetch(this.#url, { method: this.method, headers, body, redirect: 'manual', signal: this.#abort.signal }).then(
      (response) => this.#received(response),
      (error) => {
        clearTimeout(this.#timer);
        if (!this.destroyed) this.destroy(error.cause?.code === undefined ? error : error.cause);
      },
    );
    done();
  }
  #received(response) {
    if (this.destroyed) return;
    const { status } = response;
    const statusText = response.statusText || (STATUS_CODES[status] ?? '');
    const reader = response.body?.getReader();
    const received = new Received({ status, statusText, rawHeaders: [...response.headers].flat(), reader });
    if (reader === undefined) {
      received.complete = true;
      received.push(null);
    }
    received.once('close', () => this.destroy());
    this.answered(received);
  }
  // Hands over the response.
  answered(received) {
    clearTimeout(this.#timer);
    received.req = this;
    this.res = received;
    if (!this.emit('response', received)) received.resume();
  }
  _destroy(error, done) {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#exchange?.stop();
    const isQuiet = this.res !== undefined || (this.aborted && this.socket === null);
    done(error ?? (isQuiet ? null : hangUp()));
  }
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(() => this.emit('abort'));
    this.destroy();
  }
}

export class Agent extends EventEmitter {
  constructor(options = {}) {
    super();
    const { keepAlive = false, keepAliveMsecs = 1000, maxSockets = Infinity, maxFreeSockets = 256, maxTotalSockets = Infinity } = options ?? {};
    const rest = { scheduling: 'lifo', keepAlive, keepAliveMsecs, maxSockets, maxFreeSockets, maxTotalSockets };
    Object.assign(this, { defaultPort: 80, protocol: 'http:', options: { ...options, path: null }, requests: {}, sockets: {}, freeSockets: {}, ...rest });
  }
  getName({ host = 'localhost', port = '', localAddress = '', family } = {}) {
    return `${host}:${port}:${localAddress}${family === 4 || family === 6 ? `:${family}` : ''}`;
  }
  destroy() {}
}

export const clientOf = (protocol, port) => {
  const target = (options) => {
    const host = options.hostname || options.host || 'localhost';
    const at = `${options.port ?? port}` === `${port}` ? '' : `:${options.port}`;
    const name = net.isIPv6(host) ? `[${host}]` : host;
    return new URL(`${options.protocol ?? protocol}//${/[^\]]:\d+$/.test(name) ? name : `${name}${at}`}${options.path || '/'}`);
  };
  const request = (...given) => {
    const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
    const [first, second] = given;
    const named = typeof first === 'string' || first instanceof URL;
    const options = { ...(named ? second : first) };
    for (const name of ['hostname', 'host']) {
      if (typeof (options[name] ?? '') !== 'string') {
        throw internal.wrongType(`options.${name}`, 'of type string or one of undefined or null', options[name]);
      }
    }
    const url = named ? new URL(first) : target(options);
    if (named && second !== undefined) {
      if (options.hostname !== undefined || options.host !== undefined) url.hostname = options.hostname ?? options.host;
      if (options.port !== undefined) url.port = options.port;
      if (options.path !== undefined) url.href = new URL(options.path, url).href;
    }
    if (url.protocol !== protocol) {
      throw coded(new TypeError(`Protocol "${url.protocol}" not supported. Expected "${protocol}"`), 'ERR_INVALID_PROTOCOL');
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
export { METHODS, STATUS_CODES };
