// Properties of CSS that stand for several others: how they are taken apart and put together.
(function (native, internal) {
  'use strict';

  const { cssColor, cssLength, cssValue, isWideKeyword, lineStyle, lineWidth } = internal;
  const SIDES = ['top', 'right', 'bottom', 'left'];

  // Splits at white space that is in no brackets or quotes.
  const words = (text) => text.match(/(?:[^\s"'(]|"[^"]*"?|'[^']*'?|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)?)+/g) ?? [];
  // name → { longs, split(text): values or undefined, join(values): text or undefined }
  const table = new Map();
  const define = (name, longs, split, join) => table.set(name, { longs, split, join });
  const all = (names, values) => {
    const kept = names.map((name, at) => cssValue(name, values[at]));
    return kept.includes(undefined) ? undefined : kept;
  };

  const four = (name, longs) =>
    define(
      name,
      longs,
      (text) => {
        const [top, right = top, bottom = top, left = right, ...rest] = words(text);
        return top === undefined || rest.length > 0 ? undefined : all(longs, [top, right, bottom, left]);
      },
      ([top, right, bottom, left]) => {
        if (left !== right) return `${top} ${right} ${bottom} ${left}`;
        if (bottom !== top) return `${top} ${right} ${bottom}`;
        return right === top ? top : `${top} ${right}`;
      },
    );
  const two = (name, longs) =>
    define(
      name,
      longs,
      (text) => {
        const [first, second = first, ...rest] = words(text);
        return first === undefined || rest.length > 0 ? undefined : all(longs, [first, second]);
      },
      ([first, second]) => (first === second ? first : `${first} ${second}`),
    );
  // Parts in any order, each at most once; `tests` tell which part a word is.
  const any = (longs, tests, initial) => ({
    longs,
    split(text) {
      const values = Array(longs.length).fill(undefined);
      const list = words(text);
      if (list.length === 0 || list.length > longs.length) return undefined;
      for (const word of list) {
        const at = tests.findIndex((test, index) => values[index] === undefined && test(word) !== undefined);
        if (at < 0) return undefined;
        values[at] = tests[at](word);
      }
      return values.map((value, at) => value ?? initial[at]);
    },
    join: (values) => values.filter((value, at) => value !== initial[at]).join(' ') || values[0],
  });
  const LINE_TESTS = [lineWidth, lineStyle, cssColor];
  const LINE_INITIAL = ['medium', 'none', 'currentcolor'];

  four('margin', SIDES.map((side) => `margin-${side}`));
  four('padding', SIDES.map((side) => `padding-${side}`));
  four('inset', SIDES);
  for (const part of ['width', 'style', 'color']) four(`border-${part}`, SIDES.map((side) => `border-${side}-${part}`));
  for (const side of SIDES) {
    table.set(`border-${side}`, any(['width', 'style', 'color'].map((part) => `border-${side}-${part}`), LINE_TESTS, LINE_INITIAL));
  }
  table.set('outline', any(['outline-width', 'outline-style', 'outline-color'], LINE_TESTS, LINE_INITIAL));
  const border = any(['width', 'style', 'color'], LINE_TESTS, LINE_INITIAL);
  const borderParts = ['width', 'style', 'color'].flatMap((part) => SIDES.map((side) => `border-${side}-${part}`));
  define(
    'border',
    borderParts,
    (text) => border.split(text)?.flatMap((value) => [value, value, value, value]),
    (values) => {
      const parts = [0, 4, 8].map((from) => values.slice(from, from + 4));
      return parts.every((part) => part.every((value) => value === part[0])) ? border.join(parts.map((part) => part[0])) : undefined;
    },
  );
  two('overflow', ['overflow-x', 'overflow-y']);
  two('gap', ['row-gap', 'column-gap']);
  const oneOf = (list) => {
    const known = new Set(list.split(' '));
    return (word) => (known.has(word.toLowerCase()) ? word.toLowerCase() : undefined);
  };
  table.set('flex-flow', any(['flex-direction', 'flex-wrap'], [oneOf('row row-reverse column column-reverse'), oneOf('nowrap wrap wrap-reverse')], ['row', 'nowrap']));
  define(
    'flex',
    ['flex-grow', 'flex-shrink', 'flex-basis'],
    (text) => {
      if (text === 'none') return ['0', '0', 'auto'];
      const numbers = [];
      let basis;
      for (const word of words(text)) {
        if (/^(?:\d+\.?\d*|\.\d+)$/.test(word) && numbers.length < 2) numbers.push(`${Number(word)}`);
        else if (basis === undefined && cssLength(word) !== undefined) basis = cssLength(word);
        else return undefined;
      }
      if (numbers.length === 0 && basis === undefined) return undefined;
      return [numbers[0] ?? '1', numbers[1] ?? '1', basis ?? (numbers.length > 0 ? '0%' : 'auto')];
    },
    (values) => values.join(' '),
  );
  const image = (word) => (/^(?:url|image|image-set|cross-fade|element|paint|(?:-webkit-|repeating-)*(?:linear|radial|conic)-gradient)\(/i.test(word) || word === 'none' ? word : undefined);
  define(
    'background',
    ['background-image', 'background-position', 'background-size', 'background-repeat', 'background-attachment', 'background-origin', 'background-clip', 'background-color'],
    (text) => {
      const found = [];
      const position = [];
      const size = [];
      const repeat = [];
      let inSize = false;
      for (const word of words(text.replace(/\s*\/\s*/g, ' / '))) {
        const lower = word.toLowerCase();
        if (word === '/') inSize = true;
        else if (cssColor(word) !== undefined && found[7] === undefined) found[7] = cssColor(word);
        else if (image(word) !== undefined && found[0] === undefined) found[0] = word;
        else if (/^(?:repeat|no-repeat|repeat-x|repeat-y|space|round)$/.test(lower)) repeat.push(lower);
        else if (/^(?:scroll|fixed|local)$/.test(lower)) found[4] = lower;
        else if (/^(?:border-box|padding-box|content-box)$/.test(lower)) {
          found[5] ??= lower;
          found[6] = lower;
        } else if (inSize && /^(?:auto|cover|contain|[\d.+-].*)$/.test(lower)) size.push(cssLength(word));
        else if (/^(?:left|right|top|bottom|center|[\d.+-].*)$/.test(lower)) position.push(cssLength(word));
        else return undefined;
      }
      if (position.includes(undefined) || size.includes(undefined)) return undefined;
      const parts = [found[0], position.join(' '), size.join(' '), repeat.join(' '), found[4], found[5], found[6], found[7]];
      return parts.map((part, at) => part || BACKGROUND[at]);
    },
    (values) => {
      const [image_, position, size, ...rest] = values;
      const parts = [];
      if (image_ !== BACKGROUND[0]) parts.push(image_);
      if (position !== BACKGROUND[1] || size !== BACKGROUND[2]) parts.push(size === BACKGROUND[2] ? position : `${position} / ${size}`);
      rest.forEach((part, at) => {
        if (part !== BACKGROUND[at + 3]) parts.push(part);
      });
      return parts.join(' ') || 'none';
    },
  );
  const BACKGROUND = ['none', '0% 0%', 'auto', 'repeat', 'scroll', 'padding-box', 'border-box', 'transparent'];
  table.set(
    'list-style',
    any(['list-style-position', 'list-style-image', 'list-style-type'], [oneOf('inside outside'), (word) => (image(word) === word && word !== 'none' ? word : undefined), (word) => word.toLowerCase()], ['outside', 'none', 'disc']),
  );

  internal.longhandsOf = (name) => table.get(name)?.longs;
  // Pairs of property and value, or undefined if the value is none of the shorthand's.
  internal.expanded = (name, text) => {
    const { longs, split } = table.get(name);
    if (isWideKeyword(text)) return longs.map((long) => [long, text.toLowerCase()]);
    return split(text)?.map((value, at) => [longs[at], value]);
  };
  // The value of a shorthand whose parts have these values, or undefined.
  internal.collapsed = (name, values) => {
    const wide = values.filter(isWideKeyword).length;
    if (wide > 0) return wide === values.length && values.every((value) => value === values[0]) ? values[0] : undefined;
    if (values.some((value) => /\bvar\(/i.test(value))) return undefined;
    return table.get(name).join(values);
  };
  // The shorthands that a property is part of, those with most parts first.
  const above = new Map();
  for (const [name, { longs }] of [...table].sort((a, b) => b[1].longs.length - a[1].longs.length)) {
    for (const long of longs) above.set(long, [...(above.get(long) ?? []), name]);
  }
  internal.shorthandsOf = (name) => above.get(name) ?? [];
});
