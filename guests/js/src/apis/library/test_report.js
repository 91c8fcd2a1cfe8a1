// The report of `node:test` in the Test Anything Protocol, as Node writes it to a pipe.
import util from 'util';

const isPlain = (value) => typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof RegExp);

const yaml = (indent, name, value) => {
  const head = `${indent}  ${name}:`;
  if (value instanceof Date) return `${head} ${value.toISOString()}\n`;
  if (isPlain(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return `${head}\n`;
    return `${head}\n${entries.map(([key, item]) => yaml(`${indent}  `, key, item)).join('')}`;
  }
  if (typeof value === 'string' && value.includes('\n')) {
    return `${head} |-\n${value.split('\n').map((line) => `${indent}    ${line}\n`).join('')}`;
  }
  return `${head} ${util.inspect(value)}\n`;
};

const escape = (text) => `${text}`.replaceAll('\\', '\\\\').replaceAll('#', '\\#').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');

const frames = (stack) => {
  if (typeof stack !== 'string') return undefined;
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('cofferdam:'));
  return lines.length === 0 ? undefined : lines.map((line) => line.trim().slice(3)).join('\n');
};

const details = (item, indent) => {
  let text = `${indent}  ---\n${indent}  duration_ms: ${Number(item.duration.toFixed(6))}\n`;
  if (item.isSuite) text += `${indent}  type: 'suite'\n`;
  if (item.error !== undefined) {
    const { type, message, cause } = item.error;
    const isError = cause instanceof Error;
    if (item.place !== '') text += yaml(indent, 'location', item.place);
    text += yaml(indent, 'failureType', type);
    text += yaml(indent, 'error', message ?? (isError ? cause.message : typeof cause === 'string' ? cause : util.inspect(cause)));
    text += yaml(indent, 'code', (isError ? cause.code : undefined) ?? 'ERR_TEST_FAILURE');
    if (isError) {
      if (cause.name !== 'Error') text += yaml(indent, 'name', cause.name);
      if (cause.code === 'ERR_ASSERTION') {
        text += yaml(indent, 'expected', cause.expected);
        text += yaml(indent, 'actual', cause.actual);
        text += yaml(indent, 'operator', cause.operator);
      }
      const stack = frames(cause.stack);
      if (stack !== undefined) text += yaml(indent, 'stack', stack.includes('\n') ? stack : `${stack}\n`).replace(/\n[^\n]*\n$/, (end) => (stack.includes('\n') ? end : '\n'));
    }
  }
  return `${text}${indent}  ...\n`;
};

const directive = (word, value) => (value ? ` # ${word}${value === true ? '' : ` ${escape(value)}`}` : '');

const write = (item, number, indent, counts, out) => {
  if (item.isSuite) counts.suites++;
  else {
    counts.tests++;
    if (item.skipped) counts.skipped++;
    else if (item.todo) counts.todo++;
    else if (item.error === undefined) counts.pass++;
    else if (item.error.type === 'testTimeoutFailure' || item.error.type === 'cancelledByParent') counts.cancelled++;
    else counts.fail++;
  }
  out(`${indent}# Subtest: ${escape(item.name)}\n`);
  if (item.children.length > 0) {
    item.children.forEach((child, index) => write(child, index + 1, `${indent}    `, counts, out));
    out(`${indent}    1..${item.children.length}\n`);
  }
  const verdict = item.error === undefined ? 'ok' : 'not ok';
  const marks = item.skipped ? directive('SKIP', item.skipped) : directive('TODO', item.todo);
  out(`${indent}${verdict} ${number} - ${escape(item.name)}${marks}\n${details(item, indent)}`);
  for (const note of item.notes) out(`${indent}# ${escape(note)}\n`);
};

export const report = (root, out) => {
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  out('TAP version 13\n');
  root.children.forEach((item, index) => write(item, index + 1, '', counts, out));
  out(`1..${root.children.length}\n`);
  for (const [name, count] of Object.entries(counts)) out(`# ${name} ${count}\n`);
  out(`# duration_ms ${Number(performance.now().toFixed(6))}\n`);
  return counts;
};
