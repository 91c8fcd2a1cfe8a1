// node:fs over the sandbox's files: promises, callbacks, and calls that block.
(function (native, internal) {
  'use strict';

  const { contentOf, encodingOf, pathOf, raw, rawNow } = internal.files;
  const { decodeUtf8, toBuffer } = internal;

  const read = (bytes, options) => {
    const encoding = encodingOf(options, null);
    const buffer = toBuffer(bytes);
    if (encoding === null || encoding === 'buffer') return buffer;
    return /^utf-?8$/i.test(encoding) ? decodeUtf8(bytes) : buffer.toString(encoding);
  };

  class Stats {
    constructor(looked) {
      const { type, ...rest } = looked;
      Object.assign(this, rest);
      for (const time of ['atime', 'mtime', 'ctime']) this[time] = new Date(this[`${time}Ms`]);
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
    isFIFO() {
      return false;
    }
    isSocket() {
      return false;
    }
  }

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
    stat: (path) => then(on.look(pathOf(path), 1), (looked) => new Stats(looked)),
    lstat: (path) => then(on.look(pathOf(path), 0), (looked) => new Stats(looked)),
    access: (path) => then(on.look(pathOf(path), 1), () => undefined),
    mkdir: (path, options) => on.makeFolder(pathOf(path), options?.recursive ? 1 : 0),
    rm: (path, options) => on.remove(pathOf(path), removal(options)),
    rmdir: (path, options) => on.remove(pathOf(path), options?.recursive ? 1 : 4),
    unlink: (path) => on.remove(pathOf(path), 0),
    rename: (from, to) => on.rename(pathOf(from), pathOf(to)),
    copyFile: (from, to) => then(on.read(pathOf(from)), (bytes) => on.write(pathOf(to), 0, bytes)),
  });

  const waiting = operations(raw, (answer, next) => answer.then(next));
  const instant = operations(rawNow, (answer, next) => next(answer));
  const promises = {};
  const fs = { promises, constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 } };
  for (const name of Object.keys(waiting)) {
    promises[name] = async (...args) => waiting[name](...args);
    fs[`${name}Sync`] = (...args) => instant[name](...args);
    fs[name] = (...args) => {
      const callback = args.pop();
      if (typeof callback !== 'function') {
        throw internal.wrongType('cb', 'of type function', callback);
      }
      promises[name](...args).then((value) => callback(null, value), callback);
    };
  }
  fs.existsSync = (path) => {
    try {
      rawNow.look(pathOf(path), 1);
      return true;
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    }
  };
  internal.nodeFs = fs;
});
