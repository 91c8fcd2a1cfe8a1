// `formatToParts` of numbers: the parts of a text that `Intl.NumberFormat` made.
const KINDS = [
  [/^[-\u2212]/, 'minusSign'], [/^\+/, 'plusSign'], [/^∞/, 'infinity'], [/^(NaN|не\u00a0число|epäluku|非數值|NS)/, 'nan'],
];

// `group` and `decimal` are the separators; `options` are those of the formatter.
export default (text, options, [group, decimal]) => {
  const parts = [];
  const add = (type, value) => parts.push({ type, value });
  let rest = text;
  let hasDecimal = false;
  while (rest !== '') {
    const digits = /^\d+/.exec(rest)?.[0];
    const kind = KINDS.find(([form]) => form.test(rest));
    if (digits !== undefined) {
      const before = parts.at(-1)?.type;
      add(before === 'exponentSeparator' || before === 'exponentMinusSign' ? 'exponentInteger' : hasDecimal ? 'fraction' : 'integer', digits);
      rest = rest.slice(digits.length);
    } else if (kind !== undefined) {
      const [found] = kind[0].exec(rest);
      add(parts.at(-1)?.type === 'exponentSeparator' ? 'exponentMinusSign' : kind[1], found);
      rest = rest.slice(found.length);
    } else if (rest.startsWith(group) && /^.\d/s.test(rest) && parts.at(-1)?.type === 'integer') {
      add('group', group);
      rest = rest.slice(1);
    } else if (rest.startsWith(decimal) && parts.at(-1)?.type === 'integer' && /^.\d/s.test(rest)) {
      hasDecimal = true;
      add('decimal', decimal);
      rest = rest.slice(1);
    } else if (/^E/.test(rest) && options.notation !== 'compact' && parts.length > 0) {
      add('exponentSeparator', 'E');
      rest = rest.slice(1);
    } else {
      const [found] = /^(\s+|[()]|[^\s()\d\u2212-]+(?: [^\s()\d]+)*)/.exec(rest) ?? [rest[0]];
      const type = /^[\s()]/.test(found) ? 'literal'
        : found === '%' && options.style !== 'unit' ? 'percentSign'
          : options.style === 'currency' && !(options.notation === 'compact' && parts.some((part) => part.type === 'currency')) ? 'currency'
            : options.style === 'unit' ? 'unit' : 'compact';
      add(type, found);
      rest = rest.slice(found.length);
    }
  }
  return parts;
};
