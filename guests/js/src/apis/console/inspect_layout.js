// Puts inspected parts on lines: quoting, columns for long arrays, one line or many.
(function (native, internal) {
  'use strict';

  const {
    arrayJoin,
    arrayPush,
    charCodeAt,
    includes,
    numberToString,
    padEnd,
    padStart,
    regExpExec,
    repeat,
    slice,
  } = internal.primordials;
  const { max, min, round, sqrt, floor } = Math;
  const { textWidth } = native;

  const PLAIN = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/;
  const ASCII = /^[\x20-\x7e]*$/;
  const SHORT = {
    __proto__: null,
    8: '\\b',
    9: '\\t',
    10: '\\n',
    12: '\\f',
    13: '\\r',
    92: '\\\\',
  };

  const hexByte = (code) => '0123456789ABCDEF'[code >> 4] + '0123456789ABCDEF'[code & 15];

  const bestQuote = (text) => {
    if (!includes(text, "'")) return "'";
    if (!includes(text, '"')) return '"';
    return includes(text, '`') || includes(text, '${') ? "'" : '`';
  };

  const escape = (text, quote) => {
    const quoteCode = charCodeAt(quote, 0);
    let out = '';
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const code = charCodeAt(text, i);
      let with_;
      if (code < 32 || code === 92) {
        with_ = SHORT[code] ?? `\\x${hexByte(code)}`;
      } else if (code === quoteCode && code === 39) {
        with_ = "\\'";
      } else if (code >= 127 && code < 160) {
        with_ = `\\x${hexByte(code)}`;
      } else if (code >= 0xd800 && code < 0xe000) {
        const next = i + 1 < text.length ? charCodeAt(text, i + 1) : 0;
        if (code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
          i++;
          continue;
        }
        with_ = `\\u${numberToString(code, 16)}`;
      } else {
        continue;
      }
      out += slice(text, from, i) + with_;
      from = i + 1;
    }
    return from === 0 ? text : out + slice(text, from);
  };

  // A string literal in the quotes that need least escaping.
  const quote = (text) => {
    if (regExpExec(PLAIN, text) !== null) return `'${text}'`;
    const mark = bestQuote(text);
    return mark + escape(text, mark) + mark;
  };

  const width = (text) => (regExpExec(ASCII, text) !== null ? text.length : textWidth(text));

  // Arrays of more than six short entries go into aligned columns, numbers to the right.
  const columns = (ctx, output, hasMore, alignRight) => {
    const count = hasMore ? output.length - 1 : output.length;
    const gap = 2;
    const widths = [];
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
      const w = width(output[i]);
      arrayPush(widths, w);
      total += w + gap;
      if (w > widest) widest = w;
    }
    const cell = widest + gap;
    if (cell * 3 + ctx.indent >= ctx.breakLength) return output;
    if (total / cell <= 5 && widest > 6) return output;
    // A character is about two and a half times as high as wide; aim at a square.
    const bias = sqrt(cell - total / output.length);
    const biased = max(cell - 3 - bias, 1);
    const across = min(
      round(sqrt(2.5 * biased * count) / biased),
      floor((ctx.breakLength - ctx.indent) / cell),
      ctx.compact * 4,
      15,
    );
    if (across <= 1) return output;
    const lineWidths = [];
    for (let column = 0; column < across; column++) {
      let w = 0;
      for (let i = column; i < count; i += across) if (widths[i] > w) w = widths[i];
      arrayPush(lineWidths, w + gap);
    }
    const lines = [];
    for (let start = 0; start < count; start += across) {
      const end = min(start + across, count);
      let line = '';
      for (let i = start; i < end; i++) {
        const last = i === end - 1;
        const pad = lineWidths[i - start] + output[i].length - widths[i];
        if (alignRight) {
          line += last ? padStart(output[i], pad - gap) : padStart(`${output[i]}, `, pad);
        } else {
          line += last ? output[i] : padEnd(`${output[i]}, `, pad);
        }
      }
      arrayPush(lines, line);
    }
    if (hasMore) arrayPush(lines, output[count]);
    return lines;
  };

  const fitsOneLine = (ctx, output, start, base) => {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (let i = 0; i < output.length; i++) {
      total += output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === '' || !includes(base, '\n');
  };

  // Joins the parts of one object. `list` is set for arrays: { hasMore, alignRight }.
  const join = (ctx, output, base, open, close, list, depth) => {
    const head = base === '' ? open : `${base} ${open}`;
    if (ctx.compact === true) {
      const start = output.length + ctx.indent + open.length + base.length + 10;
      if (fitsOneLine(ctx, output, start, base)) {
        const line = arrayJoin(output, ', ');
        if (!includes(line, '\n')) return `${head} ${line} ${close}`;
      }
      const lineBreak = `\n${repeat(' ', ctx.indent)}`;
      const between = open.length === 1 && base === '' ? ' ' : `${lineBreak}  `;
      return `${head}${between}${arrayJoin(output, `,${lineBreak}  `)} ${close}`;
    }
    if (ctx.compact >= 1) {
      const entries = output.length;
      if (list !== undefined && entries > 6) {
        output = columns(ctx, output, list.hasMore, list.alignRight);
      }
      if (ctx.deepest - depth < ctx.compact && entries === output.length) {
        const start = output.length + ctx.indent + open.length + base.length + 10;
        if (fitsOneLine(ctx, output, start, base)) {
          const line = arrayJoin(output, ', ');
          if (!includes(line, '\n')) return `${head} ${line} ${close}`;
        }
      }
    }
    const lineBreak = `\n${repeat(' ', ctx.indent)}`;
    return `${head}${lineBreak}  ${arrayJoin(output, `,${lineBreak}  `)}${lineBreak}${close}`;
  };

  internal.layout = { __proto__: null, quote, escape, join, width };
});
