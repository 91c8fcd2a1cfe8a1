// `require`, and what `import` finds.
(function (native, internal) {
  'use strict';

  const { process } = internal;

  const MODULES = {
    __proto__: null,
    process,
  };

  const require = (name) => {
    const text = `${name}`;
    const bare = text.startsWith('node:') ? text.slice(5) : text;
    const found = internal.builtIn(bare) ?? MODULES[bare];
    if (found !== undefined) return found;
    const known = [...new Set([...native.publicModules, ...Object.keys(MODULES)])].sort().join(', ');
    throw internal.coded(
      new Error(`Cannot find module '${text}': a tool is one file; it can load ${known}`),
      'MODULE_NOT_FOUND',
    );
  };
  internal.hidden(globalThis, 'require', require);
  native.keepRequire(require);
});
