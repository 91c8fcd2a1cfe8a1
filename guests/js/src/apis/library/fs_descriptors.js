// Descriptors and handles of `fs`.
import { internal } from 'host';
import { Buffer } from 'buffer';
import EventEmitter from 'events';

const { contentOf, pathOf, rawNow } = internal.files;

// Adds the calls that take a descriptor to the module that is given.
export default ({ failure, fs, instant, nodeFs, promises, recipes }) => {
  // Descriptors: the host has whole files, so an open file is its content until it is closed.
  const READ = 1;
  const WRITE = 2;
  const open = new Map();
  let nextDescriptor = 10;
  const flagsOf = (flags = 'r') => {
    if (typeof flags === 'number') {
      return { may: [READ, WRITE, READ | WRITE][flags & 3], append: !!(flags & 1024), truncate: !!(flags & 512), create: !!(flags & 64), exclusive: !!(flags & 128) };
    }
    if (!/^(?:(?:r|rs|sr)\+?|(?:w|wx|xw|a|ax|xa|as|sa)\+?)$/.test(flags)) {
      throw internal.coded(new TypeError(`The argument 'flags' is invalid. Received ${internal.inspect(flags)}`), 'ERR_INVALID_ARG_VALUE');
    }
    const writes = /[wa+]/.test(flags);
    return {
      may: (writes ? WRITE : 0) | (/[r+]/.test(flags) ? READ : 0),
      append: flags.startsWith('a'),
      truncate: flags.startsWith('w'),
      create: /^[wa]/.test(flags),
      exclusive: flags.includes('x'),
    };
  };
  fs.openSync = (file, flags) => {
    const name = pathOf(file);
    const how = flagsOf(flags);
    const exists = nodeFs.existsSync(name);
    if (exists && how.exclusive) throw failure('EEXIST', 'file already exists', 'open', name);
    if (exists && !(how.may & WRITE) && nodeFs.statSync(name).isDirectory()) {
      throw failure('EISDIR', 'illegal operation on a directory', 'open', name);
    }
    if (how.truncate || (!exists && how.create)) rawNow.write(name, 0, new Uint8Array(0));
    const content = how.truncate ? Buffer.alloc(0) : how.may & READ || !how.append ? nodeFs.readFileSync(name) : undefined;
    const fd = nextDescriptor++;
    open.set(fd, { name, how, content, at: 0 });
    return fd;
  };
  const opened = (fd, syscall) => {
    if (typeof fd !== 'number') throw internal.wrongType('fd', 'of type number', fd);
    const file = open.get(fd);
    if (file === undefined) {
      throw Object.assign(new Error(`EBADF: bad file descriptor, ${syscall}`), { code: 'EBADF', syscall, errno: -9 });
    }
    return file;
  };
  fs.closeSync = (fd) => {
    opened(fd, 'close');
    open.delete(fd);
  };
  fs.readSync = (fd, target, offset = 0, length = undefined, position = null) => {
    if (typeof offset === 'object' && offset !== null) ({ offset = 0, length, position = null } = offset);
    const file = opened(fd, 'read');
    length ??= target.byteLength - offset;
    const from = position === null ? file.at : Number(position);
    const piece = file.content.subarray(from, from + length);
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(piece, offset);
    if (position === null) file.at += piece.length;
    return piece.length;
  };
  fs.writeSync = (fd, data, ...rest) => {
    if (fd === 1 || fd === 2) {
      (fd === 1 ? internal.part('process').stdout : internal.part('process').stderr).write(data);
      return data.length;
    }
    const file = opened(fd, 'write');
    let bytes = typeof data === 'string' ? Buffer.from(data, typeof rest[1] === 'string' ? rest[1] : 'utf8') : Buffer.from(contentOf(data));
    let position = null;
    if (typeof data === 'string') position = typeof rest[0] === 'number' ? rest[0] : null;
    else {
      const [offset = 0, length = bytes.length - offset, at = null] = rest;
      bytes = bytes.subarray(offset, offset + length);
      position = at;
    }
    if (file.how.append) {
      rawNow.write(file.name, 1, bytes);
      return bytes.length;
    }
    const from = position ?? file.at;
    const end = Math.max(file.content.length, from + bytes.length);
    if (from === file.content.length) rawNow.write(file.name, 1, bytes);
    const grown = Buffer.alloc(end);
    file.content.copy(grown);
    bytes.copy(grown, from);
    if (from !== file.content.length) rawNow.write(file.name, 0, grown);
    file.content = grown;
    if (position === null) file.at = from + bytes.length;
    return bytes.length;
  };
  // Several buffers in a row, from or to one position.
  const inRow = (one) => (fd, buffers, position = null) => {
    let total = 0;
    for (const buffer of buffers) {
      const count = one(fd, buffer, 0, buffer.byteLength, position === null ? null : position + total);
      total += count;
      if (count < buffer.byteLength) break;
    }
    return total;
  };
  fs.readvSync = inRow(fs.readSync);
  fs.writevSync = inRow(fs.writeSync);
  fs.fstatSync = (fd) => nodeFs.statSync(opened(fd, 'fstat').name);
  fs.ftruncateSync = (fd, length = 0) => {
    const file = opened(fd, 'ftruncate');
    instant(recipes.truncate(file.name, length));
    file.content = nodeFs.readFileSync(file.name);
  };
  fs.fchmodSync = (fd, mode) => fs.chmodSync(opened(fd, 'fchmod').name, mode);
  fs.fsyncSync = fs.fdatasyncSync = (fd) => void opened(fd, 'fsync');
  // Calls that take a descriptor in place of a path. What is read or written begins at its position.
  const readFileNow = nodeFs.readFileSync;
  const isOpen = (file) => file instanceof FileHandle || (typeof file === 'number' && file !== 0);
  const numberOf = (file) => (typeof file === 'number' ? file : file.fd);
  const restOf = (fd, options) => {
    const file = opened(fd, 'read');
    const rest = file.content === undefined ? readFileNow(file.name) : file.content.subarray(file.at);
    file.at += rest.length;
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return encoding === undefined || encoding === null || encoding === 'buffer' ? Buffer.from(rest) : rest.toString(encoding);
  };
  fs.readFileSync = (file, options) => (isOpen(file) ? restOf(numberOf(file), options) : readFileNow(file, options));
  const aborted = (options) => {
    const signal = options?.signal;
    if (!signal?.aborted) return;
    throw Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' });
  };
  const wholeFile = {
    readFile: promises.readFile,
    writeFile: promises.writeFile,
    appendFile: promises.appendFile,
    truncate: promises.truncate,
  };
  promises.readFile = async (file, options) => {
    aborted(options);
    const content = isOpen(file) ? restOf(numberOf(file), options) : await wholeFile.readFile(file, options);
    aborted(options);
    return content;
  };
  promises.writeFile = async (file, data, options) => {
    aborted(options);
    if (isOpen(file)) return void fs.writeSync(numberOf(file), data, null, typeof options === 'string' ? options : options?.encoding);
    if (data?.[Symbol.asyncIterator] !== undefined || (typeof data === 'object' && data?.[Symbol.iterator] !== undefined && !ArrayBuffer.isView(data))) {
      const pieces = [];
      for await (const piece of data) pieces.push(Buffer.from(piece, options?.encoding));
      data = Buffer.concat(pieces);
    }
    await wholeFile.writeFile(file, data, options);
  };
  promises.appendFile = async (file, data, options) => {
    if (isOpen(file)) return void fs.writeSync(numberOf(file), data);
    await wholeFile.appendFile(file, data, options);
  };
  promises.truncate = async (file, length) =>
    isOpen(file) ? fs.ftruncateSync(numberOf(file), length) : wholeFile.truncate(file, length);
  const now = { appendFile: fs.appendFileSync, truncate: fs.truncateSync };
  fs.appendFileSync = (file, data, options) => (isOpen(file) ? void fs.writeSync(numberOf(file), data) : now.appendFile(file, data, options));
  fs.truncateSync = (file, length) => (isOpen(file) ? fs.ftruncateSync(numberOf(file), length) : now.truncate(file, length));

  class FileHandle extends EventEmitter {
    constructor(fd) {
      super();
      Object.defineProperty(this, 'fd', { value: fd, writable: true, configurable: true });
    }
    async read(target, offset, length, position) {
      const buffer = ArrayBuffer.isView(target) ? target : (target?.buffer ?? Buffer.alloc(16384));
      return { __proto__: null, bytesRead: fs.readSync(this.fd, buffer, offset, length, position), buffer };
    }
    async write(data, ...rest) {
      return { __proto__: null, bytesWritten: fs.writeSync(this.fd, data, ...rest), buffer: data };
    }
    async readv(buffers, position) {
      return { __proto__: null, bytesRead: fs.readvSync(this.fd, buffers, position), buffers };
    }
    async writev(buffers, position) {
      return { __proto__: null, bytesWritten: fs.writevSync(this.fd, buffers, position), buffers };
    }
    async readFile(options) {
      return fs.readFileSync(this.fd, options);
    }
    async writeFile(data, options) {
      fs.writeSync(this.fd, data, null, typeof options === 'string' ? options : options?.encoding);
    }
    async appendFile(data) {
      fs.writeSync(this.fd, data);
    }
    async stat() {
      return fs.fstatSync(this.fd);
    }
    async truncate(length) {
      fs.ftruncateSync(this.fd, length);
    }
    async sync() {
      opened(this.fd, 'fsync');
    }
    async datasync() {
      opened(this.fd, 'fdatasync');
    }
    async chmod(mode) {
      fs.chmodSync(opened(this.fd, 'fchmod').name, mode);
    }
    async close() {
      fs.closeSync(this.fd);
      this.fd = -1;
      this.emit('close');
    }
    createReadStream(options) {
      const file = opened(this.fd, 'read');
      return this.#closing(fs.createReadStream(file.name, { start: file.at, ...options }), options);
    }
    createWriteStream(options) {
      return this.#closing(fs.createWriteStream(opened(this.fd, 'write').name, { flags: 'a', ...options }), options);
    }
    // A stream of a handle closes it, unless it is told not to.
    #closing(stream, options) {
      if (options?.autoClose !== false) stream.once('close', () => this.fd !== -1 && this.close());
      return stream;
    }
    readableWebStream() {
      return internal.library('stream').Readable.toWeb(this.createReadStream({ autoClose: false }));
    }
    async *readLines() {
      yield* (await this.readFile('utf8')).replace(/\n$/, '').split(/\r?\n/);
    }
    async [Symbol.asyncDispose]() {
      await this.close();
    }
  }
  promises.open = async (file, flags) => new FileHandle(fs.openSync(file, flags));
  for (const name of ['open', 'close', 'fstat', 'ftruncate', 'fsync', 'fdatasync', 'fchmod']) {
    const now = fs[`${name}Sync`];
    const later = async (...args) => now(...args);
    promises[name] ??= later;
    fs[name] = (...args) => {
      const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
      if (callback === undefined && name !== 'close') throw internal.wrongType('cb', 'of type function', undefined);
      // Wrong arguments are errors of the call itself.
      if (name === 'open') pathOf(args[0]);
      else opened(args[0], name);
      later(...args).then((value) => queueMicrotask(() => callback?.(null, value)), (error) => callback?.(error));
    };
    if (name !== 'open') delete promises[name];
  }
  fs.read = (fd, ...args) => {
    const callback = args.pop();
    const buffer = ArrayBuffer.isView(args[0]) ? args.shift() : (args[0]?.buffer ?? Buffer.alloc(16384));
    later(() => fs.readSync(fd, buffer, ...args), (error, count) => callback(error, count, buffer));
  };
  fs.write = (fd, data, ...args) => {
    const callback = args.pop();
    later(() => fs.writeSync(fd, data, ...args), (error, count) => callback(error, count, data));
  };
  for (const name of ['readv', 'writev']) {
    fs[name] = (fd, buffers, ...args) => {
      const callback = args.pop();
      later(() => fs[`${name}Sync`](fd, buffers, ...args), (error, count) => callback(error, count, buffers));
    };
  }
  const later = (work, callback) => {
    try {
      const value = work();
      setImmediate(callback, null, value);
    } catch (error) {
      setImmediate(callback, error);
    }
  };

  return { FileHandle, flagsOf, isOpen, newDescriptor: () => nextDescriptor++ };
};
