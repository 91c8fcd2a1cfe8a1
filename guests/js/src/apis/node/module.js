// node:module.
(function (native, internal) {
  'use strict';

  const { createRequire, isBuiltin, builtinModules, cache, Module, placesOf } = internal.part('modules');
  const requireOf = (parent) => parent?.require ?? createRequire(parent?.filename ?? `${internal.workingDirectory()}/.`);
  // Names that tools of packages use. What they replace is not asked when a module is loaded.
  const known = {
    _cache: cache,
    _extensions: { __proto__: null },
    _load: (request, parent) => requireOf(parent)(request),
    _nodeModulePaths: placesOf,
    _resolveFilename: (request, parent, isMain, options) => requireOf(parent).resolve(request, options),
    globalPaths: [],
    wrap: (script) => `(function (exports, require, module, __filename, __dirname) { ${script}\n});`,
    wrapper: ['(function (exports, require, module, __filename, __dirname) { ', '\n});'],
  };
  return Object.assign(Module, known, { createRequire, isBuiltin, builtinModules, Module });
});
