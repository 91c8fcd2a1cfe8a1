// Asks Node what console.log prints for each expression in cases/node.inspect and writes the
// answers below the expressions.
import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const file = new URL('cases/node.inspect', import.meta.url);
const lines = readFileSync(file, 'utf8').split('\n');
const kept = lines.filter((line) => !line.startsWith('| '));

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

// One process: each expression ends with a line that no expression prints.
const mark = '\u0001end';
const expressions = kept.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
const program = expressions
  .map((source) => `try { console.log(${source}\n) } catch (error) { console.log('threw', String(error)) }; console.log(${JSON.stringify(mark)});`)
  .join('\n');
const printed = execFileSync(process.execPath, ['--input-type=commonjs', '-e', `globalThis.self = globalThis;\n${program}`], {
  encoding: 'utf8', maxBuffer: 1 << 28,
});
const answers = printed.split(`${mark}\n`);
let next = 0;
const result = kept.flatMap((line) => {
  if (!line.startsWith('> ')) return [line];
  const answer = withoutFrames(answers[next++].replace(/\n$/, ''));
  return [line, ...answer.map((text) => `| ${text}`)];
});
writeFileSync(file, result.join('\n'));
