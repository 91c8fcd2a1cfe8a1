// Comfort for JavaScript behind the walls: a refusal becomes a PermissionError that says what to
// grant. Nothing here is a wall; a program may remove all of it and reaches nothing more.
'use strict';
const plainEnv = process.env;
const DEFAULT_PROXY = 'http://localhost:9998';

class PermissionError extends Error {
  constructor(denied, cause) {
    super(denied.message, cause ? { cause } : undefined);
    this.name = 'PermissionError';
    this.code = denied.code;
    this.requiredPermission = denied.requiredPermission;
    this.attemptedAction = denied.attemptedAction;
    this.requestId = denied.requestId;
  }
  toJSON() {
    const { code, requiredPermission, attemptedAction, requestId, message } = this;
    return { code, requiredPermission, attemptedAction, requestId, message };
  }
}
globalThis.PermissionError = PermissionError;
module.exports = { PermissionError };

// Deno has permissions of its own, which would refuse the questions below.
if (typeof Deno === 'undefined') install();

function install() {
  // Loading `fs` takes Bun longer than all the rest of its start: it is loaded when it is needed.
  let plainFs = null;
  const loadFs = () => {
    if (!plainFs) {
      const fs = require('fs');
      plainFs = { ...Object.fromEntries(['readFileSync', 'existsSync'].map((name) => [name, fs[name]])) };
      improve(fs);
    }
    return plainFs;
  };

  // The supervisor answers these paths itself; there are no such files.
  const ask = (name) => {
    try { return loadFs().readFileSync(name, 'utf8'); } catch (error) { return error; }
  };
  const denial = (name) => {
    const found = ask(name);
    return typeof found === 'string' ? JSON.parse(found) : null;
  };
  const better = (error) => {
    if (!error || error.code !== 'EACCES' || typeof error.path !== 'string') return error;
    const found = denial('/.cofferdam/denied' + require('path').resolve(error.path));
    return found ? new PermissionError(found, error) : error;
  };
  const throws = (act) => {
    try { return act(); } catch (error) { throw better(error); }
  };

  // Takes over everything that a function has: its name, `native`, and the hooks of `util.promisify`.
  const like = (plain, wrapped) => Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(plain));

  // Files. `exists` calls back without an error; a property with a getter loads streams.
  const improve = (fs) => {
    const plainOf = (object, name) => {
      const { value } = Object.getOwnPropertyDescriptor(object, name);
      return typeof value === 'function' && !/^[A-Z_]/.test(name) && !/^exists/.test(name) ? value : null;
    };
    for (const name of Object.keys(fs)) {
      const plain = plainOf(fs, name);
      if (!plain) continue;
      if (name.endsWith('Sync')) {
        fs[name] = like(plain, function (...words) { return throws(() => plain.apply(this, words)); });
      } else if (typeof fs[name + 'Sync'] === 'function') {
        fs[name] = like(plain, function (...words) {
          const done = words.at(-1);
          if (typeof done === 'function') words[words.length - 1] = (error, ...rest) => done(better(error), ...rest);
          return plain.apply(this, words);
        });
      }
    }
    for (const name of Object.keys(fs.promises)) {
      const plain = plainOf(fs.promises, name);
      if (!plain) continue;
      fs.promises[name] = like(plain, async function (...words) {
        try { return await plain.apply(this, words); } catch (error) { throw better(error); }
      });
    }
    try { require('module').syncBuiltinESMExports(); } catch { /* Not in this runtime. */ }
  };
  // Code on the command line of Bun that does not name `fs` can reach it only through a file.
  const words = process.execArgv ?? [];
  const option = words.findIndex((word) => /^(-e|-p|--eval|--print)$/.test(word));
  if (typeof Bun !== 'undefined' && option >= 0 && !/fs/.test(words[option + 1])) {
    Bun.plugin({ name: 'cofferdam', setup: (build) => build.onResolve({ filter: /./ }, () => { loadFs(); }) });
  } else {
    loadFs();
  }

  // The network. Only a denial of the broker has the header. Behind the walls a request reaches the
  // broker by itself; elsewhere it goes through the permission proxy, if there is one.
  const fetchPlain = globalThis.fetch;
  let isInside = null;
  const throughProxy = async (words) => {
    const wanted = new Request(...words);
    const body = ['GET', 'HEAD'].includes(wanted.method) ? undefined : await wanted.text();
    return fetchPlain((plainEnv.PROXY_URL || DEFAULT_PROXY) + '/proxy', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        url: wanted.url, method: wanted.method, headers: Object.fromEntries(wanted.headers), body,
      }),
      signal: wanted.signal,
    });
  };
  if (typeof fetchPlain === 'function') {
    globalThis.fetch = like(fetchPlain, async function fetch(...words) {
      isInside ??= loadFs().existsSync('/etc/cofferdam/ca.pem');
      const response = await (isInside ? fetchPlain.apply(this, words) : throughProxy(words));
      if (response.status === 403 && response.headers.get('cofferdam-denied')) {
        throw new PermissionError(await response.json());
      }
      return response;
    });
  }

  // Variables are asked for when they are needed. The trap is behind the environment and not around
  // it: `Bun.env` and `import.meta.env` are the same object, and assignments stay as they are.
  Object.setPrototypeOf(plainEnv, new Proxy(Object.prototype, {
    get(target, name, receiver) {
      if (typeof name !== 'string' || name in target || !/^\w+$/.test(name)) {
        return Reflect.get(target, name, receiver);
      }
      const found = ask('/.cofferdam/env/' + name);
      if (typeof found === 'string') return (plainEnv[name] = found);
      if (found.code === 'EACCES') {
        const refused = denial('/.cofferdam/denied-env/' + name);
        if (refused) throw new PermissionError(refused);
      }
      return undefined;
    },
  }));

  // Bun.
  if (typeof Bun !== 'undefined') {
    const betterly = (object, names) => {
      for (const name of names) {
        const plain = object[name];
        if (typeof plain !== 'function') continue;
        Object.defineProperty(object, name, {
          configurable: true,
          value: async (...words) => {
            try { return await plain.apply(object, words); } catch (error) { throw better(error); }
          },
        });
      }
      return object;
    };
    const wraps = { file: Bun.file, write: Bun.write, spawn: Bun.spawn, spawnSync: Bun.spawnSync };
    const replace = (name, value) => {
      try { Bun[name] = value; } catch { /* Fixed in this version. */ }
    };
    const refusedStart = (error, command) => {
      const first = (Array.isArray(command) ? command : command?.cmd)?.[0];
      if (error?.code !== 'EACCES' || typeof first !== 'string') return error;
      const found = denial('/.cofferdam/denied-exec/' + require('path').basename(first));
      return found ? new PermissionError(found, error) : error;
    };
    replace('file', (...words) => betterly(wraps.file(...words), ['text', 'json', 'arrayBuffer', 'bytes']));
    replace('write', async (...words) => {
      try { return await wraps.write(...words); } catch (error) { throw better(error); }
    });
    for (const name of ['spawn', 'spawnSync']) {
      replace(name, (...words) => {
        try { return wraps[name](...words); } catch (error) { throw refusedStart(error, words[0]); }
      });
    }
  }
}
