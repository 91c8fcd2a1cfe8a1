// Operations on the sandbox's files for node:fs: promises, callbacks, and calls that block.
(function (native, internal) {
  'use strict';

  const { contentOf, encodingOf, modeOf, pathOf, raw, rawNow } = internal.files;
  internal.part('buffer');
  const { toBuffer } = internal;

  // Descriptor 0 is standard input.
  const isInput = (path) => path === 0 || path === '/dev/stdin';

  const read = (bytes, options) => {
    const encoding = encodingOf(options, null);
    const buffer = toBuffer(bytes);
    if (encoding === null || encoding === 'buffer') return buffer;
    if (!buffer.constructor.isEncoding(encoding)) {
      const shown = internal.inspect(encoding);
      throw internal.coded(new TypeError(`The argument 'encoding' is invalid encoding. Received ${shown}`), 'ERR_INVALID_ARG_VALUE');
    }
    return buffer.toString(encoding);
  };

  const KINDS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 };

  const TIMES = ['atime', 'mtime', 'ctime', 'birthtime'];

  class Stats {
    constructor(looked) {
      const { type, mode, size, atimeMs, mtimeMs, ctimeMs, birthtimeMs = ctimeMs } = looked;
      // In the order of Node, which programs print.
      Object.assign(this, {
        dev: 0, mode: mode | (KINDS[type] ?? 0), nlink: 1, uid: 1000, gid: 1000, rdev: 0, blksize: 4096, ino: 0,
        size, blocks: Math.ceil(size / 512), atimeMs, mtimeMs, ctimeMs, birthtimeMs,
      });
      for (const time of TIMES) this[time] = new Date(this[`${time}Ms`]);
      internal.hidden(this, 'type', type);
    }
    isFile() {
      return this.type === 'file';
    }
    isDirectory() {
      return this.type === 'directory';
    }
    isSymbolicLink() {
      return this.type === 'symlink';
    }
  }

  // The same in whole numbers, with nanoseconds.
  class BigIntStats extends Stats {
    constructor(looked) {
      super(looked);
      for (const [name, value] of Object.entries(this)) if (typeof value === 'number') this[name] = BigInt(Math.floor(value));
      for (const time of TIMES) this[`${time}Ns`] = BigInt(Math.round(looked[`${time}Ms`] ?? looked.ctimeMs)) * 1_000_000n;
    }
  }
  const statsOf = (options) => (looked) => (options?.bigint ? new BigIntStats(looked) : new Stats(looked));

  class Dirent {
    constructor(name, type, parentPath) {
      Object.assign(this, { name, parentPath, path: parentPath });
      internal.hidden(this, 'type', type);
    }
    isFile() {
      return this.type === 'file';
    }
    isDirectory() {
      return this.type === 'directory';
    }
    isSymbolicLink() {
      return this.type === 'symlink';
    }
  }

  // Kinds of file that the sandbox does not have.
  for (const name of ['isBlockDevice', 'isCharacterDevice', 'isFIFO', 'isSocket']) {
    const never = { [name]: () => false }[name];
    internal.hidden(Stats.prototype, name, never);
    internal.hidden(Dirent.prototype, name, never);
  }

  const entries = (listed, path, options) =>
    options?.withFileTypes
      ? listed.map(([name, type]) => new Dirent(name, type, path))
      : listed.map(([name]) => name);
  const appends = (options) => (`${options?.flag ?? ''}`.startsWith('a') ? 1 : 0);
  const removal = (options) => (options?.recursive ? 1 : 0) | (options?.force ? 2 : 0);

  // Each operation once: `on` is the calls that wait or those that cannot, `then` applies what
  // is left to do to their answer.
  const operations = (on, then) => ({
    readFile: (path, options) => then(on.read(pathOf(path)), (bytes) => read(bytes, options)),
    writeFile: (path, data, options) => on.write(pathOf(path), appends(options), contentOf(data)),
    appendFile: (path, data) => on.write(pathOf(path), 1, contentOf(data)),
    readdir: (path, options) =>
      then(on.list(pathOf(path)), (listed) => entries(listed, pathOf(path), options)),
    stat: (path, options) => then(on.look(pathOf(path), 1), statsOf(options)),
    lstat: (path, options) => then(on.look(pathOf(path), 0), statsOf(options)),
    access: (path) => then(on.look(pathOf(path), 1), () => undefined),
    mkdir: (path, options) => on.makeFolder(pathOf(path), options?.recursive ? 1 : 0),
    rm: (path, options) => on.remove(pathOf(path), removal(options)),
    rmdir: (path, options) => on.remove(pathOf(path), options?.recursive ? 1 : 4),
    chmod: (path, mode) => on.setMode(pathOf(path), modeOf(mode)),
    unlink: (path) => on.remove(pathOf(path), 0),
    rename: (from, to) => on.rename(pathOf(from), pathOf(to)),
    copyFile: (from, to) => then(on.read(pathOf(from)), (bytes) => on.write(pathOf(to), 0, bytes)),
  });

  // The words and numbers of the system's errors, as Node gives them.
  const ERRORS = {
    EPERM: [-1, 'operation not permitted'],
    ENOENT: [-2, 'no such file or directory'],
    EIO: [-5, 'i/o error'],
    EBADF: [-9, 'bad file descriptor'],
    EACCES: [-13, 'permission denied'],
    EEXIST: [-17, 'file already exists'],
    EXDEV: [-18, 'cross-device link not permitted'],
    ENOTDIR: [-20, 'not a directory'],
    EISDIR: [-21, 'illegal operation on a directory'],
    EINVAL: [-22, 'invalid argument'],
    EMFILE: [-24, 'too many open files'],
    EFBIG: [-27, 'file too large'],
    ENOSPC: [-28, 'no space left on device'],
    EROFS: [-30, 'read-only file system'],
    ENAMETOOLONG: [-36, 'name too long'],
    ENOTEMPTY: [-39, 'directory not empty'],
    ELOOP: [-40, 'too many symbolic links encountered'],
  };
  const CALLS = {
    readFile: 'open',
    writeFile: 'open',
    appendFile: 'open',
    readdir: 'scandir',
    rm: 'lstat',
    copyFile: 'copyfile',
  };
  const HAS_TARGET = ['rename', 'copyFile'];

  // Node's own error for a folder that `rm` was not told to empty.
  const folderError = (path) => {
    const message = `Path is a directory: rm returned EISDIR (is a directory) ${path}`;
    const place = { errno: 21, syscall: 'rm', path: `${path}` };
    const info = { code: 'EISDIR', message: 'is a directory', ...place };
    const error = Object.assign(new Error(message), { code: 'ERR_FS_EISDIR', info, ...place });
    return internal.hidden(error, 'name', 'SystemError');
  };

  // Gives an error of the system the message and members that scripts print and compare. A denial
  // stays as it is.
  const asNode = (error, name, [path, dest]) => {
    const known = ERRORS[error?.code];
    if (known === undefined || error.name === 'PermissionError') return error;
    if (name === 'rm' && error.code === 'EISDIR') return folderError(path);
    const isFolder = name === 'readFile' && error.code === 'EISDIR';
    const syscall = isFolder ? 'read' : (CALLS[name] ?? name);
    const [errno, words] = known;
    const former = error.message;
    let message = `${error.code}: ${words}, ${syscall}`;
    const members = { errno, code: error.code, syscall };
    if (!isFolder) {
      members.path = `${path}`;
      message += ` '${path}'`;
    }
    if (HAS_TARGET.includes(name)) {
      members.dest = `${dest}`;
      message += ` -> '${dest}'`;
    }
    delete error.code;
    delete error.path;
    Object.assign(error, members);
    internal.hidden(error, 'message', message);
    if (typeof error.stack === 'string') {
      internal.hidden(error, 'stack', error.stack.replace(former, () => message));
    }
    return error;
  };

  internal.files.Stats = Stats;
  internal.files.Dirent = Dirent;
  const waiting = operations(raw, (answer, next) => answer.then(next));
  const instant = operations(rawNow, (answer, next) => next(answer));
  const promises = {};
  const fs = { promises, constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 } };
  for (const name of Object.keys(waiting)) {
    promises[name] = async (...args) => {
      try {
        return await waiting[name](...args);
      } catch (error) {
        throw asNode(error, name, args);
      }
    };
    fs[`${name}Sync`] = (...args) => {
      try {
        return instant[name](...args);
      } catch (error) {
        const isStat = name === 'stat' || name === 'lstat';
        if (isStat && error?.code === 'ENOENT' && args[1]?.throwIfNoEntry === false) return undefined;
        throw asNode(error, name, args);
      }
    };
    fs[name] = (...args) => {
      const callback = args.pop();
      if (typeof callback !== 'function') {
        throw internal.wrongType('cb', 'of type function', args.length === 0 ? undefined : callback);
      }
      promises[name](...args).then((value) => callback(null, value), callback);
    };
  }
  const readFileNow = fs.readFileSync;
  fs.readFileSync = (path, options) =>
    isInput(path)
      ? read((internal.part('stdio'), internal.readInputNow()), options)
      : readFileNow(path, options);
  fs.existsSync = (path) => {
    try {
      rawNow.look(pathOf(path), 1);
      return true;
    } catch (error) {
      // Also where reading is refused: the answer must not tell what is there.
      if (typeof error?.code === 'string') return false;
      throw error;
    }
  };
  return fs;
});
