// `Intl` for English: numbers, dates, lists, plurals, comparison. Locales, time zones and
// options that are not known throw a RangeError that names them, in place of being ignored.
import { internal } from 'host';

const LOCALES = ['en', 'en-US', 'en-GB'];
const BRITISH = 'en-GB';
// Locales whose short dates are ISO 8601, which programs use for that.
const ISO_LOCALES = ['en-CA', 'sv-SE', 'sv'];

const localeOf = (locales, also = []) => {
  const first = Array.isArray(locales) ? locales[0] : locales;
  if (first === undefined) return 'en-US';
  const name = `${first}`;
  if (LOCALES.includes(name) || also.includes(name)) return name;
  throw new RangeError(`Locale ${name} is not supported: use ${LOCALES.join(' or ')}`);
};
const refuseOthers = (options, known, what) => {
  for (const name of Object.keys(options)) {
    if (options[name] !== undefined && !known.includes(name)) {
      throw new RangeError(`Option ${name} of ${what} is not supported`);
    }
  }
};
const oneOf = (options, name, values, usual) => {
  const value = options[name];
  if (value === undefined) return usual;
  if (!values.includes(value)) throw new RangeError(`Value ${value} out of range for options property ${name}`);
  return value;
};
const digitsOf = (options, name, low, high, usual) => {
  const value = options[name];
  if (value === undefined) return usual;
  const number = Math.floor(Number(value));
  if (!(number >= low && number <= high)) throw new RangeError(`${name} value is out of range.`);
  return number;
};

// Decimal digits of a finite number that is not negative, as [digits, exponent]: 0.digits × 10^exponent.
const decimalOf = (value) => {
  const [mantissa, exponent = '0'] = `${value}`.toLowerCase().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const lost = whole.length + fraction.length - digits.length;
  return [digits, digits === '' ? 0 : whole.length - lost + Number(exponent)];
};
// Rounds half away from zero to `count` digits.
const roundTo = ([digits, exponent], count) => {
  if (count >= digits.length) return [digits, exponent];
  if (count < 0) return ['', 0];
  const up = digits[count] >= '5';
  const kept = digits.slice(0, count);
  if (!up) return [kept, exponent];
  const raised = `${BigInt(`0${kept}`) + 1n}`.padStart(count, '0');
  return raised.length > count ? [raised, exponent + 1] : [raised, exponent];
};
const layOut = ([digits, exponent], least) => {
  const whole = exponent <= 0 ? '' : digits.slice(0, exponent).padEnd(exponent, '0');
  const fraction = (exponent <= 0 ? '0'.repeat(-exponent) : '') + digits.slice(Math.max(exponent, 0));
  return [whole === '' ? '0' : whole, fraction.replace(/0+$/, '').padEnd(least, '0')];
};

const SYMBOLS = {
  USD: '$', EUR: '€', GBP: '£', JPY: '¥', CNY: 'CN¥', INR: '₹', KRW: '₩', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$',
  NZD: 'NZ$', HKD: 'HK$', TWD: 'NT$', ILS: '₪', VND: '₫', PHP: '₱',
};
const WHOLE_CURRENCIES = ['JPY', 'KRW', 'VND', 'CLP', 'ISK'];
const COMPACT = [[12, 'T', 'trillion'], [9, 'B', 'billion'], [6, 'M', 'million'], [3, 'K', 'thousand']];
const UNITS = {
  byte: ['byte', 'byte', 'bytes'], kilobyte: ['kB', 'kilobyte', 'kilobytes'], megabyte: ['MB', 'megabyte', 'megabytes'],
  gigabyte: ['GB', 'gigabyte', 'gigabytes'], second: ['sec', 'second', 'seconds'], minute: ['min', 'minute', 'minutes'],
  hour: ['hr', 'hour', 'hours'], percent: ['%', 'percent', 'percent'], kilometer: ['km', 'kilometer', 'kilometers'],
  meter: ['m', 'meter', 'meters'], kilogram: ['kg', 'kilogram', 'kilograms'], celsius: ['°C', 'degree Celsius', 'degrees Celsius'],
  'kilometer-per-hour': ['km/h', 'kilometer per hour', 'kilometers per hour'],
};
const NUMBER_OPTIONS = [
  'style', 'currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay', 'notation', 'compactDisplay', 'signDisplay',
  'useGrouping', 'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits',
  'maximumSignificantDigits', 'localeMatcher', 'numberingSystem',
];

