// The object that a tool is handed, made of the members it may see.
(function (native, internal) {
  'use strict';

  const { callFunction, members } = internal;
  const { beginBatch, endBatch } = native;

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
    return (args) => Reflect.apply(found, holder, args);
  };

  // An entry is a function that makes calls, or `{ method: 'fs.readFile', args: [...] }`.
  const prepare = (btcp, entry) => {
    if (typeof entry === 'function') return entry;
    const { method, args = entry?.params ?? [] } = entry ?? {};
    const call = find(btcp, method);
    return () => call(Array.isArray(args) ? args : [args]);
  };

  // Everything that the entries ask of the host goes over together; answers come in order.
  const batchOf = (btcp) =>
    async function batch(entries) {
      const prepared = Array.from(entries, (entry) => prepare(btcp, entry));
      if (!beginBatch()) throw new TypeError('btcp.batch: a batch inside a batch');
      const answers = [];
      try {
        for (const entry of prepared) answers.push(entry());
      } finally {
        endBatch();
      }
      return Promise.all(answers);
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
