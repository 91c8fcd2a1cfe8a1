// Asks Node for the expectations of the case files that follow it, and writes them down. The diff
// must be read: `node tests/oracle.mjs && git diff tests/cases`.
import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';

const FOLLOWING = ['console', 'crypto', 'encoding', 'events', 'fetch', 'streams', 'timers', 'url'];
// Cases of Node's own modules, with `require` as a script has it.
const NODE = ['core', 'crypto', 'errors', 'intl', 'keys', 'streams'].map((name) => `node/${name}`);
const at = (name) => new URL(`cases/${name}`, import.meta.url);

// Replaces a row of frames with one: they name files and positions of the engine.
const withoutFrames = (text) => {
  const out = [];
  for (const line of text.split('\n')) {
    if (/^\s*(at |\.\.\. \d+ lines matching cause)/.test(line)) {
      if (out.at(-1)?.startsWith('    at …')) out.pop();
      out.push(line.endsWith(' {') ? '    at … {' : '    at …');
    } else {
      out.push(line);
    }
  }
  return out;
};

const inspectAll = () => {
  const file = at('node.inspect');
  const kept = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('| '));
  // One process for all: each expression ends with a line that no expression prints.
  const mark = '\u0001end';
  const program = kept
    .filter((line) => line.startsWith('> '))
    .map((line) => `console.log(${line.slice(2)}\n); console.log(${JSON.stringify(mark)});`)
    .join('\n');
  const source = `globalThis.self = globalThis;\n${program}`;
  const printed = execFileSync(process.execPath, ['--input-type=commonjs', '-e', source], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const answers = printed.split(`${mark}\n`);
  let next = 0;
  const result = kept.flatMap((line) => {
    if (!line.startsWith('> ')) return [line];
    const answer = withoutFrames(answers[next++].replace(/\n$/, ''));
    return [line, ...answer.map((text) => `| ${text}`)];
  });
  writeFileSync(file, result.join('\n'));
};

const block = (kind, text) => {
  if (text === '') return '';
  return `\`\`\`${kind}\n${text.replace(/\n?$/, '\n')}\`\`\`\n`;
};

const runCases = (name) => {
  const file = at(`${name}.md`);
  const text = readFileSync(file, 'utf8').replace(/```(stdout|stderr)\n[\s\S]*?```\n/g, '');
  const filled = text.replace(/```js\n([\s\S]*?)\n```\n/g, (all, source) => {
    const require = "globalThis.require = process.getBuiltinModule('module').createRequire('/');";
    const body = `globalThis.self = globalThis; ${name.startsWith('node/') ? require : ''} await (async () => {\n${source}\n})()`;
    const flags = ['--no-warnings', '--input-type=module', '-e', body];
    const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
    return all + block('stdout', stdout) + block('stderr', stderr);
  });
  writeFileSync(file, filled);
};

inspectAll();
[...FOLLOWING, ...NODE].forEach(runCases);
