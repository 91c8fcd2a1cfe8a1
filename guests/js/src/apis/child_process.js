// Commands of the sandbox: what node:child_process and Bun.spawn are made of.
(function (native, internal) {
  'use strict';

  const run = internal.hostCall('command.run', 'v', 'v');
  const runNow = internal.hostCallNow('command.run', 'v', 'v');
  const { decodeUtf8 } = internal;

  const command = (what, options = {}) => ({
    ...what,
    cwd: options.cwd === undefined ? undefined : `${options.cwd}`,
    env: options.env === undefined ? undefined : Object.entries(options.env).map(([k, v]) => [k, `${v}`]),
    stdin: options.input === undefined ? undefined : internal.files.contentOf(options.input),
  });
  const ofShell = (text, options) => command({ shell: `${text}` }, options);
  const ofArguments = (file, args, options) =>
    command({ argv: [`${file}`, ...(args ?? []).map(String)] }, options);

  internal.commands = { ofArguments, ofShell, run, runNow };
  internal.runCommand = (argv, options) => run(ofArguments(argv[0], argv.slice(1), options));
  internal.members.exec = () => async (what, options) => {
    const wanted = Array.isArray(what)
      ? ofArguments(what[0], what.slice(1), options)
      : ofShell(what, options);
    const { exitCode, stdout, stderr } = await run(wanted);
    return { exitCode, stdout: decodeUtf8(stdout), stderr: decodeUtf8(stderr) };
  };
});
