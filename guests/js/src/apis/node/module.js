// node:module.
(function (native, internal) {
  'use strict';

  const { createRequire, isBuiltin, builtinModules, Module } = internal.part('modules');
  return Object.assign(Module, { createRequire, isBuiltin, builtinModules, Module });
});
