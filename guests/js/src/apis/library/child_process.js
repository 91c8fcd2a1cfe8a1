// `child_process`: commands of the sandbox. Output arrives as it is printed, and input is taken while
// the command runs.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';
import { Readable, Writable } from 'stream';

const { feed, next, ofArguments, ofShell, stopCommand } = internal.commands;
const startNow = internal.hostCallNow('command.start', 'v', 'v');
const nextNow = internal.hostCallNow('command.next', 'u', 'r');
const stopNow = internal.hostCallNow('command.stop', 'u', '');
// Events of a command; 0 is its end.
const [STDOUT, STDERR, STOPPED] = [1, 2, 3];
const TOOK_TOO_LONG = 'the command took too long\n';
const NOTHING = new Uint8Array(0);
const PIECE = 65536;
// Most bytes of each output that are collected, unless the program says otherwise.
const MOST = 1024 * 1024;
const custom = Symbol.for('nodejs.util.promisify.custom');

const bufferOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const shown = (bytes, encoding) =>
  encoding === undefined || encoding === null || encoding === 'buffer'
    ? bufferOf(bytes)
    : bufferOf(bytes).toString(encoding);

// The line that messages show.
const lineOf = (file, args) => [file, ...args].join(' ');
const wanted = (file, args, options) => {
  const { shell, ...rest } = options;
  return shell ? ofShell(lineOf(file, args), rest) : ofArguments(file, args, rest);
};

// What a shell reports for a command that does not exist is an error of `spawn` itself.
const isMissing = (stderr, options) =>
  !options.shell && /^(ExecError: [^:]*: no such file or directory|.*: command not found)\s*$/.test(bufferOf(stderr).toString());
const missing = (syscall, file, args) =>
  Object.assign(new Error(`${syscall} ${file} ENOENT`), {
    errno: -2,
    code: 'ENOENT',
    syscall: `${syscall} ${file}`,
    path: file,
    spawnargs: args,
  });

// A shell is what Node starts then.
const NUMBERS = { ENOBUFS: -105, ETIMEDOUT: -110 };
const ended = (code, file, args, { shell }) => {
  const [path, spawnargs] = shell ? ['/bin/sh', ['-c', lineOf(file, args)]] : [file, args];
  const syscall = `spawnSync ${path}`;
  return Object.assign(new Error(`${syscall} ${code}`), { errno: NUMBERS[code], code, syscall, path, spawnargs });
};
const checkFile = (name, file) => {
  if (typeof file !== 'string') throw internal.wrongType(name, 'of type string', file);
  const wrong = file === '' ? "'file' cannot be empty" : file.includes('\0') ? `'${name}' must be a string without null bytes` : undefined;
  if (wrong === undefined) return file;
  throw internal.coded(new TypeError(`The argument ${wrong}. Received ${internal.inspect(file)}`), 'ERR_INVALID_ARG_VALUE');
};

class ChildProcess extends EventEmitter {
  pid = undefined;
  exitCode = null;
  signalCode = null;
  killed = false;
  connected = false;
  kill(signal = 'SIGTERM') {
    const named = typeof signal === 'number' && signal !== 0 ? (SIGNALS[signal] ?? 'SIGTERM') : signal;
    return this[STOP]?.(named) ?? false;
  }
  ref() {}
  unref() {}
  disconnect() {}
  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    if (!this.killed) this.kill();
  }
}
const STOP = Symbol('stop');
const SIGNALS = { __proto__: null, 1: 'SIGHUP', 2: 'SIGINT', 9: 'SIGKILL', 13: 'SIGPIPE', 15: 'SIGTERM' };

// A stream that receives its content as the command prints it.
class Output extends Readable {
  _read() {}
}

// Standard input of a command: each piece is taken when the command has room for it.
const inputOf = (started) =>
  new Writable({
    write(chunk, encoding, done) {
      const bytes = Buffer.from(chunk, encoding);
      const send = async () => {
        const number = await started;
        for (let at = 0; at < bytes.length; at += PIECE) await feed(number, 0, bytes.subarray(at, at + PIECE));
      };
      // A command that has ended takes no more; Node reports that as EPIPE, on a stream that is
      // destroyed by then.
      send().then(() => done(), () => done());
    },
    final(done) {
      started.then((number) => feed(number, 1, NOTHING)).then(() => done(), () => done());
    },
  });

