#!/usr/bin/env node
const args = process.argv.slice(2);
const options = {};
const rest = [];
for (let i = 0; i < args.length; i++) {
  if (args[i].startsWith('--')) {
    const [key, value] = args[i].slice(2).split('=');
    options[key] = value ?? true;
  } else {
    rest.push(args[i]);
  }
}
console.log({ options, rest });
if (!options.name) {
  console.error('usage: greet --name=NAME');
  process.exitCode = 2;
}
