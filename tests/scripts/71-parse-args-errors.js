#!/usr/bin/env node
// Command lines that are right and wrong, for parseArgs.
'use strict';
const { parseArgs } = require('node:util');
const options = {
  name: { type: 'string', short: 'n', default: 'world' },
  verbose: { type: 'boolean', short: 'v' },
  tag: { type: 'string', multiple: true, short: 't' },
  count: { type: 'string' },
};
for (const args of [
  ['-n', 'Ada', '-v', 'file.txt'],
  ['--tag=a', '-tb', '--', '-x'],
  ['--no-verbose'],
  ['--unknown'],
  ['--name'],
  ['-vn', 'X'],
  ['pos'],
  ['--verbose=yes'],
]) {
  try {
    console.log(parseArgs({ args, options, allowPositionals: args[0] !== 'pos' }));
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
}
console.log(parseArgs({ args: ['--foo', '--bar=1', '-f', 'x'], strict: false }));
console.log(
  parseArgs({
    args: ['-f', '--bar', 'b', '--', 'c'],
    options: { foo: { type: 'boolean', short: 'f' }, bar: { type: 'string' } },
    tokens: true,
    allowPositionals: true,
  }).tokens,
);
console.log(parseArgs({ args: ['--no-color'], options: { color: { type: 'boolean' } }, allowNegative: true }));
