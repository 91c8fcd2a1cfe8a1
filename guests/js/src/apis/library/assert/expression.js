// The call of `assert` in a tool's own text, for the message of an assertion that has none.
import { native } from 'host';

const OPENING = { ')': '(', ']': '[' };

// Returns the place of the first character that is not in a word or a chain of members before `end`.
const chainStart = (text, end) => {
  let at = end;
  for (;;) {
    const dots = /\s*\??\.\s*$/.exec(text.slice(0, at));
    if (dots !== null) at -= dots[0].length;
    else if (at !== end || !/[[(]/.test(text[at])) return at;
    const word = /[\w$\u0080-\uffff]+$/.exec(text.slice(0, at));
    const last = text[at - 1];
    if (word !== null) at -= word[0].length;
    else if (last in OPENING) at = bracketStart(text, at);
    else return at;
    if (last === ']' || (word === null && /[\w$]$/.test(text.slice(0, at)))) at = chainStart(text, at);
  }
};
const bracketStart = (text, end) => {
  const last = text[end - 1];
  let depth = 0;
  let at = end;
  do {
    at -= 1;
    if (text[at] === last) depth += 1;
    if (text[at] === OPENING[last]) depth -= 1;
  } while (depth > 0 && at > 0);
  return at;
};

// Returns the place behind a string, a template, a comment or a regular expression that begins at `at`;
// undefined if none does.
const TOKENS = [
  /'(?:[^'\\\n]|\\[^])*'/y, /"(?:[^"\\\n]|\\[^])*"/y, /\/\/.*/y, /\/\*[^]*?\*\//y,
];
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const behind = (text, at) => {
  for (const token of TOKENS) {
    token.lastIndex = at;
    if (token.test(text)) return token.lastIndex;
  }
  if (text[at] === '`') return behindTemplate(text, at + 1);
  REGEXP.lastIndex = at;
  // A slash behind a value divides.
  if (text[at] === '/' && !/[\w$)\]]\s*$/.test(text.slice(0, at)) && REGEXP.test(text)) return REGEXP.lastIndex;
  return undefined;
};
const behindTemplate = (text, start) => {
  let at = start;
  while (at < text.length && text[at] !== '`') {
    if (text[at] === '\\') at += 2;
    else if (text.startsWith('${', at)) at = behindBracket(text, at + 1);
    else at += 1;
  }
  return at + 1;
};
const behindBracket = (text, start) => {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const next = behind(text, at);
    if (next !== undefined) {
      at = next;
      continue;
    }
    if ('([{'.includes(text[at])) depth += 1;
    if (')]}'.includes(text[at])) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return text.length;
};

// The text of the call at a line and column, as it is written there, and the column it begins in.
const callAt = (text, line, column) => {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  const at = start + column - 1;
  const begin = chainStart(text, at);
  const name = /^[\w$\u0080-\uffff]*/.exec(text.slice(at))[0];
  let open = at + name.length;
  // Members behind the name, up to the arguments.
  for (;;) {
    const more = /^\s*\??\.?\s*(?:[\w$\u0080-\uffff]+|(?=[[(]))/.exec(text.slice(open));
    if (more === null) return undefined;
    open += more[0].length;
    if (text[open] === '[') open = behindBracket(text, open);
    if (text[open] === '(') break;
    if (more[0] === '') return undefined;
  }
  let end = behindBracket(text, open);
  if (open === begin && text[end] === '(') end = behindBracket(text, end);
  return [text.slice(begin, end), begin - (text.lastIndexOf('\n', begin - 1) + 1)];
};

// The message for a call of `callee`; undefined if its place or text is not known.
export default (callee) => {
  const holder = {};
  Error.captureStackTrace(holder, callee);
  const [, file, line, column] = /^\s+at (?:.* \()?(.*?):(\d+):(\d+)\)?$/m.exec(holder.stack) ?? [];
  const source = file === undefined ? undefined : native.sourceOf(file);
  if (typeof source !== 'string') return undefined;
  const [call, indent] = callAt(source, Number(line), Number(column)) ?? [];
  if (call === undefined) return undefined;
  // As in Node, further lines are moved to the left with the first.
  const [first, ...rest] = call.split(/\r?\n/);
  const moved = rest.map((text) => `\n  ${text.slice(Math.min(indent, /^[ \t]*/.exec(text)[0].length))}`);
  return `The expression evaluated to a falsy value:\n\n  ${first}${moved.join('')}\n`;
};
