// `fs`: the operations of the prelude, and what is made of them: streams, folders, handles, copies.
import { internal } from 'host';
import { Buffer } from 'buffer';
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
  O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960,
};
fs.constants = promises.constants = constants;

const withCallback = (name) => (...args) => {
  const callback = args.pop();
  if (typeof callback !== 'function') {
    throw internal.wrongType('cb', 'of type function', args.length === 0 ? undefined : callback);
  }
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
  if (file instanceof FileHandle) return file.writeFile(data, options);
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
  fs.truncateSync(file.name, length);
  file.content = nodeFs.readFileSync(file.name);
};
fs.fsyncSync = fs.fdatasyncSync = (fd) => void opened(fd, 'fsync');
const readFileNow = nodeFs.readFileSync;
fs.readFileSync = (file, options) => {
  if (typeof file === 'number' && file !== 0) return readFileNow(opened(file, 'read').name, options);
  return readFileNow(file, options);
};

class FileHandle {
  constructor(fd) {
    this.fd = fd;
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
  async sync() {}
  async datasync() {}
  async close() {
    fs.closeSync(this.fd);
  }
  createReadStream(options) {
    return fs.createReadStream(opened(this.fd, 'read').name, options);
  }
  createWriteStream(options) {
    return fs.createWriteStream(opened(this.fd, 'write').name, options);
  }
  async *readLines() {
    yield* (await this.readFile('utf8')).replace(/\n$/, '').split(/\r?\n/);
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
}
promises.open = async (file, flags) => new FileHandle(fs.openSync(file, flags));
for (const name of ['open', 'close', 'fstat', 'ftruncate', 'fsync', 'fdatasync']) {
  const now = fs[`${name}Sync`];
  const later = async (...args) => now(...args);
  promises[name] ??= later;
  fs[name] = (...args) => {
    const callback = args.pop();
    later(...args).then((value) => queueMicrotask(() => callback(null, value)), callback);
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
  chown: 'files have no owner', fchmod: 'change the mode by its path',
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
