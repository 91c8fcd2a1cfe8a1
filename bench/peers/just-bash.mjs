// Measures just-bash: a shell and its commands in TypeScript, in Node's process, with files in memory.
import { pathToFileURL } from 'node:url';
import { measure, require, versionOf } from './measure.mjs';

const { Bash } = await import(pathToFileURL(require.resolve('just-bash')));

await measure({
  peer: 'just-bash',
  version: versionOf('just-bash'),
  async shell(script, input) {
    const shell = new Bash(input === undefined ? {} : { files: { '/data/in.txt': input } });
    const { stdout, stderr, exitCode } = await shell.exec(script);
    if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}: ${stderr}`);
    return stdout;
  },
});
process.exit(0);
