// The part of Bun's global object that programs reach for first.
(function (native, internal) {
  'use strict';

  const { files } = internal;
  const { next, ofArguments, startCommand, stopCommand } = internal.commands;
  const process = internal.part('process');
  const { Blob, ReadableStream } = globalThis;
  const { decodeUtf8, encodeUtf8 } = internal;

  const file = (path) => {
    const name = files.pathOf(path);
    const bytes = async () => files.raw.read(name);
    return {
      name,
      bytes,
      arrayBuffer: async () => (await bytes()).buffer,
      text: async () => decodeUtf8(await bytes()),
      json: async () => JSON.parse(decodeUtf8(await bytes())),
      exists: async () => internal.part('fs').promises.access(name).then(
        () => true,
        (error) => {
          if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
          throw error;
        },
      ),
      write: (content) => write(name, content),
      delete: () => files.raw.remove(name, 0),
    };
  };

  const contentOf = async (content) => {
    if (content instanceof Blob || typeof content?.bytes === 'function') return content.bytes();
    return typeof content === 'string' ? encodeUtf8(content) : files.contentOf(content);
  };

  const write = async (path, content) => {
    const bytes = await contentOf(content);
    await files.raw.write(files.pathOf(typeof path === 'object' ? path.name : path), 0, bytes);
    return bytes.length;
  };

  // Output arrives as the command prints it.
  const spawn = (first, second = undefined) => {
    const [argv, options] = Array.isArray(first) ? [first, second] : [first.cmd, first];
    const wanted = ofArguments(argv[0], argv.slice(1), { cwd: options?.cwd, env: options?.env, input: options?.stdin });
    const started = startCommand(wanted);
    const child = { killed: false, exitCode: null };
    const into = {};
    for (const name of ['stdout', 'stderr']) {
      child[name] = new ReadableStream({ start: (controller) => void (into[name] = controller) });
    }
    const follow = async () => {
      const number = await started;
      for (;;) {
        const event = await next(number);
        const bytes = event.slice(event[0] === 0 ? 5 : 1);
        if (event[0] === 1) into.stdout.enqueue(bytes);
        else if (bytes.length > 0) into.stderr.enqueue(bytes);
        if (event[0] === 0) return new DataView(event.buffer, event.byteOffset).getInt32(1, true);
        // 128 and the number of SIGTERM.
        if (event[0] === 3) return 143;
      }
    };
    child.exited = follow().then(
      (code) => {
        child.exitCode = code;
        for (const name of ['stdout', 'stderr']) into[name].close();
        return code;
      },
      (error) => {
        for (const name of ['stdout', 'stderr']) into[name].error(error);
        throw error;
      },
    );
    child.exited.catch(() => {});
    child.kill = () => {
      child.killed = true;
      started.then(stopCommand, () => {});
    };
    return child;
  };

  return { env: process.env, file, write, spawn, version: '1.0.0' };
});
