// `Intl.ListFormat` and `Intl.RelativeTimeFormat` for English.
const STYLES = ['long', 'short', 'narrow'];

const supportedLocalesOf = (locales) => [locales ?? []].flat().map(String);

// The text between two items, between the last of two, and between the last of more.
const JOINTS = {
  conjunction: { long: [', ', ' and ', ', and '], short: [', ', ' & ', ', & '], narrow: [', ', ', ', ', '] },
  disjunction: { long: [', ', ' or ', ', or '], short: [', ', ' or ', ', or '], narrow: [', ', ' or ', ', or '] },
  unit: { long: [', ', ', ', ', '], short: [', ', ', ', ', '], narrow: [' ', ' ', ' '] },
};

const makeList = ({ localeOf, oneOf, refuseOthers }) =>
  class ListFormat {
    #options;
    constructor(locales, options = {}) {
      const locale = localeOf(locales);
      refuseOthers(options, ['type', 'style', 'localeMatcher'], 'ListFormat');
      const type = oneOf(options, 'type', Object.keys(JOINTS), 'conjunction');
      this.#options = { locale, type, style: oneOf(options, 'style', STYLES, 'long') };
    }
    static supportedLocalesOf = supportedLocalesOf;
    formatToParts(list) {
      const items = Array.from(list);
      const wrong = items.findIndex((item) => typeof item !== 'string');
      if (wrong >= 0) throw new TypeError(`Iterable yielded ${String(items[wrong])} which is not a string`);
      const joints = JOINTS[this.#options.type][this.#options.style];
      // British English has no sign for "and", and no comma before it.
      const isBritish = this.#options.locale === 'en-GB' && joints[1].trim() !== ',' && joints[1].trim() !== '';
      const [between, ofTwo, end] = isBritish ? [joints[0], ...Array(2).fill(joints[1].replace('&', 'and'))] : joints;
      return items.flatMap((value, at) => {
        const element = { type: 'element', value };
        if (at === 0) return [element];
        const isLast = at === items.length - 1;
        return [{ type: 'literal', value: items.length === 2 ? ofTwo : isLast ? end : between }, element];
      });
    }
    format(list) {
      return this.formatToParts(list).map(({ value }) => value).join('');
    }
    resolvedOptions() {
      return { ...this.#options };
    }
    get [Symbol.toStringTag]() {
      return 'Intl.ListFormat';
    }
  };

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
const SHORT = { second: ['sec.', 's'], minute: ['min.', 'm'], hour: ['hr.', 'h'], day: ['day', 'd'], week: ['wk.', 'w'], month: ['mo.', 'mo'], quarter: ['qtr.', 'q'], year: ['yr.', 'y'] };
const SPECIAL = { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' } };
const NAMED = ['week', 'month', 'quarter', 'year'];

const makeRelative = ({ localeOf, oneOf, refuseOthers, NumberFormat }) =>
  class RelativeTimeFormat {
    #options;
    #number;
    constructor(locales, options = {}) {
      const locale = localeOf(locales);
      refuseOthers(options, ['numeric', 'style', 'localeMatcher', 'numberingSystem'], 'RelativeTimeFormat');
      const style = oneOf(options, 'style', STYLES, 'long');
      this.#options = { locale, style, numeric: oneOf(options, 'numeric', ['always', 'auto'], 'always'), numberingSystem: 'latn' };
      this.#number = new NumberFormat(locale);
    }
    static supportedLocalesOf = supportedLocalesOf;
    #word(name, size) {
      const { style } = this.#options;
      if (style === 'long') return `${name}${size === 1 ? '' : 's'}`;
      const [short] = SHORT[name];
      const isMany = size !== 1 && (name === 'day' || name === 'quarter');
      return isMany ? short.replace(/(\.?)$/, 's$1') : short;
    }
    #phrase(value, name) {
      if (this.#options.numeric !== 'auto') return undefined;
      if (SPECIAL[name]?.[value] !== undefined) return SPECIAL[name][value];
      const next = { '-1': 'last', 0: 'this', 1: 'next' }[value];
      const shown = this.#options.style === 'long' ? name : SHORT[name]?.[0];
      if (next !== undefined && NAMED.includes(name)) return `${next} ${shown}`;
      if (value === 0 && ['hour', 'minute'].includes(name)) return `this ${name}`;
      return value === 0 && name === 'second' ? 'now' : undefined;
    }
    formatToParts(given, unit) {
      const value = Number(given);
      if (!Number.isFinite(value)) throw new RangeError('Invalid time value');
      const name = `${unit}`.replace(/s$/, '');
      if (!UNITS.includes(name)) throw new RangeError(`Invalid unit argument for format() '${unit}'`);
      const phrase = this.#phrase(value, name);
      if (phrase !== undefined) return [{ type: 'literal', value: phrase }];
      const size = Math.abs(value);
      const number = this.#number.formatToParts(size).map((part) => ({ ...part, unit: name }));
      const isPast = value < 0 || Object.is(value, -0);
      if (this.#options.style === 'narrow') {
        const [, letter] = SHORT[name];
        return [...(isPast ? [] : [{ type: 'literal', value: 'in ' }]), ...number, { type: 'literal', value: isPast ? `${letter} ago` : letter }];
      }
      const word = this.#word(name, size);
      if (isPast) return [...number, { type: 'literal', value: ` ${word} ago` }];
      return [{ type: 'literal', value: 'in ' }, ...number, { type: 'literal', value: ` ${word}` }];
    }
    format(value, unit) {
      return this.formatToParts(value, unit).map((part) => part.value).join('');
    }
    resolvedOptions() {
      return { ...this.#options };
    }
    get [Symbol.toStringTag]() {
      return 'Intl.RelativeTimeFormat';
    }
  };

export default (parts) => ({ ListFormat: makeList(parts), RelativeTimeFormat: makeRelative(parts) });
