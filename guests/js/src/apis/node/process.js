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
    {},
    {
      get(target, name) {
        if (typeof name === 'symbol' || (name in target && !changed.has(name))) return target[name];
        return read(name);
      },
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

  // Events of the run and those that the program makes itself. The guest is told of the first listener.
  const { EventEmitter } = internal.library('events');
  const base = EventEmitter.prototype;
  let isHeard = false;
  let printsWarnings = true;
  let capture = null;
  const hear = () => {
    if (!isHeard) native.onProcessEvent(happened);
    isHeard = true;
  };
  const happened = (event, ...args) => {
    if (event !== 'uncaughtException') return process.emit(event, ...args);
    process.emit('uncaughtExceptionMonitor', ...args);
    if (capture === null) return process.emit(event, ...args);
    capture(args[0]);
    return true;
  };
  const own = {
    on(event, listener) {
      hear();
      return base.on.call(this, event, listener);
    },
    prependListener(event, listener) {
      hear();
      return base.prependListener.call(this, event, listener);
    },
    emit(event, ...args) {
      if (event === 'exit') process._exiting = true;
      return base.emit.call(this, event, ...args);
    },
    // The listener that prints warnings is one of them.
    removeAllListeners(...events) {
      if (events.length === 0 || events[0] === 'warning') printsWarnings = false;
      return base.removeAllListeners.apply(this, events);
    },
  };
  own.addListener = own.on;
  // Its own class, as Node has it.
  const proto = Object.create(base);
  internal.hidden(proto, 'constructor', Object.defineProperty(function () {}, 'name', { value: 'process' }));
  for (const [name, method] of Object.entries(own)) internal.hidden(proto, name, method);

  const SIGNALS = {
    __proto__: null, SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12,
    SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGWINCH: 28,
  };
  const signalOf = (signal) => {
    if (typeof signal === 'number') return Object.entries(SIGNALS).find(([, number]) => number === signal) ?? ['', signal];
    if (SIGNALS[signal] !== undefined) return [signal, SIGNALS[signal]];
    throw internal.coded(new TypeError(`Unknown signal: ${signal}`), 'ERR_UNKNOWN_SIGNAL');
  };

  let mask = 0o22;
  let hasHelped = false;
  const printWarning = (warning) => {
    const isDeprecation = warning.name === 'DeprecationWarning';
    if (!printsWarnings || (isDeprecation && process.noDeprecation)) return;
    const mark = warning.code ? `[${warning.code}] ` : '';
    let text = `(node:${process.pid}) ${mark}${warning}`;
    if (typeof warning.detail === 'string') text += `\n${warning.detail}`;
    if (!hasHelped) text += `\n(Use \`node --trace-${isDeprecation ? 'deprecation' : 'warnings'} ...\` to show where the warning was created)`;
    hasHelped = true;
    writeErr(`${text}\n`);
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
    _exiting: false,
    execPath: '/usr/bin/node',
    execArgv: [],
    platform: 'linux',
    arch: 'wasm32',
    pid: 1,
    ppid: 0,
    title: 'node',
    version: 'v20.20.0',
    versions: { node: '20.20.0', v8: '11.3.244.8-node.33', uv: '1.46.0', zlib: '1.3.1', modules: '115', openssl: '3.0.17', unicode: '15.1' },
    release: { name: 'node', lts: 'Iron' },
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
    umask(wanted = undefined) {
      const former = mask;
      if (wanted !== undefined) {
        const bits = typeof wanted === 'string' && /^[0-7]+$/.test(wanted) ? Number.parseInt(wanted, 8) : wanted;
        if (typeof bits !== 'number') throw internal.wrongType('mask', 'of type number', wanted);
        mask = bits & 0o777;
      }
      return former;
    },
    getuid: () => 1000,
    geteuid: () => 1000,
    getgid: () => 1000,
    getegid: () => 1000,
    uptime: () => performance.now() / 1000,
    memoryUsage: Object.assign(inUse, { rss: () => inUse().rss }),
    constrainedMemory: () => 0,
    availableMemory: () => inUse().heapTotal,
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
        if (!Array.isArray(since)) throw internal.wrongType('time', 'an instance of Array', since);
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
      if (!process._exiting) process.emit('exit', number);
      native.exit(native.exitCode() ?? number);
    },
    abort: () => native.exit(134),
    // A signal to the run itself is an event if something listens for it, and else its end.
    kill(pid, signal = 'SIGTERM') {
      if (pid != (pid | 0)) throw internal.wrongType('pid', 'of type number', pid);
      const [name, number] = signalOf(signal);
      if (pid !== process.pid) {
        throw Object.assign(internal.coded(new Error('kill ESRCH'), 'ESRCH'), { errno: -3, syscall: 'kill' });
      }
      if (number === 0) return true;
      if (process.listenerCount(name) > 0) setImmediate(() => process.emit(name, name, number));
      else if (name !== 'SIGCHLD' && name !== 'SIGCONT' && name !== 'SIGWINCH') native.exit(128 + number);
      return true;
    },
    setUncaughtExceptionCaptureCallback(callback) {
      if (callback !== null && typeof callback !== 'function') throw internal.wrongType('fn', 'of type function or null', callback);
      capture = callback;
      hear();
    },
    hasUncaughtExceptionCaptureCallback: () => capture !== null,
    emitWarning(warning, type = undefined, code = undefined) {
      let detail;
      if (type !== null && typeof type === 'object' && !Array.isArray(type)) ({ type, code, detail } = type);
      else if (typeof type === 'function') [type, code] = [undefined, undefined];
      if (type !== undefined && typeof type !== 'string') throw internal.wrongType('type', 'of type string', type);
      if (typeof code === 'function') code = undefined;
      if (code !== undefined && typeof code !== 'string') throw internal.wrongType('code', 'of type string', code);
      let error = warning;
      if (typeof warning === 'string') {
        error = new Error(warning);
        internal.hidden(error, 'name', type || 'Warning');
        if (code !== undefined) error.code = code;
        if (typeof detail === 'string') error.detail = detail;
      } else if (!(warning instanceof Error)) throw internal.wrongType('warning', 'of type string or an instance of Error', warning);
      if (error.name === 'DeprecationWarning') {
        if (process.noDeprecation) return;
        if (process.throwDeprecation) {
          process.nextTick(() => {
            throw error;
          });
          return;
        }
      }
      process.nextTick(() => {
        printWarning(error);
        process.emit('warning', error);
      });
    },
  };
  Object.setPrototypeOf(process, proto);
  EventEmitter.call(process);

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
