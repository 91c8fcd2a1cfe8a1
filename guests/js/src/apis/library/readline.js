// `readline` over any readable stream.
import { EventEmitter } from 'events';
import { StringDecoder } from 'string_decoder';
import { internal } from 'host';

class Interface extends EventEmitter {
  #input;
  #output;
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #prompt;
  #questions = [];

  constructor(input, output) {
    super();
    const options = input?.input === undefined && typeof input?.on === 'function' ? { input, output } : (input ?? {});
    if (options.input === undefined) throw internal.wrongType('input', 'an instance of ReadableStream', options.input);
    this.#input = options.input;
    this.#output = options.output;
    this.input = options.input;
    this.output = options.output;
    this.#prompt = options.prompt ?? '> ';
    this.terminal = false;
    this.closed = false;
    this.line = '';
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
    this.onData = (chunk) => this.#take(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
    this.onEnd = () => {
      this.#rest += this.#decoder.end();
      if (this.#rest !== '') this.#line(this.#rest);
      this.#rest = '';

      this.close();
    };
    this.onError = (error) => this.emit('error', error);
    this.#input.on('data', this.onData);
    this.#input.on('end', this.onEnd);
    this.#input.on('error', this.onError);
    for (const name of ['onData', 'onEnd', 'onError']) Object.defineProperty(this, name, { enumerable: false });
    this.#input.resume?.();
  }

  #take(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    if (this.closed) return;
    const question = this.#questions.shift();
    if (question === undefined) this.emit('line', line);
    else question(line);
  }

  setPrompt(prompt) {
    this.#prompt = prompt;
  }
  getPrompt() {
    return this.#prompt;
  }
  prompt() {
    this.#output?.write(this.#prompt);
  }
  question(query, options, callback = options) {
    if (this.closed) throw internal.coded(new Error('readline was closed'), 'ERR_USE_AFTER_CLOSE');
    this.#output?.write(query);
    this.#questions.push(callback);
  }
  write(data) {
    this.#take(`${data}`);
  }
  pause() {
    this.#input.pause?.();
    this.emit('pause');
    return this;
  }
  resume() {
    this.#input.resume?.();
    this.emit('resume');
    return this;
  }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.#input.off?.('data', this.onData);
    this.#input.off?.('end', this.onEnd);
    this.#input.off?.('error', this.onError);
    this.#input.pause?.();
    this.emit('close');
  }
  // One iterator for all loops over this interface: an inner loop goes on where the outer one is.
  #iterator;
  [Symbol.asyncIterator]() {
    return (this.#iterator ??= this.#lines(this.#gather()));
  }
  #gather() {
    const gathered = { lines: [], wake: undefined };
    this.on('line', (line) => {
      gathered.lines.push(line);
      gathered.wake?.();
    });
    this.on('close', () => gathered.wake?.());
    return gathered;
  }
  async *#lines(gathered) {
    try {
      for (;;) {
        while (gathered.lines.length > 0) yield gathered.lines.shift();
        if (this.closed) return;
        await new Promise((resolve) => (gathered.wake = resolve));
      }
    } finally {
      this.close();
    }
  }
  [Symbol.dispose ?? Symbol.for('dispose')]() {
    this.close();
  }
}

class PromiseInterface extends Interface {
  question(query, options) {
    return new Promise((resolve, reject) => {
      options?.signal?.addEventListener('abort', () => reject(options.signal.reason), { once: true });
      super.question(query, resolve);
    });
  }
}
Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), {
  value(query) {
    return new Promise((resolve) => Interface.prototype.question.call(this, query, resolve));
  },
});

const move = (text) => (stream, ...rest) => {
  stream?.write(text(...rest.filter((value) => typeof value !== 'function')));
  rest.find((value) => typeof value === 'function')?.();
  return true;
};
const shift = (count, more, less) => (count > 0 ? `\x1b[${count}${more}` : count < 0 ? `\x1b[${-count}${less}` : '');

export const promises = {
  Interface: PromiseInterface,
  createInterface: (input, output) => new PromiseInterface(input, output),
};
// Node's classes can be called without `new`.
const callable = (Class) => new Proxy(Class, { apply: (target, self, args) => new target(...args) });

export default {
  Interface: callable(Interface),
  promises,
  createInterface: (input, output) => new Interface(input, output),
  clearLine: move((direction) => (direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K')),
  clearScreenDown: move(() => '\x1b[0J'),
  cursorTo: move((x, y) => (y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`)),
  moveCursor: move((dx, dy) => shift(dx, 'C', 'D') + shift(dy, 'B', 'A')),
  emitKeypressEvents() {
    throw internal.notAvailable('readline.emitKeypressEvents', 'nothing in the sandbox is a terminal; read lines');
  },
};
