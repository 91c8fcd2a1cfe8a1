// Commands of the sandbox: node:child_process, and what Bun.spawn is made of.
(function (native, internal) {
  'use strict';

  const run = internal.hostCall('command.run', 'v', 'v');
  const runNow = internal.hostCallNow('command.run', 'v', 'v');
  const { decodeUtf8, toBuffer } = internal;
  const { EventTarget } = globalThis;

  const command = (what, options = {}) => ({
    ...what,
    cwd: options.cwd === undefined ? undefined : `${options.cwd}`,
    env: options.env === undefined ? undefined : Object.entries(options.env).map(([k, v]) => [k, `${v}`]),
    stdin: options.input === undefined ? undefined : internal.files.contentOf(options.input),
  });
  const ofShell = (text, options) => command({ shell: `${text}` }, options);
  const ofArguments = (file, args, options) =>
    command({ argv: [`${file}`, ...(args ?? []).map(String)] }, options);

  const output = (bytes, options) => {
    const encoding = options?.encoding;
    return encoding === 'buffer' || encoding === null ? toBuffer(bytes) : decodeUtf8(bytes);
  };

  const failure = (what, done) =>
    Object.assign(new Error(`Command failed: ${what}\n${decodeUtf8(done.stderr)}`), {
      code: done.exitCode,
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

  internal.childProcess = {
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
  internal.runCommand = (argv, options) => run(ofArguments(argv[0], argv.slice(1), options));
  internal.members.exec = () => async (what, options) => {
    const wanted = Array.isArray(what)
      ? ofArguments(what[0], what.slice(1), options)
      : ofShell(what, options);
    const { exitCode, stdout, stderr } = await run(wanted);
    return { exitCode, stdout: decodeUtf8(stdout), stderr: decodeUtf8(stderr) };
  };
});
