// Packages: `node_modules`, and the members `exports` and `imports` of package.json. A search goes up
// to the folder that the script was given as its code, and beyond it only if it has found nothing:
// what is there may not be granted, and the host asks about it or notes the denial.
(function (native, internal) {
  'use strict';

  const { rawNow } = internal.files;
  const { dirname, resolve: resolvePath } = internal.part('paths');
  const root = native.scriptRoot();

  const isInside = (path) => root !== '' && (root === '/' || path === root || path.startsWith(`${root}/`));

  const nowhere = (name) =>
    new Error(`Cannot find module '${name}': the tool is not in a folder of the sandbox (hint: --code FOLDER)`);
  const notFound = (name, from) => {
    const error = root === '' ? nowhere(name) : new Error(`Cannot find module '${name}'\nRequire stack:\n- ${from}`);
    throw Object.assign(internal.coded(error, 'MODULE_NOT_FOUND'), { requireStack: [from] });
  };
  // The same for `import`, which Node reports in other words.
  const notImported = (name, from) => {
    const isPath = /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(name);
    const what = isPath ? `module '${name.startsWith('.') ? resolvePath(dirname(from), name) : name}'` : `package '${packageOf(name).name}'`;
    const error = root === '' ? nowhere(name) : new Error(`Cannot find ${what} imported from ${from}`);
    throw internal.coded(error, 'ERR_MODULE_NOT_FOUND');
  };
  // The name of a package, and the path in it.
  const packageOf = (text) => {
    const parts = text.split('/');
    const length = text.startsWith('@') ? 2 : 1;
    return { name: parts.slice(0, length).join('/'), subpath: ['.', ...parts.slice(length)].join('/') };
  };

  const kinds = new Map();
  // 'file', 'directory', or undefined if there is no such path.
  const kindOf = (path) => {
    if (root === '') return undefined;
    if (kinds.has(path)) return kinds.get(path);
    let kind;
    try {
      kind = rawNow.look(path, 1).type;
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    }
    kinds.set(path, kind);
    return kind;
  };

  const read = new Map();
  // The content of a package.json; undefined if there is none.
  const readJson = (path) => {
    if (read.has(path)) return read.get(path);
    let json;
    if (kindOf(path) === 'file') {
      try {
        json = JSON.parse(internal.decodeUtf8(rawNow.read(path)).replace(/^\uFEFF/, ''));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw internal.coded(new Error(`Invalid package config ${path}.`), 'ERR_INVALID_PACKAGE_CONFIG');
      }
    }
    read.set(path, json);
    return json;
  };

  // Nobody installs packages there, and a look at it would be a question or a denial.
  const isEverybodys = (folder) => !isInside(folder) && (folder === '/' || folder === '/home');
  // The folders from a path's own up to the root; for a path that is elsewhere, all.
  const foldersAbove = function* (path) {
    const isBeyond = !isInside(path);
    for (let folder = dirname(path); isBeyond || isInside(folder); folder = dirname(folder)) {
      if (!isEverybodys(folder)) yield folder;
      if (folder === '/') return;
    }
  };
  // Looks beyond the root, and finds nothing if that is denied.
  const quietly = (folder, look) => {
    try {
      return look();
    } catch (error) {
      if (isInside(folder) || error?.name !== 'PermissionError') throw error;
      return undefined;
    }
  };

  // The package that a file belongs to.
  const scopeOf = (path) => {
    for (const folder of foldersAbove(path)) {
      if (folder.endsWith('/node_modules')) return undefined;
      const json = quietly(folder, () => readJson(`${folder}/package.json`));
      if (json !== undefined && json !== null) return { folder, json };
    }
    return undefined;
  };

  const notExported = (subpath, folder) => {
    const what = subpath === '.' ? 'No "exports" main defined' : `Package subpath '${subpath}' is not defined by "exports"`;
    throw internal.coded(new Error(`${what} in ${folder}/package.json`), 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  };

  // A target of `exports` or `imports`: a text, the first of a list that fits, or conditions.
  const targetOf = (target, star, conditions) => {
    if (typeof target === 'string') return star === undefined ? target : target.replaceAll('*', star);
    if (target === null || typeof target !== 'object') return target === null ? null : undefined;
    if (Array.isArray(target)) {
      for (const one of target) {
        const found = targetOf(one, star, conditions);
        if (found !== undefined && found !== null) return found;
      }
      return undefined;
    }
    for (const [condition, one] of Object.entries(target)) {
      if (!conditions.includes(condition)) continue;
      const found = targetOf(one, star, conditions);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  // The entry of a table for a name: itself, or the pattern with the longest beginning.
  const matchOf = (table, name, conditions) => {
    if (Object.hasOwn(table, name) && !name.includes('*')) return targetOf(table[name], undefined, conditions);
    let best;
    for (const key of Object.keys(table)) {
      const at = key.indexOf('*');
      if (at === -1) {
        // A folder, as older packages write it.
        if (!key.endsWith('/') || !name.startsWith(key)) continue;
        if (best === undefined || key.length > best.before.length) best = { key, before: key, star: name.slice(key.length), isFolder: true };
        continue;
      }
      const [before, after] = [key.slice(0, at), key.slice(at + 1)];
      const fits = name.length >= key.length && name.startsWith(before) && name.endsWith(after);
      if (fits && (best === undefined || before.length > best.before.length)) {
        best = { key, before, star: name.slice(before.length, name.length - after.length) };
      }
    }
    if (best === undefined) return undefined;
    const { key, star, isFolder } = best;
    const found = targetOf(table[key], isFolder ? undefined : star, conditions);
    return isFolder && typeof found === 'string' ? found + star : found;
  };

  const exportsOf = (folder, exports, subpath, conditions) => {
    const isTable = exports !== null && typeof exports === 'object' && !Array.isArray(exports);
    const table = isTable && Object.keys(exports).some((key) => key.startsWith('.')) ? exports : { '.': exports };
    const target = matchOf(table, subpath, conditions);
    if (typeof target !== 'string') notExported(subpath, folder);
    return resolvePath(folder, target);
  };

  const inPackage = (folder, subpath, conditions, asPath) => {
    const json = readJson(`${folder}/package.json`);
    if (json?.exports !== undefined && json.exports !== null) {
      const path = exportsOf(folder, json.exports, subpath, conditions);
      if (kindOf(path) === 'file') return path;
      return undefined;
    }
    return asPath(subpath === '.' ? folder : `${folder}/${subpath.slice(2)}`);
  };

  return {
    kindOf,
    // Looks again for what was not there: a program may have written it since.
    forgetMissing() {
      for (const map of [kinds, read]) for (const [path, found] of map) if (found === undefined) map.delete(path);
    },
    notFound,
    notImported,
    readJson,
    scopeOf,
    // The file of a package's name, such as `lodash/fp` or `@scope/name`.
    resolvePackage(text, from, conditions, asPath) {
      const { name, subpath } = packageOf(text);
      const own = scopeOf(from);
      if (own?.json.name === name && own.json.exports !== undefined) {
        const found = inPackage(own.folder, subpath, conditions, asPath);
        if (found !== undefined) return found;
      }
      const inFolder = (folder) => {
        if (root === '' || folder.endsWith('/node_modules') || isEverybodys(folder)) return undefined;
        const place = `${folder === '/' ? '' : folder}/node_modules/${name}`;
        if (quietly(folder, () => kindOf(place)) !== 'directory') return undefined;
        return inPackage(place, subpath, conditions, asPath);
      };
      let last = from;
      for (const folder of foldersAbove(from)) {
        const found = inFolder(folder);
        if (found !== undefined) return found;
        last = folder;
      }
      while (last !== '/') {
        last = dirname(last);
        const found = inFolder(last);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    // What `#name` means in the package of a file: a path, or the name of another package.
    resolveImports(text, from, conditions) {
      const own = scopeOf(from);
      const target = own?.json.imports && matchOf(own.json.imports, text, conditions);
      if (typeof target !== 'string') return undefined;
      return target.startsWith('./') ? resolvePath(own.folder, target) : target;
    },
  };
});
