// btcp.fs: the sandbox's files, and what node:fs is made of.
(function (native, internal) {
  'use strict';

  const { bytesOf, decodeUtf8, encodeUtf8, hostCall, hostCallNow } = internal;

  const TABLE = [
    ['read', 'file.read', 's', 'r'],
    ['write', 'file.write', 'sbr', ''],
    ['list', 'file.list', 's', 'v'],
    ['look', 'file.look', 'sb', 'v'],
    ['makeFolder', 'folder.make', 'sb', ''],
    ['remove', 'file.remove', 'sb', ''],
    ['rename', 'file.rename', 'ss', ''],
    ['setMode', 'file.mode', 'su', ''],
  ];
  const raw = { __proto__: null };
  const rawNow = { __proto__: null };
  for (const [key, ...shape] of TABLE) {
    raw[key] = hostCall(...shape);
    rawNow[key] = hostCallNow(...shape);
  }

  const HOME = '/home/user';
  const { URL } = globalThis;
  const { decodeURIComponent } = globalThis;

  // The working directory; read from the host on first use, then changed by process.chdir only.
  let cwd;
  const workingDirectory = () => (cwd ??= native.scriptCwd());
  internal.workingDirectory = workingDirectory;
  internal.changeDirectory = (path) => {
    cwd = path;
  };

  // A path as the host takes it. The host itself resolves relative paths from the home folder.
  const pathOf = (path) => {
    let text = path;
    if (path instanceof URL && path.protocol === 'file:') text = decodeURIComponent(path.pathname);
    else if (typeof path !== 'string' && bytesOf(path) !== undefined) text = decodeUtf8(bytesOf(path));
    if (typeof text !== 'string') throw internal.wrongType('path', 'of type string or an instance of Buffer or URL', path);
    if (text.includes('\0')) {
      throw internal.coded(new TypeError(`The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received ${internal.inspect(path)}`), 'ERR_INVALID_ARG_VALUE');
    }
    if (text[0] === '/' || workingDirectory() === HOME || text === '') return text;
    return `${cwd}/${text}`;
  };

  const contentOf = (content) => {
    if (typeof content === 'string') return encodeUtf8(content);
    const view = bytesOf(content);
    if (view === undefined) {
      throw internal.wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', content);
    }
    return view;
  };

  // Permission bits: a number, or octal digits as in the shell.
  const modeOf = (mode) => {
    const bits = typeof mode === 'string' && /^[0-7]{1,5}$/.test(mode) ? Number.parseInt(mode, 8) : mode;
    if (typeof bits !== 'number') throw internal.wrongType('mode', 'a number or octal digits', mode);
    if (!Number.isInteger(bits) || bits < 0 || bits > 0xffff) {
      throw internal.coded(new RangeError(`mode ${mode}: not between 0 and 0o7777`), 'ERR_OUT_OF_RANGE');
    }
    // Programs pass on the mode that `stat` gave, with the kind of the file in it.
    return bits & 0o7777;
  };

  const encodingOf = (options, usual) => {
    const given = options !== null && typeof options === 'object' ? options.encoding : options;
    return given === undefined ? usual : given;
  };

  // Text for an encoding that means text, bytes for one that means bytes.
  const decode = (bytes, encoding) => {
    if (encoding === null || encoding === 'bytes' || encoding === 'binary') return bytes;
    if (/^utf-?8$/i.test(encoding)) return decodeUtf8(bytes);
    throw new TypeError(`Unknown encoding: ${encoding}; use 'utf8' for text or 'bytes'`);
  };

  const fs = {
    readFile: async (path, options) => decode(await raw.read(pathOf(path)), encodingOf(options, 'utf8')),
    writeFile: async (path, content, options) => {
      await raw.write(pathOf(path), options?.append || options?.flag === 'a' ? 1 : 0, contentOf(content));
    },
    readdir: async (path, options) => {
      const entries = await raw.list(pathOf(path));
      if (options?.withFileTypes) return entries.map(([name, type]) => ({ name, type }));
      return entries.map(([name]) => name);
    },
    stat: async (path) => raw.look(pathOf(path), 1),
    mkdir: async (path, options) => raw.makeFolder(pathOf(path), options?.recursive ? 1 : 0),
    rm: async (path, options) =>
      raw.remove(pathOf(path), (options?.recursive ? 1 : 0) | (options?.force ? 2 : 0)),
    unlink: async (path) => raw.remove(pathOf(path), 0),
    rmdir: async (path) => raw.remove(pathOf(path), 4),
    chmod: async (path, mode) => raw.setMode(pathOf(path), modeOf(mode)),
    rename: async (from, to) => raw.rename(pathOf(from), pathOf(to)),
    exists: async (path) => {
      try {
        await raw.look(pathOf(path), 1);
        return true;
      } catch (error) {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
        throw error;
      }
    },
  };

  internal.members.fs = () => ({ ...fs });
  internal.files = { __proto__: null, raw, rawNow, pathOf, contentOf, encodingOf, modeOf };
});
