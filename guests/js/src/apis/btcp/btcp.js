// The object that a tool is handed, made of the members it may see.
(function (native, internal) {
  'use strict';

  const { callFunction, members, callNumber } = internal;
  const { beginBatch, callAll, endBatch, keptPromises } = native;

  const find = (btcp, method) => {
    let holder;
    let found = btcp;
    for (const name of method.split('.')) {
      holder = found;
      found = Object.hasOwn(holder ?? {}, name) ? holder[name] : undefined;
    }
    if (typeof found !== 'function') {
      throw new TypeError(`btcp.batch: there is no method '${method}' here`);
    }
    return { holder, found };
  };

  // Most entries of a batch name the same few methods.
  const finderOf = (btcp) => {
    const known = new Map();
    return (method) => {
      const name = `${method}`;
      let target = known.get(name);
      if (target === undefined) known.set(name, (target = find(btcp, name)));
      return target;
    };
  };

  // An entry is a function that makes calls, or `{ method: 'fs.readFile', args: [...] }`. All are
  // looked at before the first is called.
  const prepare = (entries, finder) =>
    entries.map((entry) => {
      if (typeof entry === 'function') return { found: entry, holder: undefined, args: [] };
      const { method, args = entry?.params ?? [] } = entry ?? {};
      return { ...finder(method), args: Array.isArray(args) ? args : [args] };
    });

  // Calls everything, and lets the calls to the host that come of it wait for each other.
  const gather = (prepared) => {
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

  // Sends all host calls of the entries in one crossing; answers come in order.
  const batchOf = (btcp) =>
    async function batch(entries) {
      const list = Array.isArray(entries) ? entries : Array.from(entries);
      const finder = finderOf(btcp);
      const answers = callAll(list, (method) => callNumber(finder(method).found));
      if (answers === undefined) return gather(prepare(list, finder));
      return answers.promises === undefined ? answers : Promise.all(answers.promises);
    };

  // Prototype of every `btcp`. A getter here is not listed among the members.
  const formerNames = {};
  Object.defineProperty(formerNames, 'tools', {
    get() {
      throw new TypeError('btcp.tools is now btcp.functions');
    },
  });

  // Names that the language itself looks up on any object.
  const asked = new Set(['then', 'toJSON', ...Object.getOwnPropertyNames(Object.prototype)]);

  // Prototype of `btcp.functions`, reached only by names that are not lent: a mistyped name says
  // which functions there are. `'name' in btcp.functions` still answers without an error.
  const notLent = (functions) =>
    new Proxy(Object.create(null), {
      get(_, name) {
        if (typeof name === 'symbol' || asked.has(name)) return Object.prototype[name];
        const known = Object.keys(functions).sort().join(', ');
        throw new TypeError(`btcp.functions.${name}: no such function; there are ${known}`);
      },
    });

  native.keepBtcpMaker(formerNames, (names) => {
    const btcp = Object.create(formerNames);
    for (const name of names) {
      if (name.startsWith('functions.')) {
        btcp.functions ??= {};
        const lent = name.slice('functions.'.length);
        internal.hidden(btcp.functions, lent, (args = {}) => callFunction(lent, args));
        Object.defineProperty(btcp.functions, lent, { enumerable: true });
      } else if (members[name] !== undefined) {
        btcp[name] = members[name]();
      }
    }
    if (btcp.functions !== undefined) {
      Object.setPrototypeOf(btcp.functions, notLent(btcp.functions));
    }
    // The name that some documents use; not listed, because it is no further member.
    if (btcp.localStorage !== undefined) internal.hidden(btcp, 'storage', btcp.localStorage);
    btcp.batch = batchOf(btcp);
    return btcp;
  });
});
