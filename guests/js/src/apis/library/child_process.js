// `child_process`: commands of the sandbox. The host runs a command to its end, so output arrives in
// one piece, and input is sent when it has ended.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';
import { Readable, Writable } from 'stream';

const { ofArguments, ofShell, run } = internal.commands;
const runNow = internal.hostCallNow('command.run', 'v', 'v');
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
const isMissing = (done, options) =>
  !options.shell && /^(ExecError: [^:]*: no such file or directory|.*: command not found)\s*$/.test(bufferOf(done.stderr).toString());
const missing = (syscall, file, args) =>
  Object.assign(new Error(`${syscall} ${file} ENOENT`), {
    errno: -2,
    code: 'ENOENT',
    syscall: `${syscall} ${file}`,
    path: file,
    spawnargs: args,
  });

class ChildProcess extends EventEmitter {
  pid = undefined;
  exitCode = null;
  signalCode = null;
  killed = false;
  connected = false;
  kill() {
    return false;
  }
  ref() {}
  unref() {}
  disconnect() {}
}

// A stream that gets all of its content at once.
class Output extends Readable {
  _read() {}
}

const start = (file, args, options) => {
  const child = new ChildProcess();
  child.spawnfile = file;
  child.spawnargs = [file, ...args];
  const inherits = (at) => options.stdio === 'inherit' || options.stdio?.[at] === 'inherit';
  const ignores = (at) => options.stdio === 'ignore' || options.stdio?.[at] === 'ignore';
  const own = (at) => !inherits(at) && !ignores(at);
  const input = [];
  const begin = (content) => {
    run(wanted(file, args, { ...options, input: content })).then(finished, failed);
  };
  child.stdin = own(0)
    ? new Writable({
        write(chunk, encoding, done) {
          input.push(Buffer.from(chunk, encoding));
          done();
        },
      })
    : null;
  child.stdout = own(1) ? new Output() : null;
  child.stderr = own(2) ? new Output() : null;
  child.stdio = [child.stdin, child.stdout, child.stderr];

  const settle = (code) => {
    child.exitCode = code;
    child.emit('exit', code, null);
    let left = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
    const close = () => child.emit('close', code, null);
    if (left.length === 0) return close();
    let open = left.length;
    for (const stream of left) {
      stream.once('close', () => --open === 0 && close());
      // Nobody reads it: its end would never come.
      if (stream.listenerCount('data') === 0 && stream.listenerCount('readable') === 0) stream.resume();
    }
  };
  const finished = (done) => {
    if (isMissing(done, options)) return failed(missing('spawn', file, args));
    for (const [name, at] of [['stdout', 1], ['stderr', 2]]) {
      if (inherits(at)) internal.part('process')[name].write(bufferOf(done[name]));
      if (child[name] === null) continue;
      if (done[name].length > 0) child[name].push(bufferOf(done[name]));
      child[name].push(null);
    }
    settle(done.exitCode);
  };
  const failed = (error) => {
    child.stdout?.push(null);
    child.stderr?.push(null);
    child.emit('error', error);
    child.emit('close', -2, null);
  };

  // A program that writes to the command does so in this turn, or has ended the input by its own
  // means; one that does not write gets its command started at once.
  setImmediate(() => {
    child.emit('spawn');
    if (options.input !== undefined) begin(options.input);
    else if (child.stdin === null || (input.length === 0 && !child.stdin.writableEnded && !child.stdin.writableCorked && !isPiped(child.stdin))) begin(undefined);
    else if (child.stdin.writableFinished) begin(Buffer.concat(input));
    else child.stdin.once('finish', () => begin(Buffer.concat(input)));
  });
  return child;
};
const isPiped = (stream) => stream.listenerCount('pipe') > 0 || stream.listenerCount('unpipe') > 0;

const split = (given) => {
  const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined;
  const args = Array.isArray(given[0]) ? given.shift().map(String) : [];
  return [args, given[0] ?? {}, callback];
};

const failureOf = (line, done, stdout, stderr) =>
  Object.assign(new Error(`Command failed: ${line}\n${bufferOf(done.stderr).toString()}`), {
    code: done.exitCode,
    killed: false,
    signal: null,
    cmd: line,
    stdout,
    stderr,
  });

const collect = (file, args, options, callback) => {
  const child = start(file, args, options);
  const encoding = options.encoding === undefined ? 'utf8' : options.encoding;
  const pieces = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr']) child[name]?.on('data', (piece) => pieces[name].push(piece));
  const text = (name) => shown(Buffer.concat(pieces[name]), encoding);
  let failed = null;
  child.on('error', (error) => (failed = Object.assign(error, { cmd: lineOf(file, args) })));
  child.on('close', (code) => {
    const [stdout, stderr] = [text('stdout'), text('stderr')];
    const done = { exitCode: code, stderr: Buffer.concat(pieces.stderr) };
    const line = options.shell ? file : lineOf(file, args);
    const error = failed ?? (code === 0 ? null : failureOf(line, done, stdout, stderr));
    callback?.(error, stdout, stderr);
  });
  return child;
};

const exec = (command, ...rest) => {
  const [, options, callback] = split(rest);
  return collect(`${command}`, [], { ...options, shell: true }, callback);
};
const execFile = (file, ...rest) => {
  const [args, options, callback] = split(rest);
  return collect(`${file}`, args, options, callback);
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
  return start(`${file}`, args, options);
};

const spawnSync = (file, ...rest) => {
  const [args, options] = split(rest);
  const done = runNow(wanted(`${file}`, args, options));
  if (isMissing(done, options)) {
    return { error: missing('spawnSync', file, args), status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const inherits = (at) => options.stdio === 'inherit' || options.stdio?.[at] === 'inherit';
  if (inherits(1)) internal.part('process').stdout.write(bufferOf(done.stdout));
  if (inherits(2)) internal.part('process').stderr.write(bufferOf(done.stderr));
  const stdout = inherits(1) ? null : shown(done.stdout, options.encoding);
  const stderr = inherits(2) ? null : shown(done.stderr, options.encoding);
  return { pid: 0, status: done.exitCode, signal: null, output: [null, stdout, stderr], stdout, stderr };
};

const orThrow = (line, result, options) => {
  if (result.error) throw result.error;
  // Node passes errors of a command on, unless they were asked for.
  if (options.stdio === undefined && result.stderr.length > 0) internal.part('process').stderr.write(result.stderr);
  if (result.status === 0) return result.stdout;
  const stderr = result.stderr === null ? '' : `${result.stderr}`;
  throw Object.assign(new Error(`Command failed: ${line}${stderr === '' ? '' : `\n${stderr}`}`), result);
};
const execSync = (command, options = {}) =>
  orThrow(command, spawnSync(`${command}`, [], { ...options, shell: true }), options);
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
