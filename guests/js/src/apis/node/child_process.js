// node:child_process: commands of the sandbox.
(function (native, internal) {
  'use strict';

  const { run, ofShell, ofArguments } = internal.commands;
  const runNow = internal.hostCallNow('command.run', 'v', 'v');
  internal.part('buffer');
  const { decodeUtf8, toBuffer } = internal;
  const { EventTarget } = globalThis;

  const output = (bytes, options) => {
    const encoding = options?.encoding;
    return encoding === 'buffer' || encoding === null ? toBuffer(bytes) : decodeUtf8(bytes);
  };

  const failure = (what, done) =>
    Object.assign(new Error(`Command failed: ${what}\n${decodeUtf8(done.stderr)}`), {
      code: done.exitCode,
      status: done.exitCode,
      signal: null,
      stdout: decodeUtf8(done.stdout),
      stderr: decodeUtf8(done.stderr),
    });

  const withCallback = (what, wanted, options, callback) => {
    run(wanted).then(
      (done) => {
        const error = done.exitCode === 0 ? null : failure(what, done);
        callback?.(error, output(done.stdout, options), output(done.stderr, options));
      },
      (error) => (callback === undefined ? native.reportError(error) : callback(error, '', '')),
    );
  };

  const split = (args) => {
    const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    return [callback, ...args];
  };

  const instantly = (what, wanted, options) => {
    const done = runNow(wanted);
    if (done.exitCode !== 0) throw failure(what, done);
    return options?.encoding === undefined ? toBuffer(done.stdout) : output(done.stdout, options);
  };

  // The process as an event target with the few members that programs wait on.
  class ChildProcess extends EventTarget {
    pid = undefined;
    exitCode = null;
    #listeners = new Map();
    on(name, listener) {
      this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
      return this;
    }
    once(name, listener) {
      return this.on(name, listener);
    }
    emit(name, ...args) {
      for (const listener of this.#listeners.get(name) ?? []) listener(...args);
      return this.#listeners.has(name);
    }
  }

  const readable = () => {
    const stream = new ChildProcess();
    stream.setEncoding = () => stream;
    return stream;
  };

  const spawn = (file, args = [], options = {}) => {
    if (!Array.isArray(args)) [args, options] = [[], args];
    const child = new ChildProcess();
    child.stdout = readable();
    child.stderr = readable();
    const wanted = options.shell
      ? ofShell([file, ...args].join(' '), options)
      : ofArguments(file, args, options);
    run(wanted).then(
      (done) => {
        for (const name of ['stdout', 'stderr']) {
          if (done[name].length > 0) child[name].emit('data', toBuffer(done[name]));
          child[name].emit('end');
        }
        child.exitCode = done.exitCode;
        child.emit('exit', done.exitCode, null);
        child.emit('close', done.exitCode, null);
      },
      (error) => {
        if (!child.emit('error', error)) native.reportError(error);
      },
    );
    return child;
  };

  const childProcess = {
    exec(text, ...rest) {
      const [callback, options] = split(rest);
      withCallback(text, ofShell(text, options), options, callback);
    },
    execFile(file, ...rest) {
      const [callback, ...given] = split(rest);
      const [args, options] = Array.isArray(given[0]) ? given : [[], given[0]];
      withCallback(file, ofArguments(file, args, options), options, callback);
    },
    execSync: (text, options) => instantly(text, ofShell(text, options), options),
    execFileSync: (file, args, options) => instantly(file, ofArguments(file, args, options), options),
    spawn,
    spawnSync(file, args, options) {
      const done = runNow(ofArguments(file, args, options));
      return {
        status: done.exitCode,
        stdout: toBuffer(done.stdout),
        stderr: toBuffer(done.stderr),
      };
    },
  };

  // Promisified, these two resolve to both outputs.
  const custom = Symbol.for('nodejs.util.promisify.custom');
  for (const name of ['exec', 'execFile']) {
    internal.hidden(childProcess[name], custom, (...args) =>
      new Promise((resolve, reject) =>
        childProcess[name](...args, (error, stdout, stderr) =>
          error ? reject(error) : resolve({ stdout, stderr }),
        ),
      ),
    );
  }
  return childProcess;
});