const start = (file, args, options) => {
  const child = new ChildProcess();
  child.spawnfile = options.shell ? '/bin/sh' : file;
  child.spawnargs = options.shell ? ['/bin/sh', '-c', lineOf(file, args)] : [options.argv0 ?? file, ...args];
  const inherits = (at) => options.stdio === 'inherit' || options.stdio?.[at] === 'inherit';
  const ignores = (at) => options.stdio === 'ignore' || options.stdio?.[at] === 'ignore';
  const own = (at) => !inherits(at) && !ignores(at);
  const isPiped = options.input === undefined && own(0);

  let begin;
  const started = new Promise((resolve, reject) => (begin = { resolve, reject }));
  started.catch(() => {});
  child.stdin = isPiped ? inputOf(started) : null;
  child.stdout = own(1) ? new Output() : null;
  child.stderr = own(2) ? new Output() : null;
  child.stdio = [child.stdin, child.stdout, child.stderr];

  let over = false;
  const atEnd = [];
  const end = () => {
    over = true;
    child.stdin?.destroy();
    for (const step of atEnd) step();
  };
  const show = (name, at, bytes) => {
    if (bytes.length === 0) return;
    if (inherits(at)) internal.part('process')[name].write(bytes);
    child[name]?.push(bytes);
  };
  const settle = (code, signal) => {
    end();
    [child.exitCode, child.signalCode] = [code, signal];
    child.stdout?.push(null);
    child.stderr?.push(null);
    child.emit('exit', code, signal);
    const left = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
    const close = () => child.emit('close', code, signal);
    if (left.length === 0) return close();
    let open = left.length;
    for (const stream of left) {
      stream.once('close', () => --open === 0 && close());
      // Nobody reads it: its end would never come.
      if (stream.listenerCount('data') === 0 && stream.listenerCount('readable') === 0) stream.resume();
    }
  };
  const failed = (error) => {
    end();
    child.stdout?.push(null);
    child.stderr?.push(null);
    child.emit('error', error);
    child.emit('close', -2, null);
  };

  let refused;
  try {
    child.pid = startNow({ ...wanted(file, args, options), piped: isPiped });
  } catch (error) {
    refused = error;
  }
  const follow = async () => {
    if (refused !== undefined) throw refused;
    const number = child.pid;
    child.emit('spawn');
    if (signalled !== null) stopCommand(number);
    begin.resolve(number);
    for (;;) {
      const event = await next(number);
      const bytes = bufferOf(event.subarray(1));
      if (event[0] === STDOUT) show('stdout', 1, bytes);
      else if (event[0] === STDERR) show('stderr', 2, bytes);
      else if (event[0] === STOPPED) return settle(null, signalled);
      else {
        const reason = bytes.subarray(4);
        if (isMissing(reason, options)) {
          child.pid = undefined;
          return failed(missing('spawn', file, args));
        }
        show('stderr', 2, reason);
        return settle(bytes.readInt32LE(0), null);
      }
    }
  };

  let signalled = null;
  child[STOP] = (signal) => {
    if (over) return false;
    // Signal 0 only asks if the command runs.
    if (signal === 0) return true;
    signalled ??= signal;
    child.killed = true;
    if (child.pid !== undefined) stopCommand(child.pid);
    return true;
  };
  if (options.timeout > 0) {
    const timer = setTimeout(() => child.kill(options.killSignal), options.timeout);
    atEnd.push(() => clearTimeout(timer));
  }
  const { signal } = options;
  if (signal !== undefined) {
    const abort = () => {
      if (!child.kill(options.killSignal)) return;
      const message = 'The operation was aborted';
      child.emit('error', Object.assign(new Error(message, { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    if (signal.aborted) setImmediate(abort);
    else signal.addEventListener('abort', abort, { once: true });
    atEnd.push(() => signal.removeEventListener('abort', abort));
  }
  // Listeners are added in this turn.
  setImmediate(() =>
    follow().catch((error) => {
      begin.reject(error);
      failed(error);
    }),
  );
  return child;
};

const split = (given) => {
  const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
  const args = Array.isArray(given[0]) ? given.shift().map(String) : [];
  return [args, given[0] ?? {}, callback];
};

const failureOf = (line, done, stdout, stderr) =>
  Object.assign(new Error(`Command failed: ${line}\n${bufferOf(done.stderr).toString()}`), {
    code: done.exitCode,
    killed: done.killed ?? false,
    signal: done.signal ?? null,
    cmd: line,
    stdout,
    stderr,
  });

const collect = (file, args, options, callback) => {
  const child = start(file, args, options);
  const encoding = options.encoding === undefined ? 'utf8' : options.encoding;
  const pieces = { stdout: [], stderr: [] };
  const { maxBuffer = MOST } = options;
  let failed = null;
  for (const name of ['stdout', 'stderr']) {
    let length = 0;
    child[name]?.on('data', (given) => {
      // A program may have set an encoding.
      const piece = typeof given === 'string' ? Buffer.from(given, child[name].readableEncoding) : given;
      const room = maxBuffer - length;
      length += piece.length;
      if (room >= 0) pieces[name].push(piece.subarray(0, room));
      if (length <= maxBuffer || failed !== null) return;
      failed = internal.coded(new RangeError(`${name} maxBuffer length exceeded`), 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER');
      failed.cmd = lineOf(file, args);
      child.kill(options.killSignal);
    });
  }
  const text = (name) => shown(Buffer.concat(pieces[name]), encoding);
  child.on('error', (error) => (failed = Object.assign(error, { cmd: lineOf(file, args) })));
  child.on('close', (code, signal) => {
    const [stdout, stderr] = [text('stdout'), text('stderr')];
    const done = { exitCode: code, killed: child.killed, signal, stderr: Buffer.concat(pieces.stderr) };
    const line = options.shell ? file : lineOf(file, args);
    const error = failed ?? (code === 0 ? null : failureOf(line, done, stdout, stderr));
    callback?.(error, stdout, stderr);
  });
  return child;
};

const exec = (command, ...rest) => {
  const [, options, callback] = split(rest);
  return collect(checkFile('command', command), [], { ...options, shell: true }, callback);
};
const execFile = (file, ...rest) => {
  const [args, options, callback] = split(rest);
  return collect(checkFile('file', file), args, options, callback);
};
// Promises of these have both outputs, as Node has it.
for (const callee of [exec, execFile]) {
  Object.defineProperty(callee, custom, {
    value: (...args) => {
      let child;
      const promise = new Promise((resolve, reject) => {
        child = callee(...args, (error, stdout, stderr) =>
          error ? reject(Object.assign(error, { stdout, stderr })) : resolve({ stdout, stderr }),
        );
      });
      promise.child = child;
      return promise;
    },
  });
}

const spawn = (file, ...rest) => {
  const [args, options] = split(rest);
  return start(checkFile('file', file), args, options);
};

// Runs a command to its end, and collects its output, until there are more than `most` bytes of a kind.
const collectNow = (command, most, show) => {
  const number = startNow(command);
  const pieces = [, [], []];
  const lengths = [, 0, 0];
  const take = (kind, bytes) => {
    if (show(kind, bytes)) return;
    if (!isFull()) pieces[kind].push(bytes);
    lengths[kind] += bytes.length;
  };
  const isFull = () => lengths[STDOUT] > most || lengths[STDERR] > most;
  let isStopped = false;
  for (;;) {
    const event = nextNow(number);
    const bytes = bufferOf(event.subarray(1));
    if (event[0] === STDOUT || event[0] === STDERR) {
      take(event[0], bytes);
      if (isStopped || !isFull()) continue;
      isStopped = true;
      stopNow(number);
      continue;
    }
    const done = { code: undefined, reason: NOTHING, status: null };
    if (isStopped) done.code = 'ENOBUFS';
    else if (event[0] !== STOPPED) {
      done.reason = bytes.subarray(4);
      if (bytes.toString('latin1', 4) === TOOK_TOO_LONG) done.code = 'ETIMEDOUT';
      else {
        done.status = bytes.readInt32LE(0);
        take(STDERR, done.reason);
      }
    }
    return { ...done, stdout: Buffer.concat(pieces[STDOUT]), stderr: Buffer.concat(pieces[STDERR]) };
  }
};

const spawnSync = (file, ...rest) => {
  const [args, options] = split(rest);
  checkFile('file', file);
  const inherits = (at) => options.stdio === 'inherit' || options.stdio?.[at] === 'inherit';
  const show = (kind, bytes) => {
    if (!inherits(kind)) return false;
    internal.part('process')[kind === STDOUT ? 'stdout' : 'stderr'].write(bytes);
    return true;
  };
  const done = collectNow({ ...wanted(file, args, options), timeout: options.timeout }, options.maxBuffer ?? MOST, show);
  if (isMissing(done.stderr, options)) {
    return { error: missing('spawnSync', file, args), status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const stdout = inherits(1) ? null : shown(done.stdout, options.encoding);
  const stderr = inherits(2) ? null : shown(done.stderr, options.encoding);
  const result = { status: done.status, signal: null, output: [null, stdout, stderr], pid: 0, stdout, stderr };
  if (done.code === undefined) return result;
  const signal = SIGNALS[options.killSignal] ?? options.killSignal ?? 'SIGTERM';
  return { error: ended(done.code, file, args, options), ...result, signal };
};

const orThrow = (line, result, options) => {
  if (result.error) throw Object.assign(result.error, { ...result, error: result.error });
  // Node passes errors of a command on, unless they were asked for.
  if (options.stdio === undefined && result.stderr.length > 0) internal.part('process').stderr.write(result.stderr);
  if (result.status === 0) return result.stdout;
  const stderr = result.stderr === null ? '' : `${result.stderr}`;
  throw Object.assign(new Error(`Command failed: ${line}${stderr === '' ? '' : `\n${stderr}`}`), result);
};
const execSync = (command, options = {}) =>
  orThrow(command, spawnSync(checkFile('command', command), [], { ...options, shell: true }), options);
const execFileSync = (file, ...rest) => {
  const [args, options] = split(rest);
  return orThrow(lineOf(file, args), spawnSync(file, args, options), options);
};

export default {
  ChildProcess,
  exec,
  execFile,
  execFileSync,
  execSync,
  fork() {
    throw internal.notAvailable('child_process.fork', 'use spawn with the command js');
  },
  spawn,
  spawnSync,
};
