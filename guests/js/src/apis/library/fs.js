// `fs`: the operations of the prelude, and what is made of them: streams, folders, handles, copies.
import { internal } from 'host';
import { Buffer } from 'buffer';
import descriptors from 'internal/fs_descriptors';
import path from 'path';

const nodeFs = internal.part('fs_base');
const { pathOf } = internal.files;
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

const { FileHandle, flagsOf, isOpen, newDescriptor } = descriptors({ failure, fs, instant, nodeFs, promises, recipes });

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
    newDescriptor,
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
