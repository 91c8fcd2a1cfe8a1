// The text of a console call: format specifiers, then the rest, separated by spaces.
(function (native, internal) {
  'use strict';

  const {
    arrayJoin,
    arrayPush,
    charCodeAt,
    getOwnPropertyDescriptor,
    hasOwn,
    includes,
    parseFloat,
    parseInt,
    slice,
    stringify,
    uncurry,
  } = internal.primordials;
  const { lookup, prototypeOf, unwrap } = internal.kinds;
  const { formatNumber } = internal.inspecting;
  const { inspect } = internal;
  // The engine's own classes, known by identity: `%s` opens their instances.
  const builtIns = new Set();
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^[A-Z]/.test(name)) builtIns.add(globalThis[name]);
  }
  const isBuiltIn = uncurry(Set.prototype.has);

  const asNumber = (value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return 'NaN';
    return formatNumber(Number(value));
  };

  const asInteger = (value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return 'NaN';
    return formatNumber(parseInt(value));
  };

  const asFloat = (value) => (typeof value === 'symbol' ? 'NaN' : formatNumber(parseFloat(value)));

  const asJson = (value) => {
    try {
      return stringify(value);
    } catch (error) {
      if (includes(`${lookup(error, 'message')}`, 'circular')) return '[Circular]';
      throw error;
    }
  };

  // True if a program wrote a toString for the object: then `%s` uses it.
  const hasOwnText = (value) => {
    let holder = unwrap(value);
    if (holder === null) return false;
    if (typeof lookup(holder, 'toString') !== 'function') return false;
    const converts = (object) => hasOwn(object, 'toString') || hasOwn(object, Symbol.toPrimitive);
    if (converts(holder)) return true;
    do holder = prototypeOf(holder);
    while (!converts(holder));
    return !isBuiltIn(builtIns, getOwnPropertyDescriptor(holder, 'constructor')?.value);
  };

  const asString = (value) => {
    if (typeof value === 'number') return formatNumber(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (value === null || typeof value !== 'object' || hasOwnText(value)) return toText(value);
    return inspect(value, { __proto__: null, depth: 0, compact: 3 });
  };
  const toText = String;

  const OPEN = { __proto__: null, showHidden: true, showProxy: true, depth: 4 };
  const specifiers = {
    __proto__: null,
    115: asString, // s
    100: asNumber, // d
    105: asInteger, // i
    102: asFloat, // f
    106: asJson, // j
    111: (value) => inspect(value, OPEN), // o
    79: (value) => inspect(value), // O
    99: () => '', // c
  };

  internal.format = (args) => {
    const parts = [];
    let next = 0;
    const first = args[0];
    if (typeof first === 'string' && args.length > 1) {
      let text = '';
      let from = 0;
      next = 1;
      for (let i = 0; i < first.length - 1; i++) {
        if (charCodeAt(first, i) !== 37) continue;
        const code = charCodeAt(first, i + 1);
        if (code === 37) {
          text += slice(first, from, i + 1);
        } else if (next < args.length && specifiers[code] !== undefined) {
          text += slice(first, from, i) + specifiers[code](args[next++]);
        } else {
          continue;
        }
        i++;
        from = i + 1;
      }
      arrayPush(parts, text + slice(first, from));
    }
    for (; next < args.length; next++) {
      const value = args[next];
      arrayPush(parts, typeof value === 'string' ? value : inspect(value));
    }
    return arrayJoin(parts, ' ');
  };
});
