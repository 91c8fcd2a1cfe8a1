// `fs`: the operations of the prelude, and what is made of them: streams, folders, handles, copies.
import { internal } from 'host';
import { Buffer } from 'buffer';
import EventEmitter from 'events';
import path from 'path';

const nodeFs = internal.part('fs_base');
const { contentOf, pathOf, rawNow } = internal.files;
const own = { ...nodeFs.promises };

// An error as the system gives it, for checks that are made here.
const NUMBERS = { EACCES: -13, EEXIST: -17, EISDIR: -21 };
const failure = (code, message, syscall, file) =>
  Object.assign(new Error(`${code}: ${message}, ${syscall} '${file}'`), { errno: NUMBERS[code], code, syscall, path: file });

const suffix = () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
};

// Each operation once, as a generator: what it yields is made by the calls that wait or by those
// that cannot, so both forms exist.
const recipes = {
  *access(file, mode = 0) {
    if (!(mode & 2)) return void (yield ['access', file]);
    const looked = yield ['stat', file];
    if (looked.mode !== undefined && !(looked.mode & 0o222)) {
      throw failure('EACCES', 'permission denied', 'access', file);
    }
  },
  *cp(from, to, options = {}) {
    const source = yield ['lstat', from];
    const exists = yield ['exists', to];
    if (options.filter !== undefined && !(yield ['value', options.filter(from, to)])) return;
    if (source.isDirectory()) {
      if (!options.recursive) {
        throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: ${from}`), {
          code: 'ERR_FS_EISDIR',
        });
      }
      yield ['mkdir', to, { recursive: true }];
      for (const name of yield ['readdir', from]) {
        yield* recipes.cp(path.join(from, name), path.join(to, name), options);
      }
      return;
    }
    if (exists && options.errorOnExist && options.force === false) {
      throw Object.assign(new Error(`Target already exists: ${to}`), { code: 'ERR_FS_CP_EEXIST' });
    }
    if (exists && options.force === false) return;
    yield ['mkdir', path.dirname(to), { recursive: true }];
    yield ['copyFile', from, to];
  },
  *mkdtemp(prefix) {
    const folder = `${prefix}${suffix()}`;
    yield ['mkdir', folder];
    return folder;
  },
  *realpath(file) {
    yield ['stat', file];
    return path.resolve(pathOf(file));
  },
  *truncate(file, length = 0) {
    const bytes = yield ['readFile', file];
    const kept = Buffer.alloc(length);
    bytes.copy(kept);
    yield ['writeFile', file, kept];
  },
  *readdir(folder, options) {
    const settings = typeof options === 'string' ? { encoding: options } : { ...options };
    const listed = yield ['list', folder];
    const all = [];
    for (const entry of listed) {
      all.push([entry.name, entry, pathOf(folder)]);
      if (settings.recursive && entry.isDirectory()) {
        for (const below of yield* recipes.readdir(path.join(pathOf(folder), entry.name), { ...settings, entries: true })) {
          all.push([path.join(entry.name, below[0]), below[1], below[2]]);
        }
      }
    }
    if (settings.entries) return all;
    if (settings.withFileTypes) return all.map(([, entry]) => entry);
    return all.map(([name]) => name);
  },
};

const waiting = async (recipe) => {
  let step = recipe.next();
  for (;;) {
    if (step.done) return step.value;
    const [name, ...args] = step.value;
    try {
      let value;
      if (name === 'value') value = await args[0];
      else if (name === 'exists') value = await own.access(...args).then(() => true, () => false);
      else if (name === 'list') value = await own.readdir(args[0], { withFileTypes: true });
      else value = await own[name](...args);
      step = recipe.next(value);
    } catch (error) {
      step = recipe.throw(error);
    }
  }
};
const instant = (recipe) => {
  let step = recipe.next();
  for (;;) {
    if (step.done) return step.value;
    const [name, ...args] = step.value;
    try {
      let value;
      if (name === 'value') value = args[0];
      else if (name === 'exists') value = nodeFs.existsSync(...args);
      else if (name === 'list') value = ownNow.readdir(args[0], { withFileTypes: true });
      else value = (ownNow[name] ?? nodeFs[`${name}Sync`])(...args);
      step = recipe.next(value);
    } catch (error) {
      step = recipe.throw(error);
    }
  }
};
const ownNow = { readdir: nodeFs.readdirSync };

const promises = { ...nodeFs.promises };
const fs = { ...nodeFs, promises };
const constants = {
  F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2,
  O_CREAT: 64, O_EXCL: 128, O_NOCTTY: 256, O_TRUNC: 512, O_APPEND: 1024, O_NONBLOCK: 2048, O_DSYNC: 4096, O_DIRECT: 16384,
  O_DIRECTORY: 65536, O_NOFOLLOW: 131072, O_NOATIME: 262144, O_SYNC: 1052672, COPYFILE_FICLONE_FORCE: 4,
  UV_FS_COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4, UV_FS_O_FILEMAP: 0,
  UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5,
  UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFCHR: 8192, S_IFBLK: 24576,
  S_IFIFO: 4096, S_IFLNK: 40960, S_IFSOCK: 49152, S_IRWXU: 448, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, S_IRWXG: 56,
  S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8, S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1,
};
fs.constants = promises.constants = constants;

const withCallback = (name) => (...args) => {
  const callback = args.pop();
  if (typeof callback !== 'function') {
    throw internal.wrongType('cb', 'of type function', args.length === 0 ? undefined : callback);
  }
  // A path of another type is an error of the call itself.
  if (!isOpen(args[0]) && name !== 'mkdtemp') pathOf(args[0]);
  promises[name](...args).then(
    (value) => queueMicrotask(() => (value === undefined ? callback(null) : callback(null, value))),
    (error) => queueMicrotask(() => callback(error)),
  );
};
for (const [name, recipe] of Object.entries(recipes)) {
  promises[name] = async (...args) => waiting(recipe(...args));
  fs[`${name}Sync`] = (...args) => instant(recipe(...args));
}
// `flag: 'wx'` fails on a file that exists.
const exclusive = (options) => `${options?.flag ?? ''}`.includes('x');
const { writeFile } = promises;
promises.writeFile = async (file, data, options) => {
  if (exclusive(options) && nodeFs.existsSync(file)) throw failure('EEXIST', 'file already exists', 'open', file);
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return writeFile(file, typeof data === 'string' ? Buffer.from(data, encoding) : data, options);
};
fs.writeFileSync = (file, data, options) => {
  if (typeof file === 'number') return void fs.writeSync(file, data);
  if (exclusive(options) && nodeFs.existsSync(file)) throw failure('EEXIST', 'file already exists', 'open', file);
  const encoding = typeof options === 'string' ? options : options?.encoding;
  nodeFs.writeFileSync(file, typeof data === 'string' ? Buffer.from(data, encoding) : data, options);
};
fs.exists = (file, callback) => {
  const there = nodeFs.existsSync(file);
  queueMicrotask(() => callback(there));
};
Object.defineProperty(fs.exists, Symbol.for('nodejs.util.promisify.custom'), {
  value: async (file) => nodeFs.existsSync(file),
});
fs.accessSync = (file, mode) => void instant(recipes.access(file, mode));

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

class Dir {
  #entries;
  constructor(folder, entries) {
    this.path = folder;
    this.#entries = entries;
  }
  readSync() {
    return this.#entries.shift() ?? null;
  }
  async read() {
    return this.readSync();
  }
  closeSync() {}
  async close() {}
  async *[Symbol.asyncIterator]() {
    yield* this.#entries;
  }
}
promises.opendir = async (folder) => new Dir(pathOf(folder), await promises.readdir(folder, { withFileTypes: true }));
fs.opendirSync = (folder) => new Dir(pathOf(folder), fs.readdirSync(folder, { withFileTypes: true }));

// Streams are loaded when a program first asks for one.
let made;
const streams = () =>
  (made ??= internal.openPart('internal/fs_streams')({
    appendFile: own.appendFile,
    existsSync: nodeFs.existsSync,
    failure,
    flagsOf,
    newDescriptor: () => nextDescriptor++,
    readFile: own.readFile,
    writeFile: own.writeFile,
  }));
// The path of a stream, and of its errors, is the one that was given.
const given = (file) => (typeof file === 'string' ? file : pathOf(file));
fs.createReadStream = (file, options) => new (streams().ReadStream)(given(file), options ?? {});
fs.createWriteStream = (file, options) => new (streams().WriteStream)(given(file), options ?? {});
for (const name of ['ReadStream', 'WriteStream']) {
  Object.defineProperty(fs, name, { get: () => streams()[name], enumerable: true, configurable: true });
}
const { Dirent, Stats } = internal.files;
Object.assign(fs, { Dir, Dirent, FileHandle, Stats, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
fs.openAsBlob = async (file, options) => new globalThis.Blob([await own.readFile(file)], options);

// Each throws by its name: the files of the sandbox have none of these.
const absent = {
  chown: 'files have no owner',
  fchown: 'files have no owner', futimes: 'times belong to the mount', lchown: 'files have no owner',
  link: 'copy the file', lutimes: 'times belong to the mount', readlink: 'links are followed',
  symlink: 'copy the file', utimes: 'times belong to the mount', statfs: 'the host does not tell its space',
  watch: 'read the file again', watchFile: 'read the file again', unwatchFile: 'nothing is watched',
};
for (const [name, why] of Object.entries(absent)) {
  const refuse = () => {
    throw internal.notAvailable(`fs.${name}`, why);
  };
  fs[name] ??= refuse;
  fs[`${name}Sync`] ??= refuse;
  promises[name] ??= async () => refuse();
}
for (const name of Object.keys(promises)) {
  if (typeof promises[name] === 'function' && (nodeFs[name] !== undefined || name in recipes || name === 'opendir')) {
    fs[name] = withCallback(name);
  }
}
fs.realpath.native = fs.realpath;
fs.realpathSync.native = fs.realpathSync;
export default fs;
