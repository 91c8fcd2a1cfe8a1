// Values of inputs: what a type allows, and how its texts are numbers and dates.
(function (native, internal) {
  'use strict';

  const { htmlClass: N, mix, readAttribute: read } = internal;
  const DAY = 86400000;

  const TYPES = new Set(
    'hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button'.split(' '),
  );
  const BY_ATTRIBUTE = new Set(['hidden', 'submit', 'image', 'reset', 'button']);
  internal.inputType = (input) => {
    const type = (read(input, 'type') ?? '').toLowerCase();
    return TYPES.has(type) ? type : 'text';
  };
  // Ways to keep a value: beside the tree, in the attribute, or as names of files.
  const modeOf = (type) => {
    if (BY_ATTRIBUTE.has(type)) return 'default';
    if (type === 'checkbox' || type === 'radio') return 'default/on';
    return type === 'file' ? 'filename' : 'value';
  };

  const isDay = (year, month, day) => {
    const last = new Date(0);
    last.setUTCFullYear(year, month, 0);
    return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= last.getUTCDate();
  };
  const at = (year, month, day) => new Date(0).setUTCFullYear(year, month - 1, day);
  const weeksIn = (year) => {
    const first = new Date(at(year, 1, 1)).getUTCDay();
    const isLeap = isDay(year, 2, 29);
    return first === 4 || (first === 3 && isLeap) ? 53 : 52;
  };
  // The Monday of the first week, the one with January 4th.
  const firstMonday = (year) => {
    const fourth = at(year, 1, 4);
    return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY;
  };
  const dateOf = (text) => {
    const parts = /^(\d{4,})-(\d\d)-(\d\d)$/.exec(text);
    return parts !== null && isDay(+parts[1], +parts[2], +parts[3]) ? at(+parts[1], +parts[2], +parts[3]) : NaN;
  };
  const timeOf = (text) => {
    const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?$/.exec(text);
    if (parts === null) return NaN;
    return (parts[1] * 60 + +parts[2]) * 60000 + (parts[3] ?? 0) * 1000 + +(parts[4] ?? '').padEnd(3, '0');
  };
  const pad = (number, length = 2) => `${number}`.padStart(length, '0');
  const writeDate = (number) => {
    const date = new Date(number);
    return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  };
  const writeTime = (number) => {
    const ms = ((number % DAY) + DAY) % DAY;
    const [seconds, rest] = [Math.floor(ms / 1000) % 60, ms % 1000];
    const tail = rest !== 0 ? `:${pad(seconds)}.${pad(rest, 3).replace(/0+$/, '')}` : seconds !== 0 ? `:${pad(seconds)}` : '';
    return `${pad(Math.floor(ms / 3600000))}:${pad(Math.floor(ms / 60000) % 60)}${tail}`;
  };
  const FLOAT = /^-?(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/i;
  const number = {
    read: (text) => (FLOAT.test(text) && Number.isFinite(Number(text)) ? Number(text) : NaN),
    write: (value) => `${value}`,
    unit: 1,
    step: 1,
  };
  // type → { read, write, unit of `step`, usual step, start of steps }
  const NUMERIC = {
    number,
    range: number,
    date: { read: dateOf, write: writeDate, unit: DAY, step: 1 },
    month: {
      read(text) {
        const parts = /^(\d{4,})-(0[1-9]|1[0-2])$/.exec(text);
        return parts === null || +parts[1] === 0 ? NaN : (parts[1] - 1970) * 12 + (parts[2] - 1);
      },
      write: (months) => `${pad(1970 + Math.floor(months / 12), 4)}-${pad((((months % 12) + 12) % 12) + 1)}`,
      unit: 1,
      step: 1,
    },
    week: {
      read(text) {
        const parts = /^(\d{4,})-W(\d\d)$/.exec(text);
        if (parts === null || +parts[1] === 0 || +parts[2] < 1 || +parts[2] > weeksIn(+parts[1])) return NaN;
        return firstMonday(+parts[1]) + (parts[2] - 1) * 7 * DAY;
      },
      write(value) {
        const thursday = value + (4 - (new Date(value).getUTCDay() || 7)) * DAY;
        const year = new Date(thursday).getUTCFullYear();
        return `${pad(year, 4)}-W${pad(Math.floor((thursday - firstMonday(year)) / (7 * DAY)) + 1)}`;
      },
      unit: 7 * DAY,
      step: 1,
      start: -3 * DAY,
    },
    time: { read: timeOf, write: writeTime, unit: 1000, step: 60 },
    'datetime-local': {
      read(text) {
        const parts = /^(.+)[T ](.+)$/.exec(text);
        return parts === null ? NaN : dateOf(parts[1]) + timeOf(parts[2]);
      },
      write: (value) => `${writeDate(value)}T${writeTime(value)}`,
      unit: 1000,
      step: 60,
    },
  };
  internal.numericType = (type) => NUMERIC[type];
  internal.numberIn = (type, text) => NUMERIC[type]?.read(text ?? '') ?? NaN;
  const limit = (input, name) => internal.numberIn(internal.inputType(input), read(input, name));

  // The size of a step in the numbers of the type, or null for any.
  internal.stepOf = (input) => {
    const { unit, step } = NUMERIC[internal.inputType(input)];
    const text = read(input, 'step');
    if (text !== null && text.toLowerCase() === 'any') return null;
    const given = number.read(text ?? '');
    return (given > 0 ? given : step) * unit;
  };
  internal.stepStart = (input) => {
    const min = limit(input, 'min');
    if (!Number.isNaN(min)) return min;
    const initial = limit(input, 'value');
    return Number.isNaN(initial) ? (NUMERIC[internal.inputType(input)].start ?? 0) : initial;
  };

  const inRange = (input, text) => {
    const [min, max] = [read(input, 'min'), read(input, 'max')].map((one) => number.read(one ?? ''));
    const low = Number.isNaN(min) ? 0 : min;
    const high = Number.isNaN(max) ? 100 : max;
    let value = number.read(text);
    const given = value;
    if (Number.isNaN(value)) value = high < low ? low : low + (high - low) / 2;
    value = Math.max(low, Math.min(high, value));
    const step = internal.stepOf(input);
    if (step === null) return value === given ? text : `${value}`;
    const start = internal.stepStart(input);
    let steps = Math.round((value - start) / step);
    if (start + steps * step > high) steps = Math.floor((high - start) / step + 1e-9);
    if (start + steps * step < low) steps++;
    const aligned = Number((start + steps * step).toPrecision(12));
    return high < low || aligned === given ? (high < low ? `${low}` : text) : `${aligned}`;
  };
  const oneLine = (text) => text.replace(/[\r\n]/g, '');
  const trimmed = (text) => oneLine(text).replace(/^[\t\f ]+|[\t\f ]+$/g, '');
  const sanitized = (input, type, text) => {
    switch (type) {
      case 'text':
      case 'search':
      case 'tel':
      case 'password':
        return oneLine(text);
      case 'url':
        return trimmed(text);
      case 'email':
        return read(input, 'multiple') === null ? trimmed(text) : text.split(',').map(trimmed).join(',');
      case 'color':
        return /^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : '#000000';
      case 'range':
        return inRange(input, text);
      case 'datetime-local': {
        const value = NUMERIC[type].read(text);
        return Number.isNaN(value) ? '' : NUMERIC[type].write(value);
      }
      default:
        return NUMERIC[type] !== undefined && Number.isNaN(NUMERIC[type].read(text)) ? '' : text;
    }
  };
  internal.valueMode = modeOf;
  internal.sanitizedValue = sanitized;

  const wrongState = (text) => new internal.DOMException(text, 'InvalidStateError');
  const DATED = new Set(['date', 'month', 'week', 'time']);
  const stepBy = (input, count) => {
    const type = internal.inputType(input);
    const kind = NUMERIC[type];
    const step = kind === undefined ? null : internal.stepOf(input);
    if (step === null) throw wrongState('The input has no steps');
    const [min, max] = [limit(input, 'min'), limit(input, 'max')];
    if (min > max) return;
    const start = internal.stepStart(input);
    const exact = (value) => Number(value.toPrecision(12));
    // Steps from the start, with the errors of binary fractions taken out.
    const steps = (value) => exact((value - start) / step);
    const lowest = Number.isNaN(min) ? -Infinity : Math.ceil(steps(min));
    const highest = Number.isNaN(max) ? Infinity : Math.floor(steps(max));
    if (lowest > highest || count === 0) return;
    const value = kind.read(input.value);
    const from = Number.isNaN(value) ? 0 : value;
    const own = steps(from);
    let to = Number.isInteger(own) ? own + count : count < 0 ? Math.floor(own) + count + 1 : Math.ceil(own) + count - 1;
    to = Math.max(lowest, Math.min(highest, to));
    const result = exact(start + to * step);
    if (count < 0 ? result > from : result < from) return;
    input.value = kind.write(result);
  };
  mix(N('Input'), {
    get valueAsNumber() {
      return internal.numberIn(internal.inputType(this), this.value);
    },
    set valueAsNumber(value) {
      value = +value;
      const kind = NUMERIC[internal.inputType(this)];
      if (Math.abs(value) === Infinity) throw new TypeError('The number is not finite');
      if (kind === undefined) throw wrongState('The input has no numeric value');
      this.value = Number.isNaN(value) ? '' : kind.write(value);
    },
    get valueAsDate() {
      const type = internal.inputType(this);
      if (!DATED.has(type)) return null;
      const value = NUMERIC[type].read(this.value);
      if (Number.isNaN(value)) return null;
      return new Date(type === 'month' ? Date.UTC(1970, value) : value);
    },
    set valueAsDate(value) {
      const type = internal.inputType(this);
      if (!DATED.has(type)) throw wrongState('The input has no date');
      if (value !== null && !(value instanceof Date)) throw internal.wrongType('value', 'an instance of Date', value);
      const ms = value === null ? NaN : value.getTime();
      if (Number.isNaN(ms)) this.value = '';
      else if (type === 'month') this.value = writeDate(ms).slice(0, -3);
      else this.value = NUMERIC[type].write(ms);
    },
    stepUp(count = 1) {
      stepBy(this, count | 0);
    },
    stepDown(count = 1) {
      stepBy(this, -(count | 0));
    },
  });
});
