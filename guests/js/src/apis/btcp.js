// The object that a tool is handed, made of the members it may see.
(function (native, internal) {
  'use strict';

  const { callFunction, members } = internal;
  const { beginBatch, endBatch, keptPromises } = native;

  const find = (btcp, method) => {
    let holder;
    let found = btcp;
    for (const name of `${method}`.split('.')) {
      holder = found;
      found = Object.hasOwn(holder ?? {}, name) ? holder[name] : undefined;
    }
    if (typeof found !== 'function') {
      throw new TypeError(`btcp.batch: there is no method '${method}' here`);
    }
    return { holder, found };
  };

  // An entry is a function that makes calls, or `{ method: 'fs.readFile', args: [...] }`. All are
  // looked at before the first is called.
  const prepare = (btcp, entries) => {
    const methods = new Map();
    return Array.from(entries, (entry) => {
      if (typeof entry === 'function') return { found: entry, holder: undefined, args: [] };
      const { method, args = entry?.params ?? [] } = entry ?? {};
      let target = methods.get(method);
      if (target === undefined) methods.set(method, (target = find(btcp, method)));
      const { holder, found } = target;
      return { holder, found, args: Array.isArray(args) ? args : [args] };
    });
  };

  // Everything that the entries ask of the host goes over together; answers come in order.
  const batchOf = (btcp) =>
    async function batch(entries) {
      const prepared = prepare(btcp, entries);
      if (!beginBatch()) throw new TypeError('btcp.batch: a batch inside a batch');
      const answers = [];
      try {
        for (const { holder, found, args } of prepared) {
          answers.push(Reflect.apply(found, holder, args));
        }
      } finally {
        endBatch();
      }
      const arePromises = answers.every((answer) => answer instanceof Promise);
      return (arePromises && keptPromises(answers)) || Promise.all(answers);
    };

  native.keepBtcpMaker((names) => {
    const btcp = {};
    for (const name of names) {
      if (name.startsWith('tools.')) {
        btcp.tools ??= {};
        const tool = name.slice('tools.'.length);
        internal.hidden(btcp.tools, tool, (args = {}) => callFunction(tool, args));
        Object.defineProperty(btcp.tools, tool, { enumerable: true });
      } else if (members[name] !== undefined) {
        btcp[name] = members[name]();
      }
    }
    btcp.batch = batchOf(btcp);
    return btcp;
  });
});
