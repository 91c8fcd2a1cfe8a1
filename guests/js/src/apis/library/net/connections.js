// Connections within a tool: its sockets reach the servers that it listens with, and nothing else.
// Bytes stay in the cell, so there is nothing that the broker could be asked about. What arrives is
// handed over in a turn of its own, so that timers and calls of the host are never kept waiting.
import { internal } from 'host';
import { Buffer } from 'buffer';

const { setImmediate } = globalThis;
// A writer waits while its peer has this much to read.
const ROOM = 65536;
const FIRST_PORT = 32768;

const listeners = new Map();
let nextPort = FIRST_PORT;

const familyOf = (address) => (address.includes(':') ? 'IPv6' : 'IPv4');
const isWildcard = (address) => address === '::' || address === '0.0.0.0';
const isLoopback = (address) => /^127\.|^::1$|^::ffff:127\./.test(address) || isWildcard(address);
const isLocalName = (name) => /^(?:.+\.)?localhost$/i.test(name) || isLoopback(name.replace(/^\[|\]$/g, ''));

// An error as `net` reads it.
const failure = (code, syscall, text) => new Error(JSON.stringify({ code, syscall, message: `${syscall} ${code}${text}` }));
const refusal = (host) => internal.notAvailable(`a connection to ${host}`, 'use fetch, http or https for requests');

const listenerAt = (address, port) => {
  const found = listeners.get(port);
  return found !== undefined && (isWildcard(found.address) || isLocalName(address)) ? found : undefined;
};

// One end of a connection.
class Connection {
  #queue = [];
  #length = 0;
  #reader;
  #writers = [];
  #isOver = false;
  #isClosed = false;
  constructor(family) {
    this.family = family;
    this.local = undefined;
    this.remote = undefined;
    this.peer = undefined;
  }
  async bind(address, port) {
    this.local = [address, port];
  }
  connect(address, port) {
    if (!isLoopback(address)) throw refusal(`${address}:${port}`);
    const listener = listenerAt(address, port);
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (listener === undefined || listeners.get(port) !== listener) {
          return reject(failure('ECONNREFUSED', 'connect', ` ${address}:${port}`));
        }
        const own = isWildcard(address) ? '127.0.0.1' : address;
        this.local = [own, nextPort++, familyOf(own)];
        this.remote = [own, port, familyOf(own)];
        const other = new Connection(this.family);
        // A server for both families sees the older addresses as newer ones.
        const seen = (place) =>
          familyOf(listener.address) === 'IPv6' && place[2] === 'IPv4' ? [`::ffff:${place[0]}`, place[1], 'IPv6'] : place;
        [other.local, other.remote, other.peer, this.peer] = [seen(this.remote), seen(this.local), this, other];
        listener.offer(other);
        resolve();
      });
    });
  }
  // Resolves to the next bytes, null at the end.
  read() {
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#serve();
    });
  }
  #serve() {
    if (this.#reader === undefined || (this.#queue.length === 0 && !this.#isOver && !this.#isClosed)) return;
    const reader = this.#reader;
    this.#reader = undefined;
    setImmediate(() => {
      const piece = this.#queue.shift();
      if (piece === undefined) return reader(null);
      this.#length -= piece.length;
      while (this.#length < ROOM && this.#writers.length > 0) this.#writers.shift()();
      reader(piece);
    });
  }
  async write(bytes) {
    const { peer } = this;
    if (peer.#isClosed) throw failure('EPIPE', 'write', '');
    peer.#queue.push(Buffer.from(bytes));
    peer.#length += bytes.length;
    peer.#serve();
    if (peer.#length >= ROOM) await new Promise((resolve) => peer.#writers.push(resolve));
    return bytes.length;
  }
  shutdown() {
    this.peer.#isOver = true;
    this.peer.#serve();
  }
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const go of this.#writers.splice(0)) go();
    this.#serve();
    if (this.peer !== undefined) this.shutdown();
  }
  local_address() {
    return this.local;
  }
  remote_address() {
    return this.remote;
  }
  set_no_delay() {}
  set_keep_alive() {}
  set_write_timeout() {}
  write_queue_size() {
    return 0;
  }
}

class Listener {
  #waiting = [];
  #acceptor;
  bind_sync(address, port) {
    const at = Number(port) || this.#freePort();
    if (listeners.has(at)) throw failure('EADDRINUSE', 'listen', `: address already in use ${address}:${at}`);
    [this.address, this.port] = [address, at];
  }
  #freePort() {
    while (listeners.has(nextPort)) nextPort++;
    return nextPort++;
  }
  set_backlog() {}
  listen_sync() {
    if (internal.localFetch === undefined) {
      internal.localFetch = (request) => internal.openPart('internal/net/http_fetch').localFetch(request);
      internal.part('process').once('beforeExit', tell);
    }
    listeners.set(this.port, this);
  }
  offer(connection) {
    this.#waiting.push(connection);
    this.#serve();
  }
  accept() {
    return new Promise((resolve) => {
      this.#acceptor = resolve;
      this.#serve();
    });
  }
  #serve() {
    if (this.#acceptor === undefined || this.#waiting.length === 0) return;
    const [acceptor, connection] = [this.#acceptor, this.#waiting.shift()];
    this.#acceptor = undefined;
    setImmediate(() => acceptor([connection, ...connection.remote]));
  }
  close() {
    if (listeners.get(this.port) === this) listeners.delete(this.port);
    for (const connection of this.#waiting.splice(0)) connection.close();
  }
  local_address() {
    return [this.address, this.port, familyOf(this.address)];
  }
}

// A server does not keep the run from ending: nobody else can connect to it.
const tell = () => {
  for (const port of listeners.keys()) {
    internal.part('process').stderr.write(`the run ends: nothing is left in it that could connect to its server on port ${port}\n`);
  }
};

export const isServed = (host, port) => isLocalName(host) && listeners.has(port);
export const addressOf = (name) => (isLocalName(name) ? '127.0.0.1' : undefined);
export { refusal };
export const create_tcp_socket = (family) => new Connection(family);
export const create_tcp_listener = () => new Listener();
