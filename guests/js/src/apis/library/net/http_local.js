// Requests to a server of the same tool, as bytes over a connection within the cell.
import { Buffer } from 'buffer';
import net from 'net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

// Reads one response after another; each state takes what it can, and returns false if it needs more.
class Reader {
  #left = NOTHING;
  #state = 'head';
  #length = 0;
  constructor(method, heard) {
    this.method = method;
    this.heard = heard;
  }
  get isOver() {
    return this.#state === 'over';
  }
  push(bytes) {
    this.#left = this.#left.length === 0 ? bytes : Buffer.concat([this.#left, bytes]);
    while (this[this.#state]());
  }
  // The end of the connection is that of a body without a length.
  close() {
    if (this.#state === 'rest') this.#end();
    return this.isOver;
  }
  #take(length) {
    const taken = this.#left.subarray(0, length);
    this.#left = this.#left.subarray(length);
    return taken;
  }
  #line(end) {
    const at = this.#left.indexOf(end);
    return at < 0 ? undefined : this.#take(at + end.length).toString('latin1').slice(0, -end.length);
  }
  #end(trailers = []) {
    this.#state = 'over';
    this.heard.end(trailers);
    return false;
  }
  head() {
    const text = this.#line(HEAD_END);
    if (text === undefined) return false;
    const [first, ...lines] = text.split('\r\n');
    const [, httpVersion, code, statusText] = /^HTTP\/(\d\.\d) (\d{3}) ?(.*)$/.exec(first) ?? [];
    if (code === undefined) throw Object.assign(new Error('Parse Error: Expected HTTP/'), { code: 'HPE_INVALID_CONSTANT' });
    const rawHeaders = pairsOf(lines);
    const status = Number(code);
    const head = { status, statusText, rawHeaders, httpVersion };
    if (status === 101 || (this.method === 'CONNECT' && status < 300)) {
      this.#state = 'over';
      this.heard.upgrade(head, this.#take(this.#left.length));
      return false;
    }
    if (status < 200) {
      this.heard.before(head);
      return true;
    }
    const named = (name) => rawHeaders.find((text, at) => at % 2 === 0 && text.toLowerCase() === name);
    const valueOf = (name) => rawHeaders[rawHeaders.indexOf(named(name)) + 1];
    this.heard.head(head);
    if (this.method === 'HEAD' || status === 204 || status === 304) return this.#end();
    if (named('transfer-encoding') !== undefined && /chunked/i.test(valueOf('transfer-encoding'))) this.#state = 'size';
    else if (named('content-length') !== undefined) {
      this.#length = Number(valueOf('content-length'));
      this.#state = 'body';
    } else this.#state = 'rest';
    return true;
  }
  body() {
    if (this.#length === 0) return this.#end();
    if (this.#left.length === 0) return false;
    const piece = this.#take(Math.min(this.#length, this.#left.length));
    this.#length -= piece.length;
    this.heard.body(piece);
    return true;
  }
  rest() {
    if (this.#left.length > 0) this.heard.body(this.#take(this.#left.length));
    return false;
  }
  size() {
    const line = this.#line(LINE_END);
    if (line === undefined) return false;
    this.#length = Number.parseInt(line, 16);
    this.#state = this.#length === 0 ? 'trailers' : 'chunk';
    return true;
  }
  chunk() {
    if (this.#length > 0) {
      if (this.#left.length === 0) return false;
      const piece = this.#take(Math.min(this.#length, this.#left.length));
      this.#length -= piece.length;
      this.heard.body(piece);
      return true;
    }
    if (this.#left.length < 2) return false;
    this.#take(2);
    this.#state = 'size';
    return true;
  }
  trailers() {
    if (this.#left.length < 2) return false;
    if (this.#left.subarray(0, 2).equals(LINE_END)) {
      this.#take(2);
      return this.#end();
    }
    const text = this.#line(HEAD_END);
    return text === undefined ? false : this.#end(pairsOf(text.split('\r\n')));
  }
  over() {
    return false;
  }
}
const pairsOf = (lines) =>
  lines.flatMap((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });

const reset = (message) => Object.assign(new Error(message), { code: 'ECONNRESET' });

// One request and its response. `make` makes the message that `request` emits.
export class Exchange {
  #socket;
  #isChunked;
  constructor(request, url, head, isChunked, make) {
    const socket = net.connect({ port: Number(url.port || 80), host: url.hostname.replace(/^\[|\]$/g, '') });
    this.#socket = socket;
    this.#isChunked = isChunked;
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(Buffer.from(`${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, 'latin1'));
    process.nextTick(() => {
      if (request.destroyed) return;
      request.socket = socket;
      request.emit('socket', socket);
    });

    let received;
    const receive = (found) => (received = make({ ...found, socket, cancel: () => socket.destroy() }));
    const reader = new Reader(request.method, {
      before({ status, statusText, rawHeaders }) {
        if (status === 100) request.emit('continue');
        request.emit('information', { statusCode: status, statusMessage: statusText, httpVersion: '1.1', rawHeaders, headers: receive({ status, statusText, rawHeaders }).headers });
        received = undefined;
      },
      head: (found) => request.answered(receive(found)),
      body: (piece) => received.push(piece) || (socket.pause(), received.once('resume', () => socket.resume()), received._read = () => socket.resume()),
      end(trailers) {
        received.complete = true;
        received.rawTrailers = trailers;
        for (let at = 0; at < trailers.length; at += 2) received.trailers[trailers[at].toLowerCase()] = trailers[at + 1];
        received.push(null);
        socket.end();
      },
      upgrade(found, rest) {
        socket.removeAllListeners('data');
        socket.removeListener('close', closed);
        const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
        request.res = make({ ...found, socket });
        if (!request.emit(event, request.res, socket, rest)) request.destroy();
        else request.emit('close');
      },
    });
    const closed = () => {
      if (reader.close()) return request.destroy();
      if (received === undefined) return void (request.destroyed || request.destroy(reset('socket hang up')));
      received.aborted = true;
      received.emit('aborted');
      received.destroy(reset('aborted'));
    };
    socket.on('data', (piece) => {
      try {
        reader.push(piece);
      } catch (error) {
        request.destroy(error);
      }
    });
    socket.on('error', (error) => request.res === undefined && request.destroy(error));
    socket.on('close', closed);
  }
  write(bytes, done) {
    if (bytes.length === 0) return done();
    if (!this.#isChunked) return void this.#socket.write(bytes, () => done());
    this.#socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, LINE_END]), () => done());
  }
  end(done) {
    if (this.#isChunked) this.#socket.write('0\r\n\r\n');
    done();
  }
  stop() {
    this.#socket.destroy();
  }
}