// Languages other than English, loaded with the first of them.
let loadedForeign;
const foreign = () => (loadedForeign ??= internal.openPart('internal/intl/number_locales'));

class NumberFormat {
  #options;
  #isForeign;
  constructor(locales, options = {}) {
    const first = Array.isArray(locales) ? locales[0] : locales;
    const isForeign = first !== undefined && !LOCALES.includes(`${first}`) && foreign().isKnown(`${first}`);
    const locale = isForeign ? `${first}` : localeOf(locales);
    refuseOthers(options, NUMBER_OPTIONS, 'NumberFormat');
    const style = oneOf(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const notation = oneOf(options, 'notation', ['standard', 'compact', 'scientific', 'engineering'], 'standard');
    if (isForeign && (notation !== 'standard' || style === 'unit')) {
      throw new RangeError(`${notation === 'standard' ? 'Units' : `Notation ${notation}`} of locale ${locale} are not supported: use en`);
    }
    const currency = options.currency?.toUpperCase();
    if (style === 'currency' && currency === undefined) throw new TypeError('Currency code is required with currency style.');
    if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw new RangeError(`Invalid currency code : ${options.currency}`);
    if (style === 'unit' && !(options.unit in UNITS)) throw new RangeError(`Unit ${options.unit} is not supported`);
    oneOf(options, 'numberingSystem', ['latn'], 'latn');
    const own = style === 'currency' ? (WHOLE_CURRENCIES.includes(currency) ? 0 : 2) : 0;
    const most = style === 'currency' ? own : style === 'percent' || notation === 'compact' ? 0 : 3;
    const least = digitsOf(options, 'minimumFractionDigits', 0, 100, undefined);
    const largest = digitsOf(options, 'maximumFractionDigits', 0, 100, undefined);
    if (least !== undefined && largest !== undefined && least > largest) {
      throw new RangeError('maximumFractionDigits value is out of range.');
    }
    const significant = options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined;
    this.#options = {
      locale,
      numberingSystem: 'latn',
      style,
      currency,
      currencyDisplay: oneOf(options, 'currencyDisplay', ['symbol', 'narrowSymbol', 'code', 'name'], 'symbol'),
      currencySign: style === 'currency' ? oneOf(options, 'currencySign', ['standard', 'accounting'], 'standard') : undefined,
      unit: options.unit,
      unitDisplay: oneOf(options, 'unitDisplay', ['short', 'long', 'narrow'], 'short'),
      notation,
      compactDisplay: oneOf(options, 'compactDisplay', ['short', 'long'], 'short'),
      signDisplay: oneOf(options, 'signDisplay', ['auto', 'always', 'never', 'exceptZero', 'negative'], 'auto'),
      useGrouping: ![false, 'false'].includes(options.useGrouping),
      minimumIntegerDigits: digitsOf(options, 'minimumIntegerDigits', 1, 21, 1),
      minimumFractionDigits: least ?? Math.min(own, largest ?? own),
      maximumFractionDigits: largest ?? Math.max(most, least ?? 0),
      minimumSignificantDigits: significant ? digitsOf(options, 'minimumSignificantDigits', 1, 21, 1) : undefined,
      maximumSignificantDigits: significant ? digitsOf(options, 'maximumSignificantDigits', 1, 21, 21) : undefined,
      roundsCompact: notation === 'compact' && least === undefined && largest === undefined && !significant,
    };
    if (this.#options.currencyDisplay === 'name') throw new RangeError('currencyDisplay name is not supported');
    this.#isForeign = isForeign;
    this.format = (value) => this.#shown(value);
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  #shown(value) {
    const text = this.#format(value);
    if (!this.#isForeign) return text;
    return foreign().translated(this.#options.locale, text, { ...this.#options, symbol: SYMBOLS[this.#options.currency] });
  }
  formatToParts(value) {
    const separators = this.#isForeign ? foreign().separators(this.#options.locale) : [',', '.'];
    return internal.openPart('internal/intl/number_parts')(this.#shown(value), this.#options, separators);
  }
  formatRange(from, to) {
    const [low, high] = [this.#shown(from), this.#shown(to)];
    if (low === high) return `~${low}`;
    return this.#options.style === 'currency' ? `${low} – ${high}` : `${low}–${high}`;
  }
  #number(value) {
    const o = this.#options;
    let decimal = decimalOf(value);
    if (o.roundsCompact) decimal = roundTo(decimal, Math.max(2, decimal[1]));
    else if (o.maximumSignificantDigits !== undefined) decimal = roundTo(decimal, o.maximumSignificantDigits);
    else decimal = roundTo(decimal, decimal[1] + o.maximumFractionDigits);
    const least = o.minimumSignificantDigits === undefined ? o.minimumFractionDigits : Math.max(0, o.minimumSignificantDigits - Math.max(decimal[1], 1));
    const [whole, fraction] = layOut(decimal, o.roundsCompact ? 0 : least);
    return [whole.padStart(o.minimumIntegerDigits, '0'), fraction];
  }
  #format(given) {
    const o = this.#options;
    let value = typeof given === 'bigint' ? given : Number(given);
    const negative = value < 0 || Object.is(value, -0);
    let size = `${value}`.replace(/^-/, '');
    if (size === 'Infinity') size = '∞';
    let suffix = '';
    let text;
    if (size === '∞' || size === 'NaN') text = size;
    else {
      const scaled = ([digits, exponent], by) => (digits === '' ? '0' : `0.${digits}e${exponent + by}`);
      if (o.style === 'percent') size = scaled(decimalOf(size), 2);
      let parts;
      const isPower = o.notation === 'scientific' || o.notation === 'engineering';
      if (isPower) {
        const [digits, exponent] = roundTo(decimalOf(size), o.maximumSignificantDigits ?? (o.notation === 'scientific' ? o.maximumFractionDigits + 1 : 100));
        const power = digits === '' ? 0 : o.notation === 'scientific' ? exponent - 1 : Math.floor((exponent - 1) / 3) * 3;
        suffix = `E${power}`;
        size = scaled([digits, exponent], -power);
      }
      const compact = o.notation === 'compact' ? COMPACT.findIndex(([power]) => decimalOf(size)[1] > power) : -1;
      if (compact !== -1) {
        let at = compact;
        parts = this.#number(scaled(decimalOf(size), -COMPACT[at][0]));
        if (parts[0].length > 3 && at > 0) {
          at -= 1;
          parts = this.#number(scaled(decimalOf(size), -COMPACT[at][0]));
        }
        suffix = o.compactDisplay === 'short' ? COMPACT[at][1] : ` ${COMPACT[at][2]}`;
      } else {
        parts = this.#number(size);
        if (o.roundsCompact && parts[0].length > 3) {
          parts = ['1', ''];
          suffix = o.compactDisplay === 'short' ? 'K' : ' thousand';
        }
      }
      const [whole, fraction] = parts;
      const grouped = o.useGrouping ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
      text = fraction === '' ? grouped : `${grouped}.${fraction}`;
    }
    const isZero = !/[1-9∞N]/.test(text);
    const sign = {
      auto: negative ? '-' : '',
      always: negative ? '-' : '+',
      never: '',
      exceptZero: isZero ? '' : negative ? '-' : '+',
      negative: negative && !isZero ? '-' : '',
    }[o.signDisplay];
    text += suffix;
    if (o.style === 'percent') return `${sign}${text}%`;
    if (o.style === 'currency') {
      const known = o.locale === BRITISH && o.currency === 'USD' ? 'US$' : SYMBOLS[o.currency];
      const symbol = o.currencyDisplay === 'code' ? undefined : known;
      const narrow = o.currencyDisplay === 'narrowSymbol' ? symbol?.replace(/^[A-Z]+(?=[^A-Z])/, '') : symbol;
      const amount = `${narrow ?? `${o.currency}\u00a0`}${text}`;
      return sign === '-' && o.currencySign === 'accounting' ? `(${amount})` : sign + amount;
    }
    if (o.style === 'unit') {
      const [short, one, many] = UNITS[o.unit];
      if (o.unitDisplay === 'long') return `${sign}${text} ${text === '1' ? one : many}`;
      const joined = short === '%' || short.startsWith('°') || o.unitDisplay === 'narrow';
      return `${sign}${text}${joined ? '' : ' '}${short}`;
    }
    return sign + text;
  }
  resolvedOptions() {
    const { roundsCompact, ...shown } = this.#options;
    return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
  }
  static supportedLocalesOf = (locales) => [locales].flat().filter((name) => LOCALES.includes(name) || foreign().isKnown(name));
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const ZONES = ['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT'];
const FIELDS = ['era', 'weekday', 'year', 'month', 'day', 'hour', 'minute', 'second', 'fractionalSecondDigits', 'timeZoneName'];
const DATE_STYLES = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const TIME_STYLES = {
  full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
  long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  short: { hour: 'numeric', minute: '2-digit' },
};
const DATE_DEFAULTS = { year: 'numeric', month: 'numeric', day: 'numeric' };
const TIME_DEFAULTS = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
// Halves of a day where they are not AM and PM.
const HALVES = { 'en-CA': ['a.m.', 'p.m.'], 'en-GB': ['am', 'pm'] };
const ERAS = { long: ['Anno Domini', 'Before Christ'], short: ['AD', 'BC'], narrow: ['A', 'B'] };
// Years before the first count backwards, and none is 0.
const yearInEra = (date) => {
  const year = date.getUTCFullYear();
  return year > 0 ? year : 1 - year;
};
const two = (number) => `${number}`.padStart(2, '0');

// Parts that few tools need; loaded on first use.
let zones;
let Segmenter;
const zoneOf = (name) => (zones ??= internal.openPart('internal/intl_zones'))(name);

class DateTimeFormat {
  #fields;
  #locale;
  #hour12;
  #midnight24;
  #zone;
  // Rules of a zone other than UTC.
  #rules;
  // Set while `formatToParts` runs: each field is then marked with its name.
  #marks = false;
  #joint = ', ';
  constructor(locales, options = {}, usual = DATE_DEFAULTS) {
    this.#locale = localeOf(locales, ISO_LOCALES);
    refuseOthers(options, [...FIELDS, 'timeZone', 'hour12', 'hourCycle', 'dateStyle', 'timeStyle', 'localeMatcher', 'formatMatcher', 'calendar', 'numberingSystem'], 'DateTimeFormat');
    this.#zone = options.timeZone === undefined ? 'UTC' : `${options.timeZone}`;
    if (!ZONES.some((zone) => zone.toLowerCase() === this.#zone.toLowerCase())) {
      this.#rules = zoneOf(this.#zone);
      if (this.#rules === undefined) {
        // Tells names of zones, which are not supported here, from texts that Node refuses too.
        const isName = /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\/|^[A-Z]{2,}|^[A-Z][a-z]+$/.test(this.#zone);
        throw new RangeError(isName ? `Time zone ${this.#zone} is not supported: use UTC` : `Invalid time zone specified: ${this.#zone}`);
      }
      this.#zone = this.#rules.name;
    }
    const cycle = oneOf(options, 'hourCycle', ['h12', 'h23'], undefined);
    const counts24 = [BRITISH, 'sv-SE', 'sv'].includes(this.#locale);
    this.#hour12 = options.hour12 ?? (cycle === undefined ? !counts24 : cycle === 'h12');
    this.#midnight24 = options.hour12 === false && !counts24;
    oneOf(options, 'era', Object.keys(ERAS), undefined);
    const dateStyle = oneOf(options, 'dateStyle', Object.keys(DATE_STYLES), undefined);
    const timeStyle = oneOf(options, 'timeStyle', Object.keys(TIME_STYLES), undefined);
    const given = FIELDS.filter((name) => options[name] !== undefined);
    if (dateStyle !== undefined || timeStyle !== undefined) {
      if (given.length > 0) throw new TypeError(`Can't set option ${given[0]} when ${dateStyle ? 'dateStyle' : 'timeStyle'} is used`);
      this.#fields = { ...DATE_STYLES[dateStyle], ...TIME_STYLES[timeStyle] };
      if (this.#locale === BRITISH && dateStyle === 'short') this.#fields.year = 'numeric';
    } else {
      this.#fields = Object.fromEntries(given.map((name) => [name, options[name]]));
      if (given.every((name) => name === 'timeZoneName' || name === 'era')) this.#fields = { ...usual, ...this.#fields };
    }
    if (this.#fields.month === 'long') this.#joint = ' at ';
    if (this.#fields.weekday && !this.#fields.month && !this.#fields.day && !this.#fields.year) this.#joint = ' ';
    this.format = (date) => this.#format(date);
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  #part(name, text) {
    return this.#marks ? `\ue000${name}\ue001${text}\ue002` : text;
  }
  #date(date) {
    const style = this.#fields.era;
    if (style === undefined) return this.#dateInEra(date);
    const era = this.#part('era', ERAS[style][date.getUTCFullYear() > 0 ? 0 : 1]);
    return [this.#dateInEra(date), era].filter(Boolean).join(' ');
  }
  #dateInEra(date) {
    const f = this.#fields;
    const at = (name, number) => this.#part(name, f[name] === '2-digit' ? two(number % 100) : `${number}`);
    const year = f.year && at('year', yearInEra(date));
    const day = f.day && at('day', date.getUTCDate());
    const name = DAYS[date.getUTCDay()];
    const weekday = f.weekday && this.#part('weekday', { long: name, short: name.slice(0, 3), narrow: name[0] }[f.weekday]);
    const month = f.month && this.#part('month', this.#month(date));
    if (ISO_LOCALES.includes(this.#locale)) {
      if (f.era || f.weekday || /long|short|narrow/.test(f.month)) throw new RangeError(`Names of ${this.#locale} are not supported: use en-US`);
      const parts = [
        f.year && this.#part('year', `${date.getUTCFullYear()}`),
        f.month && this.#part('month', two(date.getUTCMonth() + 1)),
        f.day && this.#part('day', two(date.getUTCDate())),
      ];
      return parts.filter(Boolean).join('-');
    }
    if (this.#locale === BRITISH) return this.#british(date, { weekday, day, month, year });
    if (/long|short|narrow/.test(f.month)) {
      const middle = [month, day].filter(Boolean).join(' ');
      const tail = year && day ? `${middle}, ${year}` : [middle, year].filter(Boolean).join(' ');
      return weekday ? `${weekday}, ${tail}` : tail;
    }
    const numbers = [month, day, year].filter(Boolean).join('/');
    if (!weekday) return numbers;
    return numbers === '' ? weekday : f.month || f.year ? `${weekday}, ${numbers}` : `${numbers} ${weekday}`;
  }
  // Day, month and year in this order; numbers have two digits once there are two of them.
  #british(date, { weekday, day, month, year }) {
    const f = this.#fields;
    if (/long|short|narrow/.test(f.month)) {
      const text = [day, month, year].filter(Boolean).join(' ');
      return weekday === undefined ? text : `${weekday}${f.year ? ',' : ''} ${text}`;
    }
    const pads = f.month && f.day;
    const numbers = [
      pads ? this.#part('day', two(date.getUTCDate())) : day,
      pads || (f.month && f.year && !f.era) ? this.#part('month', two(date.getUTCMonth() + 1)) : month,
      year,
    ];
    const text = numbers.filter(Boolean).join('/');
    return [weekday, text].filter(Boolean).join(text.includes('/') ? ', ' : ' ');
  }
  #month(date) {
    const number = date.getUTCMonth();
    const style = this.#fields.month;
    if (style === 'long') return MONTHS[number];
    if (style === 'short') return MONTHS[number].slice(0, 3);
    if (style === 'narrow') return MONTHS[number][0];
    return style === '2-digit' ? two(number + 1) : `${number + 1}`;
  }
  #time(date, moment) {
    const f = this.#fields;
    const hours = date.getUTCHours();
    const parts = [];
    if (f.hour) {
      // `hour12: false` counts the hour of midnight as 24, `hourCycle: 'h23'` as 0.
      const shown = this.#hour12 ? hours % 12 || 12 : hours || (this.#midnight24 ? 24 : 0);
      parts.push(this.#part('hour', f.hour === '2-digit' || !this.#hour12 ? two(shown) : `${shown}`));
    }
    const [minute, second] = [date.getUTCMinutes(), date.getUTCSeconds()];
    if (f.minute) parts.push(this.#part('minute', f.hour || f.second || f.minute === '2-digit' ? two(minute) : `${minute}`));
    if (f.second) parts.push(this.#part('second', f.minute ? two(second) : `${second}`));
    let text = parts.join(':');
    if (f.fractionalSecondDigits) {
      const digits = `${date.getUTCMilliseconds()}`.padStart(3, '0').slice(0, f.fractionalSecondDigits);
      const marked = this.#part('fractionalSecond', digits);
      text += text === '' ? marked : `.${marked}`;
    }
    if (f.hour && this.#hour12) text += ` ${this.#part('dayPeriod', (HALVES[this.#locale] ?? ['AM', 'PM'])[hours < 12 ? 0 : 1])}`;
    if (f.timeZoneName) {
      const own = { long: 'Coordinated Universal Time', shortOffset: 'GMT+0', longOffset: 'GMT+00:00' }[f.timeZoneName] ?? 'UTC';
      text += `${text === '' ? '' : ' '}${this.#part('timeZoneName', this.#rules?.nameAt(moment, f.timeZoneName) ?? own)}`;
    }
    return text;
  }
  #format(given) {
    const moment = given === undefined ? new Date() : new Date(given);
    if (Number.isNaN(moment.getTime())) throw new RangeError('Invalid time value');
    // The clock of the zone, as if it were UTC.
    const date = this.#rules === undefined ? moment : new Date(moment.getTime() + this.#rules.offsetAt(moment) * 60e3);
    const joint = ISO_LOCALES.slice(1).includes(this.#locale) ? ' ' : this.#joint;
    return [this.#date(date), this.#time(date, moment)].filter((part) => part !== '').join(joint);
  }
  formatToParts(date) {
    this.#marks = true;
    let text;
    try {
      text = this.#format(date);
    } finally {
      this.#marks = false;
    }
    const parts = [];
    for (const [, type, value, literal] of text.matchAll(/\ue000(\w+)\ue001([^\ue002]*)\ue002|([^\ue000]+)/g)) {
      // Here, and not in `format`, Node has a narrow space before AM and PM.
      if (type === 'dayPeriod' && parts.at(-1)?.value === ' ') parts.at(-1).value = '\u202f';
      parts.push(type === undefined ? { type: 'literal', value: literal } : { type, value });
    }
    return parts;
  }
  resolvedOptions() {
    return { locale: this.#locale, calendar: 'gregory', numberingSystem: 'latn', timeZone: this.#zone, ...this.#fields };
  }
  static supportedLocalesOf = (locales) => [locales].flat().filter((name) => [...LOCALES, ...ISO_LOCALES].includes(name));
}

const MARKS = /\p{M}+/gu;
class Collator {
  #options;
  constructor(locales, options = {}) {
    const locale = localeOf(locales);
    refuseOthers(options, ['usage', 'sensitivity', 'numeric', 'ignorePunctuation', 'caseFirst', 'localeMatcher'], 'Collator');
    this.#options = {
      locale,
      usage: oneOf(options, 'usage', ['sort', 'search'], 'sort'),
      sensitivity: oneOf(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant'),
      ignorePunctuation: !!options.ignorePunctuation,
      numeric: !!options.numeric,
      caseFirst: oneOf(options, 'caseFirst', ['false', 'lower'], 'false'),
    };
    this.compare = (a, b) => this.#compare(`${a}`, `${b}`);
    Object.defineProperty(this, 'compare', { enumerable: false });
  }
  #compare(a, b) {
    const { sensitivity, numeric, ignorePunctuation } = this.#options;
    const clean = (text) => (ignorePunctuation ? text.replace(/[\p{P}\s]+/gu, '') : text).normalize('NFD');
    const [left, right] = [clean(a), clean(b)];
    const base = (text) => text.replace(MARKS, '').toLowerCase();
    const first = this.#order(base(left), base(right), numeric);
    if (first !== 0 || sensitivity === 'base') return first;
    const accent = sensitivity === 'case' ? 0 : order(left.toLowerCase(), right.toLowerCase());
    if (accent !== 0 || sensitivity === 'accent') return accent;
    // Lower case before upper case.
    return -order(left.replace(MARKS, ''), right.replace(MARKS, ''));
  }
  #order(a, b, numeric) {
    const split = (text) => (numeric ? text.match(/\d+|\D/g) : [...text]) ?? [];
    const [left, right] = [split(a), split(b)];
    for (let at = 0; at < Math.min(left.length, right.length); at++) {
      const [x, y] = [left[at], right[at]];
      if (/^\d+$/.test(x) && /^\d+$/.test(y) && Number(x) !== Number(y)) return Number(x) < Number(y) ? -1 : 1;
      const differs = order(rank(x), rank(y)) || order(x, y);
      if (differs !== 0) return differs;
    }
    return Math.sign(left.length - right.length);
  }
  resolvedOptions() {
    return { ...this.#options };
  }
  static supportedLocalesOf = NumberFormat.supportedLocalesOf;
}
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// Spaces, punctuation, symbols, digits, letters: the order of the root collation.
const rank = (text) => [/^\s/, /^_/, /^\p{P}/u, /^\p{S}/u, /^\d/].findIndex((kind) => kind.test(text)) & 7;

class PluralRules {
  #ordinal;
  constructor(locales, options = {}) {
    localeOf(locales);
    refuseOthers(options, ['type', 'localeMatcher'], 'PluralRules');
    this.#ordinal = oneOf(options, 'type', ['cardinal', 'ordinal'], 'cardinal') === 'ordinal';
  }
  select(number) {
    if (!this.#ordinal) return Number(number) === 1 ? 'one' : 'other';
    const [one, ten] = [number % 10, number % 100];
    if (one === 1 && ten !== 11) return 'one';
    if (one === 2 && ten !== 12) return 'two';
    return one === 3 && ten !== 13 ? 'few' : 'other';
  }
}

const absent = (name) =>
  class {
    constructor() {
      throw new RangeError(`Intl.${name} is not supported`);
    }
  };
// Classes of Intl can be called without `new`.
const callable = (Class) =>
  new Proxy(Class, { apply: (target, self, [locales, options]) => new target(locales, options) });

// Parts that few tools use are loaded with their first use.
let DisplayNames;
let loadedPhrases;
const phrases = () => (loadedPhrases ??= internal.openPart('internal/intl/phrases')({ localeOf, oneOf, refuseOthers, NumberFormat }));
export const Intl = {
  Collator: callable(Collator),
  DateTimeFormat: callable(DateTimeFormat),
  get DisplayNames() {
    return (DisplayNames ??= internal.openPart('internal/intl/display_names')(localeOf));
  },
  get ListFormat() {
    return phrases().ListFormat;
  },
  Locale: absent('Locale'),
  NumberFormat: callable(NumberFormat),
  PluralRules,
  get RelativeTimeFormat() {
    return phrases().RelativeTimeFormat;
  },
  get Segmenter() {
    return (Segmenter ??= internal.openPart('internal/intl_segmenter'));
  },
  getCanonicalLocales: (locales) => [locales ?? []].flat().map((name) => `${name}`),
  supportedValuesOf: (key) => (key === 'timeZone' ? ['UTC'] : []),
};
Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });

const dated = (usual, counted, refused) => (date, locales, options = {}) => {
  if (Number.isNaN(date.getTime())) return 'Invalid Date';
  if (options[refused] !== undefined) throw new TypeError(`Invalid option : ${refused}`);
  const named = counted.some((name) => options[name] !== undefined);
  return new DateTimeFormat(locales, named ? options : { ...usual, ...options }).format(date);
};
const DATE_FIELDS = ['weekday', 'year', 'month', 'day', 'dateStyle'];
const TIME_FIELDS = ['hour', 'minute', 'second', 'fractionalSecondDigits', 'timeStyle'];
export default {
  Intl,
  number: (value, locales, options) => new NumberFormat(locales, options).format(value),
  dateTime: dated({ ...DATE_DEFAULTS, ...TIME_DEFAULTS }, [...DATE_FIELDS, ...TIME_FIELDS]),
  date: dated(DATE_DEFAULTS, DATE_FIELDS, 'timeStyle'),
  time: dated(TIME_DEFAULTS, TIME_FIELDS, 'dateStyle'),
  compare: (a, b, locales, options) => new Collator(locales, options).compare(a, b),
};
