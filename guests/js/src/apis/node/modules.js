// `require`, and the files that `import` finds: Node's own modules first, then files of the script's
// folder and packages in `node_modules`.
(function (native, internal) {
  'use strict';

  const { dirname, resolve: resolvePath } = internal.part('paths');
  const { resolvePackage, resolveImports, readJson, kindOf, scopeOf, notFound, notImported, forgetMissing } = internal.part('packages');

  const BUILTIN = new Set([...native.moduleNames(), ...internal.libraryNames]);
  const builtinName = (text) => {
    const name = text.startsWith('node:') ? text.slice(5) : text;
    // `test` is a package of another name without its prefix.
    if (BUILTIN.has(name) && text !== 'test') return name;
    if (text.startsWith('node:')) {
      throw internal.coded(new Error(`No such built-in module: ${text}`), 'ERR_UNKNOWN_BUILTIN_MODULE');
    }
    return undefined;
  };

  const IMPORT = ['node', 'import', 'default'];
  const REQUIRE = ['node', 'require', 'default'];
  const ENDINGS = ['.js', '.json', '.cjs', '.mjs', '.ts', '.cts', '.mts'];
  // A TypeScript file imports its neighbour by the name that it will have as JavaScript.
  const AS_TYPESCRIPT = [['.js', '.ts'], ['.mjs', '.mts'], ['.cjs', '.cts']];

  const asFile = (path) => {
    if (kindOf(path) === 'file') return path;
    for (const ending of ENDINGS) if (kindOf(path + ending) === 'file') return path + ending;
    for (const [from, to] of AS_TYPESCRIPT) {
      const other = path.endsWith(from) ? path.slice(0, -from.length) + to : undefined;
      if (other !== undefined && kindOf(other) === 'file') return other;
    }
    return undefined;
  };

  const asFolder = (path) => {
    if (kindOf(path) !== 'directory') return undefined;
    const main = readJson(`${path}/package.json`)?.main;
    if (typeof main === 'string' && main !== '') {
      const target = resolvePath(path, main);
      const found = asFile(target) ?? asFile(`${target}/index`);
      if (found !== undefined) return found;
    }
    return asFile(`${path}/index`);
  };

  const asPath = (path) => asFile(path) ?? asFolder(path);

  // The file that a name means in a file at `from`, or the name of a module of Node's as `node:NAME`.
  const find = (name, from, conditions) => {
    const text = `${name}`;
    const builtin = builtinName(text);
    if (builtin !== undefined) return `node:${builtin}`;
    if (conditions === IMPORT && text.startsWith('data:')) return text;
    const known = locate(text, from, conditions);
    if (known !== undefined) return known;
    forgetMissing();
    return locate(text, from, conditions) ?? (conditions === IMPORT ? notImported : notFound)(text, from);
  };
  const locate = (text, from, conditions) => {
    if (text.startsWith('file:')) return asPath(decodeURIComponent(new URL(text).pathname));
    if (/^\.{0,2}\//.test(text) || text === '.' || text === '..') {
      const path = text.startsWith('/') ? resolvePath(text) : resolvePath(dirname(from), text);
      return text.endsWith('/') ? asFolder(path) : asPath(path);
    }
    if (text.startsWith('#')) {
      const target = resolveImports(text, from, conditions);
      if (target === undefined) return undefined;
      return /^[./]/.test(target) ? asPath(target) : find(target, from, conditions);
    }
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0];
    if (scheme !== undefined) {
      if (conditions !== IMPORT) return undefined;
      throw internal.coded(
        new Error(`Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol '${scheme}'`),
        'ERR_UNSUPPORTED_ESM_URL_SCHEME',
      );
    }
    return resolvePackage(text, from, conditions, asPath);
  };

  // The host counts a file that is read like this as part of the tool, which its grants are for.
  const readModule = internal.hostCallNow('module.read', 's', 'r');
  const decode = (path) => internal.decodeUtf8(readModule(path));

  // JavaScript of a file. The host strips the types of TypeScript, in another cell.
  const strip = internal.hostCallNow('types.strip', 'sr', 'r');
  const sourceOf = (path) =>
    /\.[mc]?ts$/.test(path) ? internal.decodeUtf8(strip(path, readModule(path))) : decode(path);

  const looksLikeModule = (source) => /^\s*(import\b(?!\s*\()|export\b)/m.test(source);

  const formatOf = (path) => {
    if (/\.m[jt]s$/.test(path)) return 'module';
    if (/\.c[jt]s$/.test(path)) return 'commonjs';
    if (path.endsWith('.json')) return 'json';
    return scopeOf(path)?.json.type === 'module' ? 'module' : 'unknown';
  };

  // The folders that packages are looked for in, from a folder up.
  const placesOf = (folder) => {
    const places = [];
    for (let at = folder; ; at = dirname(at)) {
      if (!at.endsWith('/node_modules')) places.push(at === '/' ? '/node_modules' : `${at}/node_modules`);
      if (at === '/') return places;
    }
  };

  const { Error } = globalThis;
  class Module {
    constructor(filename, parent) {
      this.id = filename;
      this.path = dirname(filename);
      this.exports = {};
      this.filename = filename;
      this.loaded = false;
      this.children = [];
      this.paths = placesOf(this.path);
      internal.hidden(this, 'parent', parent);
      internal.hidden(this, 'require', requireFrom(filename, this));
    }
  }

  const cache = { __proto__: null };
  let main;

  const compile = (module, source) => {
    const run = native.compileScript(source, module.filename);
    const { exports, filename, path } = module;
    Reflect.apply(run, exports, [exports, module.require, module, filename, path]);
  };

  // Runs a file for `require` and returns its exports. A file that turns out to be an ES module is
  // loaded as one.
  const runFile = (path, parent) => {
    const known = cache[path];
    if (known !== undefined) return known.exports;
    const format = formatOf(path);
    if (format === 'module') return requireModule(path);
    const module = new Module(path, parent);
    if (format === 'json') {
      cache[path] = module;
      module.exports = JSON.parse(decode(path).replace(/^\uFEFF/, ''));
      module.loaded = true;
      return module.exports;
    }
    const source = sourceOf(path);
    if (format === 'unknown' && looksLikeModule(source)) {
      try {
        native.compileScript(source, path);
      } catch {
        return requireModule(path);
      }
    }
    cache[path] = module;
    parent?.children.push(module);
    try {
      compile(module, source);
      module.loaded = true;
    } finally {
      if (!module.loaded) delete cache[path];
    }
    return module.exports;
  };

  const requireModule = (path) => {
    const namespace = native.requireModule(path);
    return 'module.exports' in namespace ? namespace['module.exports'] : namespace;
  };

  const load = (found, parent) =>
    found.startsWith('node:') ? internal.part(found.slice(5)) : runFile(found, parent);

  function requireFrom(filename, module) {
    const require = (name) => {
      if (typeof name !== 'string') throw internal.wrongType('id', 'of type string', name);
      if (name === '') throw internal.wrongValue('id', name);
      return load(find(name, filename, REQUIRE), module);
    };
    require.resolve = (name, options = undefined) => {
      if (typeof name !== 'string') throw internal.wrongType('request', 'of type string', name);
      const folders = options?.paths;
      if (folders !== undefined && !Array.isArray(folders)) throw internal.wrongValue('options.paths', folders);
      let missing;
      for (const from of folders?.map((folder) => `${resolvePath(folder)}/.`) ?? [filename]) {
        try {
          const found = find(name, from, REQUIRE);
          return found.startsWith('node:') ? name : found;
        } catch (error) {
          if (error.code !== 'MODULE_NOT_FOUND') throw error;
          missing ??= error;
        }
      }
      throw missing ?? notFound(name, filename);
    };
    require.resolve.paths = (name) => {
      if (typeof name !== 'string') throw internal.wrongType('request', 'of type string', name);
      if (builtinName(name) !== undefined) return null;
      return /^\.{1,2}(?:\/|$)/.test(name) ? [dirname(filename)] : placesOf(dirname(filename));
    };
    require.cache = cache;
    require.extensions = { __proto__: null };
    Object.defineProperty(require, 'main', { get: () => main, enumerable: true });
    return require;
  }

  // The main script as a CommonJS module.
  const startMain = () => {
    main = new Module(native.scriptPath(), null);
    main.id = '.';
    cache[main.filename] = main;
    return [main.require, main, main.exports, main.filename, main.path];
  };

  const pathOfUrl = (from) => {
    const text = `${from}`;
    return text.startsWith('file:') ? decodeURIComponent(new URL(text).pathname) : resolvePath(text);
  };

  // A module that is written in its own name.
  const dataModule = (url) => {
    const { type, bytes } = internal.dataContent(url);
    const text = internal.decodeUtf8(bytes);
    if (type === 'text/javascript' || type === 'application/javascript') return { source: text };
    if (type === 'application/json') return { exports: JSON.parse(text) };
    throw internal.coded(new TypeError(`Unknown module format: ${type} for URL ${url.slice(0, 60)}`), 'ERR_UNKNOWN_MODULE_FORMAT');
  };

  let plain;
  return {
    startMain,
    Module,
    cache,
    placesOf,
    builtinModules: [...BUILTIN],
    isBuiltin: (name) => BUILTIN.has(`${name}`.replace(/^node:/, '')),
    createRequire: (from) => requireFrom(pathOfUrl(from), undefined),
    // The global `require`, for code that is not a file.
    get require() {
      return (plain ??= requireFrom(native.scriptPath(), undefined));
    },
    // For `import`: the name of a module, then what to make of it.
    resolveImport: (name, from) => find(name, from, IMPORT),
    // For `import.meta.resolve`, which does not look if there is such a file.
    resolveName: (name, from) => (/^\.{0,2}\//.test(`${name}`) ? resolvePath(dirname(from), `${name}`) : find(name, from, IMPORT)),
    load(name) {
      if (name.startsWith('node:')) return { exports: internal.part(name.slice(5)) };
      if (name.startsWith('data:')) return dataModule(name);
      const format = formatOf(name);
      if (format === 'module') return { source: sourceOf(name) };
      if (format === 'unknown' && cache[name] === undefined) {
        const source = sourceOf(name);
        if (looksLikeModule(source)) {
          try {
            native.compileScript(source, name);
          } catch {
            return { source };
          }
        }
      }
      return { exports: runFile(name, undefined) };
    },
  };
});
