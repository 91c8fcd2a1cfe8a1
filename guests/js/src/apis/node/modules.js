// `require`, and what `import` finds.
(function (native, internal) {
  'use strict';

  const { childProcess, nodeFs, path, process } = internal;
  const { Blob, Buffer, crypto, performance, TextDecoder, TextEncoder, URL, URLSearchParams } = globalThis;

  const custom = Symbol.for('nodejs.util.promisify.custom');
  const promisify = (callee) =>
    callee[custom] ??
    ((...args) =>
      new Promise((resolve, reject) =>
        callee(...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))),
      ));
  // Two results and not one, as Node has it for these.
  for (const name of ['exec', 'execFile']) {
    internal.hidden(childProcess[name], custom, (...args) =>
      new Promise((resolve, reject) =>
        childProcess[name](...args, (error, stdout, stderr) =>
          error ? reject(error) : resolve({ stdout, stderr }),
        ),
      ),
    );
  }

  const MODULES = {
    __proto__: null,
    buffer: { Blob, Buffer },
    child_process: childProcess,
    crypto: {
      webcrypto: crypto,
      randomUUID: () => crypto.randomUUID(),
      randomBytes: (size) => Buffer.from(crypto.getRandomValues(new Uint8Array(size))),
    },
    fs: nodeFs,
    'fs/promises': nodeFs.promises,
    os: {
      EOL: '\n',
      platform: () => 'linux',
      type: () => 'Linux',
      arch: () => 'wasm32',
      homedir: () => '/home/user',
      tmpdir: () => '/tmp',
      hostname: () => 'cofferdam',
      cpus: () => [],
    },
    path,
    'path/posix': path,
    perf_hooks: { performance },
    process,
    url: {
      URL,
      URLSearchParams,
      fileURLToPath: (url) => decodeURIComponent(new URL(url).pathname),
      pathToFileURL: (file) => new URL(`file://${path.resolve(file)}`),
    },
    util: {
      format: (...args) => internal.format(args),
      inspect: internal.inspect,
      promisify,
      TextDecoder,
      TextEncoder,
    },
  };

  const require = (name) => {
    const text = `${name}`;
    const found = MODULES[text.startsWith('node:') ? text.slice(5) : text];
    if (found !== undefined) return found;
    const known = Object.keys(MODULES).join(', ');
    throw internal.coded(
      new Error(`Cannot find module '${text}': a tool is one file; it can load ${known}`),
      'MODULE_NOT_FOUND',
    );
  };
  internal.hidden(globalThis, 'require', require);
  native.keepRequire(require);
});
