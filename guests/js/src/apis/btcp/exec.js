// btcp.exec: commands of the sandbox, and what node:child_process and Bun.spawn are made of.
(function (native, internal) {
  'use strict';

  const run = internal.hostCall('command.run', 'v', 'v');
  const { decodeUtf8, workingDirectory } = internal;
  const HOME = '/home/user';

  const command = (what, options = {}) => {
    const cwd = options.cwd ?? (workingDirectory() === HOME ? undefined : workingDirectory());
    return {
      ...what,
      cwd: cwd === undefined ? undefined : internal.files.pathOf(cwd),
      env: options.env === undefined ? undefined : Object.entries(options.env).map(([k, v]) => [k, `${v}`]),
      // Variables that the tool has written to process.env; a whole environment replaces them too.
      set: options.env === undefined ? internal.changedVariables?.() : undefined,
      stdin: options.input === undefined ? undefined : internal.files.contentOf(options.input),
    };
  };
  const ofShell = (text, options) => command({ shell: `${text}` }, options ?? undefined);
  const ofArguments = (file, args, options) =>
    command({ argv: [`${file}`, ...(args ?? []).map(String)] }, options ?? undefined);

  internal.commands = {
    __proto__: null,
    run,
    startCommand: internal.hostCall('command.start', 'v', 'v'),
    next: internal.hostCall('command.next', 'u', 'r'),
    feed: internal.hostCall('command.feed', 'ubr', ''),
    stopCommand: internal.hostCall('command.stop', 'u', ''),
    ofShell,
    ofArguments,
  };
  internal.members.exec = () => async (what, options) => {
    const wanted = Array.isArray(what)
      ? ofArguments(what[0], what.slice(1), options)
      : ofShell(what, options);
    const { exitCode, stdout, stderr } = await run(wanted);
    return { exitCode, stdout: decodeUtf8(stdout), stderr: decodeUtf8(stderr) };
  };
});
