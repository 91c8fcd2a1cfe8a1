// The part of Bun's global object that programs reach for first.
(function (native, internal) {
  'use strict';

  const { files, process, runCommand } = internal;
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
      exists: async () => internal.nodeFs.promises.access(name).then(
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

  const streamOf = (bytes) =>
    new ReadableStream({
      async start(controller) {
        try {
          controller.enqueue(await bytes);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
      },
    });

  const spawn = (first, second = undefined) => {
    const [argv, options] = Array.isArray(first) ? [first, second] : [first.cmd, first];
    const done = runCommand(argv, { cwd: options?.cwd, env: options?.env, input: options?.stdin });
    const part = (name) => {
      const bytes = done.then((all) => all[name]);
      bytes.catch(() => {});
      return streamOf(bytes);
    };
    const exited = done.then((all) => all.exitCode);
    exited.catch(() => {});
    return { exited, stdout: part('stdout'), stderr: part('stderr') };
  };

  internal.hidden(globalThis, 'Bun', { env: process.env, file, write, spawn, version: '1.0.0' });
});
