// Streams of `fs`. Apart, because loading `stream` costs more than all of `fs`.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { Readable, Writable } from 'stream';

const check = (name, value) => {
  if (value === undefined || value === Infinity) return;
  if (typeof value !== 'number') throw internal.wrongType(name, 'of type number', value);
  if (value >= 0 && Number.isInteger(value)) return;
  const message = `The value of "${name}" is out of range. It must be >= 0 and <= 9007199254740991. Received ${internal.inspect(value)}`;
  throw internal.coded(new RangeError(message), 'ERR_OUT_OF_RANGE');
};
const checkRange = ({ start, end }) => {
  check('start', start);
  check('end', end);
  if (!(start > end)) return;
  const message = `The value of "start" is out of range. It must be <= "end" (here: ${end}). Received ${start}`;
  throw internal.coded(new RangeError(message), 'ERR_OUT_OF_RANGE');
};

export default ({ appendFile, existsSync, failure, flagsOf, newDescriptor, readFile, writeFile }) => {
  class ReadStream extends Readable {
    #content;
    #at;
    #end;
    constructor(file, options = {}) {
      const settings = typeof options === 'string' ? { encoding: options } : options;
      checkRange(settings);
      super({ highWaterMark: 64 * 1024, ...settings });
      this.path = file;
      this.flags = settings.flags ?? 'r';
      this.bytesRead = 0;
      this.#at = settings.start ?? 0;
      this.#end = (settings.end ?? Infinity) + 1;
    }
    _construct(done) {
      readFile(this.path).then(
        (content) => {
          this.#content = content;
          this.fd = newDescriptor();
          this.emit('open', this.fd);
          this.emit('ready');
          done();
        },
        (error) => done(error),
      );
    }
    _read(size) {
      const end = Math.min(this.#at + size, this.#end, this.#content.length);
      if (this.#at >= end) return void this.push(null);
      const piece = this.#content.subarray(this.#at, end);
      this.#at = end;
      this.bytesRead += piece.length;
      this.push(piece);
    }
    close(callback) {
      if (callback !== undefined) this.once('close', callback);
      this.destroy();
    }
  }

  class WriteStream extends Writable {
    constructor(file, options = {}) {
      const settings = typeof options === 'string' ? { encoding: options } : options;
      super({ ...settings, decodeStrings: true });
      if (settings.encoding) this.setDefaultEncoding(settings.encoding);
      this.path = file;
      this.flags = settings.flags ?? 'w';
      this.bytesWritten = 0;
    }
    _construct(done) {
      const how = flagsOf(this.flags);
      const start = async () => {
        if (how.exclusive && existsSync(this.path)) throw failure('EEXIST', 'file already exists', 'open', this.path);
        if (how.truncate) await writeFile(this.path, new Uint8Array(0));
        else await appendFile(this.path, new Uint8Array(0));
      };
      start().then(
        () => {
          this.fd = newDescriptor();
          this.emit('open', this.fd);
          this.emit('ready');
          done();
        },
        (error) => done(error),
      );
    }
    _write(chunk, encoding, done) {
      this.bytesWritten += chunk.length;
      appendFile(this.path, chunk).then(() => done(), done);
    }
    _writev(chunks, done) {
      this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
    }
    close(callback) {
      if (callback !== undefined) this.once('close', callback);
      this.end();
    }
  }

  // Older packages call them without `new`.
  const callable = (Class) =>
    new Proxy(Class, { apply: (target, self, args) => (self instanceof target ? Reflect.construct(target, args, self.constructor) : new target(...args)) });
  return { ReadStream: callable(ReadStream), WriteStream: callable(WriteStream) };
};
