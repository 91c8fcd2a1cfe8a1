// Standard streams of `process`, as streams of Node: output that is written at once, input that is
// read when a program wants it.
(function (native, internal) {
  'use strict';

  const { hostCall, hostCallNow } = internal;
  const { Buffer } = internal.part('buffer');
  const { Readable, Writable } = internal.part('stream');
  const { toBuffer } = internal;

  const read = hostCall('input.read', '', 'r');
  const readNow = hostCallNow('input.read', '', 'r');

  // The whole input, for `fs.readFileSync(0)`.
  internal.readInputNow = () => {
    const pieces = [];
    for (;;) {
      const piece = readNow();
      if (piece.length === 0) return Buffer.concat(pieces);
      pieces.push(toBuffer(piece));
    }
  };

  class Output extends Writable {
    constructor(fd) {
      super({ decodeStrings: false, emitClose: false, autoDestroy: true });
      this.fd = fd;
      this._type = 'pipe';
      this._isStdio = true;
    }
    _write(chunk, encoding, done) {
      const isText = typeof chunk === 'string' && /^utf-?8$/i.test(encoding);
      if (isText) (this.fd === 1 ? native.writeOut : native.writeErr)(chunk);
      else native.writeBytes(this.fd, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
      done();
    }
    // The streams of a process stay open until it ends.
    _destroy(error, done) {
      done(error);
    }
  }

  class Input extends Readable {
    #ticket = 0;
    constructor() {
      super({ highWaterMark: 65536 });
      this.fd = 0;
      // A program that pauses its input does not wait for it.
      this.on('pause', () => native.holdRun(this.#ticket, false));
      this.on('resume', () => native.holdRun(this.#ticket, true));
    }
    _read() {
      native.lastTicket();
      const answer = read();
      this.#ticket = native.lastTicket();
      // A paused stream still reads ahead.
      if (this.readableFlowing === false && this.listenerCount('readable') === 0) this.unref();
      answer.then(
        (bytes) => this.push(bytes.length === 0 ? null : toBuffer(bytes)),
        (error) => this.destroy(error),
      );
    }
    _destroy(error, done) {
      native.holdRun(this.#ticket, false);
      done(error);
    }
    ref() {
      native.holdRun(this.#ticket, true);
      return this;
    }
    unref() {
      native.holdRun(this.#ticket, false);
      return this;
    }
  }

  // A program that replaces `write` of a stream receives what the console prints.
  const made = [];
  const { write } = Writable.prototype;
  internal.sinkOf = (to) => {
    const stream = made[to === native.writeOut ? 1 : 2];
    return stream === undefined || stream.write === write ? undefined : (text) => stream.write(text);
  };
  return { output: (fd) => (made[fd] = new Output(fd)), input: () => new Input() };
});
