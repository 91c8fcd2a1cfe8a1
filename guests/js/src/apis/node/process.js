// `process`, as far as programs look at it: variables are the sandbox's, and need a grant.
(function (native, internal) {
  'use strict';

  const get = internal.hostCallNow('variable.get', 's', 'v');
  const list = internal.hostCallNow('variable.list', '', 'v');
  const changed = new Map();

  // A variable that is not granted fails when it is read, not when `process.env` is: most
  // programs read one and no more. What a tool writes stays with the tool.
  const read = (name) => {
    if (changed.has(name)) return changed.get(name);
    return get(name) ?? undefined;
  };
  const names = () => {
    const all = new Set(list());
    for (const [name, value] of changed) value === undefined ? all.delete(name) : all.add(name);
    return [...all];
  };
  const env = new Proxy(
    { __proto__: null },
    {
      get: (_, name) => (typeof name === 'symbol' ? undefined : read(name)),
      has: (_, name) => typeof name === 'string' && names().includes(name),
      ownKeys: () => names(),
      getOwnPropertyDescriptor(_, name) {
        if (typeof name !== 'string' || !names().includes(name)) return undefined;
        return { value: read(name), writable: true, enumerable: true, configurable: true };
      },
      set(_, name, value) {
        changed.set(name, `${value}`);
        return true;
      },
      deleteProperty(_, name) {
        changed.set(name, undefined);
        return true;
      },
      defineProperty(_, name, descriptor) {
        changed.set(name, `${descriptor.value}`);
        return true;
      },
    },
  );

  const { performance, queueMicrotask } = globalThis;
  const { writeErr, writeOut } = native;
  const stream = (write, fd) => ({
    fd,
    isTTY: false,
    write(text) {
      write(typeof text === 'string' ? text : internal.decodeUtf8(text));
      return true;
    },
  });
  internal.process = {
    env,
    argv: ['cofferdam', 'tool'],
    argv0: 'cofferdam',
    execArgv: [],
    platform: 'linux',
    arch: 'wasm32',
    pid: 1,
    ppid: 0,
    title: 'cofferdam',
    version: 'v20.0.0',
    versions: { node: '20.0.0' },
    stdout: stream(writeOut, 1),
    stderr: stream(writeErr, 2),
    cwd: () => '/home/user',
    uptime: () => performance.now() / 1000,
    hrtime: Object.assign(
      (since = [0, 0]) => {
        const now = performance.now();
        const seconds = Math.floor(now / 1000) - since[0];
        const nanoseconds = Math.round((now % 1000) * 1e6) - since[1];
        return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
      },
      { bigint: () => BigInt(Math.round(performance.now() * 1e6)) },
    ),
    nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
    exit(code = 0) {
      throw new Error(`process.exit(${code}) was called: a tool ends by returning or throwing`);
    },
    on: () => internal.process,
    once: () => internal.process,
    off: () => internal.process,
    emitWarning: (warning) => writeErr(`Warning: ${warning}\n`),
  };
  internal.hidden(globalThis, 'process', internal.process);
  internal.hidden(globalThis, 'global', globalThis);
});
