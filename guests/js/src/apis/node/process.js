// `process`: the script's command line, variables, streams and end. Variables are the sandbox's and
// need a grant.
(function (native, internal) {
  'use strict';

  const get = internal.hostCallNow('variable.get', 's', 'v');
  const list = internal.hostCallNow('variable.list', '', 'v');
  const changed = new Map();

  // A variable that is not granted fails when it is read, not when `process.env` is: most
  // programs read one and no more. A variable that the tool writes changes for the tool and for
  // the commands it starts, until the run ends.
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

  internal.changedVariables = () => (changed.size === 0 ? undefined : [...changed]);

  const { performance, Error } = globalThis;
  const { writeErr } = native;

  // Listeners by event. Only the few events below ever happen.
  const listeners = new Map();
  let isExiting = false;
  const emit = (event, ...args) => {
    if (event === 'exit') isExiting = true;
    const called = listeners.get(event);
    if (called === undefined || called.length === 0) return false;
    for (const { listener, once } of [...called]) {
      if (once) process.off(event, listener);
      Reflect.apply(listener, process, args);
    }
    return true;
  };
  const listen = (event, listener, once) => {
    if (typeof listener !== 'function') throw internal.wrongType('listener', 'of type function', listener);
    if (listeners.size === 0) native.onProcessEvent(emit);
    listeners.set(event, [...(listeners.get(event) ?? []), { listener, once }]);
    return process;
  };

  const inUse = () => {
    const [heapTotal, heapUsed] = native.memoryUsage();
    return { rss: heapTotal, heapTotal, heapUsed, external: 0, arrayBuffers: 0 };
  };

  // Callbacks of nextTick; the guest runs them before the microtasks.
  const ticks = [];
  const runTicks = () => {
    for (let tick; (tick = ticks.shift()) !== undefined; ) {
      try {
        tick[0](...tick[1]);
      } catch (error) {
        native.reportError(error);
      }
    }
  };

  const exitCodeOf = (code) => {
    const number = Number(code ?? 0);
    if (Number.isNaN(number)) throw internal.wrongType('code', 'of type number', code);
    if (!Number.isInteger(number)) {
      const message = `The value of "code" is out of range. It must be an integer. Received ${internal.inspect(code)}`;
      throw internal.coded(new RangeError(message), 'ERR_OUT_OF_RANGE');
    }
    return number & 255;
  };

  const process = {
    env,
    // Read when it is first used: the image of Node's modules has a `process` and no script yet.
    get argv() {
      return (process.argv = ['/usr/bin/node', native.scriptPath(), ...native.scriptArguments()]);
    },
    set argv(value) {
      Object.defineProperty(process, 'argv', { value, writable: true });
    },
    argv0: 'node',
    execPath: '/usr/bin/node',
    execArgv: [],
    platform: 'linux',
    arch: 'wasm32',
    pid: 1,
    ppid: 0,
    title: 'node',
    version: 'v20.0.0',
    versions: { node: '20.0.0' },
    release: { name: 'node' },
    config: { variables: {} },
    features: { inspector: false, debug: false, uv: false, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: true, tls: true },
    allowedNodeEnvironmentFlags: new Set(),
    cwd: () => internal.workingDirectory(),
    chdir(path) {
      const target = internal.part('paths').resolve(`${path}`);
      const { rawNow } = internal.files;
      const failed = (code, words, errno) => {
        const message = `${code}: ${words}, chdir '${process.cwd()}' -> '${path}'`;
        return Object.assign(new Error(message), { errno, code, syscall: 'chdir', path: process.cwd(), dest: `${path}` });
      };
      let looked;
      try {
        looked = rawNow.look(target, 1);
      } catch (error) {
        throw error.code === 'ENOENT' ? failed('ENOENT', 'no such file or directory', -2) : error;
      }
      if (looked.type !== 'directory') throw failed('ENOTDIR', 'not a directory', -20);
      internal.changeDirectory(target);
    },
    umask: () => 0o22,
    getuid: () => 1000,
    geteuid: () => 1000,
    getgid: () => 1000,
    getegid: () => 1000,
    uptime: () => performance.now() / 1000,
    memoryUsage: Object.assign(inUse, { rss: () => inUse().rss }),
    cpuUsage(since = { user: 0, system: 0 }) {
      return { user: Math.round(performance.now() * 1000) - since.user, system: 0 };
    },
    resourceUsage: () => ({
      userCPUTime: Math.round(performance.now() * 1000), systemCPUTime: 0, maxRSS: Math.ceil(inUse().rss / 1024), sharedMemorySize: 0,
      unsharedDataSize: 0, unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0,
      fsWrite: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0,
    }),
    getActiveResourcesInfo: () => [],
    getgroups: () => [1000],
    getBuiltinModule: (name) => internal.library(`${name}`.replace(/^node:/, '')),
    hrtime: Object.assign(
      (since = [0, 0]) => {
        const now = performance.now();
        const seconds = Math.floor(now / 1000) - since[0];
        const nanoseconds = Math.round((now % 1000) * 1e6) - since[1];
        return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
      },
      { bigint: () => BigInt(Math.round(performance.now() * 1e6)) },
    ),
    nextTick(callback, ...args) {
      if (typeof callback !== 'function') throw internal.wrongType('callback', 'of type function', callback);
      if (ticks.length === 0) native.wantTicks(runTicks);
      if (internal.hasAsyncContext) callback = internal.inAsyncContext(callback);
      ticks.push([callback, args]);
    },
    get exitCode() {
      return native.exitCode();
    },
    set exitCode(code) {
      native.setExitCode(code === undefined || code === null ? undefined : exitCodeOf(code));
    },
    // Ends the run at once; nothing in the tool can catch it.
    exit(code = native.exitCode() ?? 0) {
      const number = exitCodeOf(code);
      native.setExitCode(number);
      if (!isExiting) emit('exit', number);
      native.exit(native.exitCode() ?? number);
    },
    abort: () => native.exit(134),
    kill(pid, signal = 'SIGTERM') {
      // Signal 0 asks if the process exists.
      if (pid === process.pid && signal === 0) return true;
      throw Object.assign(internal.coded(new Error('kill ESRCH'), 'ESRCH'), { errno: -3, syscall: 'kill' });
    },
    on: (event, listener) => listen(event, listener, false),
    addListener: (event, listener) => listen(event, listener, false),
    once: (event, listener) => listen(event, listener, true),
    prependListener: (event, listener) => listen(event, listener, false),
    off(event, listener) {
      const rest = (listeners.get(event) ?? []).filter((entry) => entry.listener !== listener);
      listeners.set(event, rest);
      return process;
    },
    removeListener: (event, listener) => process.off(event, listener),
    removeAllListeners(event = undefined) {
      if (event === undefined) listeners.clear();
      else listeners.delete(event);
      return process;
    },
    emit,
    listeners: (event) => (listeners.get(event) ?? []).map((entry) => entry.listener),
    listenerCount: (event) => (listeners.get(event) ?? []).length,
    setMaxListeners: () => process,
    emitWarning(warning, type = undefined, code = undefined) {
      if (type !== null && typeof type === 'object') ({ type, code } = type);
      const error = warning instanceof Error ? warning : new Error(`${warning}`);
      if (error !== warning) internal.hidden(error, 'name', typeof type === 'string' ? type : 'Warning');
      if (typeof code === 'string') error.code = code;
      process.nextTick(() => {
        const mark = error.code === undefined ? '' : `[${error.code}] `;
        writeErr(`(node:${process.pid}) ${mark}${error.name}: ${error.message}\n`);
        emit('warning', error);
      });
    },
  };

  // Standard streams are made on first use.
  const stream = (name, make) =>
    Object.defineProperty(process, name, {
      get() {
        const value = make();
        Object.defineProperty(process, name, { value, enumerable: true, configurable: true, writable: true });
        return value;
      },
      enumerable: true,
      configurable: true,
    });
  stream('stdout', () => internal.part('stdio').output(1));
  stream('stderr', () => internal.part('stdio').output(2));
  stream('stdin', () => internal.part('stdio').input());
  Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
  return process;
});
