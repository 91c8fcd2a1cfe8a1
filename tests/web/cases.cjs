// Reads the case files, in the format that crates/cofferdam/tests/cases describes.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const TOOLS = new Set(['js', 'js module', 'ts', 'ts module', 'sh']);

/** Returns every case below a folder, with its steps and what is expected of each. */
exports.readCases = function readCases(root) {
  // The package for browsers has no Python.
  const isOurs = (file) => file.endsWith('.md') && !file.startsWith('python/');
  const files = fs.readdirSync(root, { recursive: true }).filter(isOurs).sort();
  return files.flatMap((file) => parse(file.replace(/\.md$/, ''), fs.readFileSync(path.join(root, file), 'utf8')));
};

function parse(topic, text) {
  const cases = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line.startsWith('## ')) {
      cases.push({ name: `${topic}: ${line.slice(3)}`, limits: {}, files: {}, links: {}, grants: [], steps: [] });
    }
    const fence = /^`{3,}/.exec(line)?.[0];
    if (!fence) continue;
    const content = [];
    for (at++; lines[at]?.trimEnd() !== fence; at++) content.push(lines[at]);
    block(cases.at(-1), line.slice(fence.length).trim(), content.join('\n'));
  }
  return cases;
}

function block(one, info, text) {
  const each = (read) => text.split('\n').forEach(read);
  if (TOOLS.has(info)) {
    one.steps.push({ kind: info, source: text, args: one.args, expected: {} });
    one.args = undefined;
  } else if (info === 'args') one.args = JSON.parse(text);
  else if (info === 'limits') each((line) => {
    const [name, value] = line.split('=');
    one.limits[name.trim()] = Number(value.trim().replaceAll('_', ''));
  });
  else if (info === 'files') each((line) => {
    const link = line.indexOf(' -> ');
    if (link >= 0) one.links[line.slice(0, link)] = line.slice(link + 4);
    else one.files[line.slice(0, line.indexOf(': '))] = line.slice(line.indexOf(': ') + 2);
  });
  else if (info === 'grants') each((line) => one.grants.push(line));
  else if (info === 'clock') one.hasRealClock = true;
  else if (info === 'page') one.page = text;
  else if (info === 'boundary') one.boundary = text;
  else if (info === 'session') one.isSession = true;
  else one.steps.at(-1).expected[info] = text;
}
