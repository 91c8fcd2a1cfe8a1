// Values as Node's util.inspect prints them.
(function (native, internal) {
  'use strict';

  const {
    apply,
    arrayJoin,
    arrayPush,
    arraySlice,
    arraySort,
    getOwnPropertyDescriptor,
    getOwnPropertyNames,
    getOwnPropertySymbols,
    hasOwn,
    includes,
    keys: objectKeys,
    propertyIsEnumerable,
    regExpExec,
    repeat,
    slice,
    split,
    symbolToString,
    uncurry,
  } = internal.primordials;
  const { isProxy, lookup, unwrap } = internal.kinds;
  const { escape, join, quote } = internal.layout;
  const { proxyParts } = native;
  const { customInspect } = internal;
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapSize = internal.primordials.mapSize;
  const SafeMap = Map;
  const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const INDEX = /^(0|[1-9][0-9]*)$/;

  // Past this much text nested objects are named and no longer opened.
  const MAX_TEXT = 1 << 27;

  const DEFAULTS = {
    __proto__: null,
    showHidden: false,
    depth: 2,
    colors: false,
    customInspect: true,
    showProxy: false,
    maxArrayLength: 100,
    maxStringLength: 10000,
    breakLength: 80,
    compact: 3,
    sorted: false,
    getters: false,
    numericSeparator: false,
  };

  const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

  const replaceLines = (text, indent) =>
    indent === 0 ? text : arrayJoin(split(text, '\n'), `\n${repeat(' ', indent)}`);

  const formatString = (ctx, text) => {
    let more = '';
    if (text.length > ctx.maxStringLength) {
      more = `... ${plural(text.length - ctx.maxStringLength, 'more character')}`;
      text = slice(text, 0, ctx.maxStringLength);
    }
    if (
      ctx.compact !== true &&
      text.length > 16 &&
      text.length > ctx.breakLength - ctx.indent - 4 &&
      includes(text, '\n')
    ) {
      const lines = split(text, '\n');
      const last = lines.length - 1;
      const quoted = [];
      for (let i = 0; i <= last; i++) {
        if (i < last) arrayPush(quoted, quote(`${lines[i]}\n`));
        else if (lines[i] !== '') arrayPush(quoted, quote(lines[i]));
      }
      return arrayJoin(quoted, ` +\n${repeat(' ', ctx.indent + 2)}`) + more;
    }
    return quote(text) + more;
  };

  const formatNumber = (number) => (number === 0 && 1 / number < 0 ? '-0' : `${number}`);

  const formatPrimitive = (ctx, value) => {
    switch (typeof value) {
      case 'string':
        return formatString(ctx, value);
      case 'number':
        return formatNumber(value);
      case 'bigint':
        return `${value}n`;
      case 'symbol':
        return symbolToString(value);
      default:
        return `${value}`;
    }
  };

  // The options as a program's own inspection method sees them.
  const userOptions = (ctx) => {
    const options = { stylize: (text) => `${text}` };
    for (const name in DEFAULTS) options[name] = ctx[name];
    return options;
  };

  const formatCustom = (ctx, value, original, depth) => {
    if (!ctx.customInspect) return undefined;
    const method = lookup(value, customInspect);
    if (typeof method !== 'function' || method === inspect) return undefined;
    const constructor = lookup(value, 'constructor');
    if (typeof constructor === 'function' && lookup(constructor, 'prototype') === value)
      return undefined;
    const left = ctx.depth === null ? null : ctx.depth - depth;
    const shown = apply(method, original, [left, userOptions(ctx), inspect]);
    if (shown === original) return undefined;
    if (shown !== null && typeof shown === 'object') return formatValue(ctx, shown, depth);
    return replaceLines(`${shown}`, ctx.indent);
  };

  const formatCircular = (ctx, value) => {
    ctx.circular ??= new SafeMap();
    let index = mapGet(ctx.circular, value);
    if (index === undefined) {
      index = mapSize(ctx.circular) + 1;
      mapSet(ctx.circular, value, index);
    }
    return `[Circular *${index}]`;
  };

  const formatValue = (ctx, value, depth, inTypedArray = false) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return formatPrimitive(ctx, value);
    }
    const original = value;
    if (isProxy(value)) {
      if (ctx.showProxy) return formatProxy(ctx, value, depth);
      value = unwrap(value);
      if (value === null) return '<Revoked Proxy>';
    }
    const custom = formatCustom(ctx, value, original, depth);
    if (custom !== undefined) return custom;
    for (let i = 0; i < ctx.seen.length; i++) {
      if (ctx.seen[i] === value) return formatCircular(ctx, value);
    }
    return formatObject(ctx, value, depth, inTypedArray);
  };

  const formatProxy = (ctx, value, depth) => {
    const parts = proxyParts(value);
    if (parts[0] === null) return '<Revoked Proxy>';
    if (depth > ctx.depth && ctx.depth !== null) return 'Proxy [Array]';
    depth += 1;
    ctx.deepest = depth;
    ctx.indent += 2;
    const output = [formatValue(ctx, parts[0], depth), formatValue(ctx, parts[1], depth)];
    ctx.indent -= 2;
    return join(ctx, output, '', 'Proxy [', ']', { hasMore: false, alignRight: false }, depth);
  };

  // Own keys to list: enumerable ones, or all with showHidden; without indices for lists.
  const listedKeys = (ctx, value, isList) => {
    let names = ctx.showHidden ? getOwnPropertyNames(value) : objectKeys(value);
    if (isList) {
      const rest = [];
      for (let i = 0; i < names.length; i++) {
        if (regExpExec(INDEX, names[i]) === null || +names[i] > 4294967294)
          arrayPush(rest, names[i]);
      }
      names = rest;
    }
    const symbols = getOwnPropertySymbols(value);
    for (let i = 0; i < symbols.length; i++) {
      if (ctx.showHidden || propertyIsEnumerable(value, symbols[i])) arrayPush(names, symbols[i]);
    }
    return names;
  };

  const formatKey = (key, descriptor) => {
    if (typeof key === 'symbol') return `[${escape(symbolToString(key), '"')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (!descriptor.enumerable) return `[${escape(key, '"')}]`;
    return regExpExec(IDENTIFIER, key) !== null ? key : quote(key);
  };

  const formatSlot = (ctx, descriptor, depth) => {
    if (hasOwn(descriptor, 'value')) {
      ctx.indent += 2;
      const text = formatValue(ctx, descriptor.value, depth);
      ctx.indent -= 2;
      return text;
    }
    if (descriptor.get !== undefined) {
      return descriptor.set !== undefined ? '[Getter/Setter]' : '[Getter]';
    }
    return descriptor.set !== undefined ? '[Setter]' : 'undefined';
  };

  const formatElement = (ctx, value, key, depth) =>
    formatSlot(ctx, getOwnPropertyDescriptor(value, key), depth);

  const formatProperty = (ctx, value, key, depth) => {
    // Accessors for a part of the value, such as byteLength, live on the prototype.
    const descriptor = getOwnPropertyDescriptor(value, key) ?? {
      value: lookup(value, key),
      enumerable: true,
    };
    return `${formatKey(key, descriptor)}: ${formatSlot(ctx, descriptor, depth)}`;
  };

  const isStackOverflow = (error) => {
    const message = lookup(error, 'message');
    return typeof message === 'string' && includes(message, 'call stack size exceeded');
  };

  const formatObject = (ctx, value, depth, inTypedArray) => {
    const shape = internal.shapeOf(ctx, value, depth, inTypedArray);
    if (typeof shape === 'string') return shape;
    if (ctx.depth !== null && depth > ctx.depth) {
      return shape.label;
    }
    depth += 1;
    const outer = ctx.seen.length;
    arrayPush(ctx.seen, value);
    ctx.deepest = depth;
    const indent = ctx.indent;
    let output;
    try {
      output = shape.entries === undefined ? [] : shape.entries(ctx, value, depth);
      for (let i = 0; i < shape.keys.length; i++) {
        arrayPush(output, formatProperty(ctx, value, shape.keys[i], depth));
      }
    } catch (error) {
      if (error === null || typeof error !== 'object' || !isStackOverflow(error)) throw error;
      ctx.indent = indent;
      ctx.seen.length = outer;
      const name = slice(shape.label, 1, -1);
      return `[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`;
    }
    let base = shape.base;
    const index = ctx.circular === undefined ? undefined : mapGet(ctx.circular, value);
    if (index !== undefined) base = base === '' ? `<ref *${index}>` : `<ref *${index}> ${base}`;
    ctx.seen.length = outer;
    if (ctx.sorted) sortEntries(ctx, output, shape);
    const list = shape.isList
      ? { hasMore: ctx.maxArrayLength < output.length, alignRight: isNumeric(value, output.length) }
      : undefined;
    const text = join(ctx, output, base, shape.open, shape.close, list, depth);
    ctx.written += text.length;
    if (ctx.written > MAX_TEXT) ctx.depth = -1;
    return text;
  };

  const sortEntries = (ctx, output, shape) => {
    const compare = ctx.sorted === true ? undefined : ctx.sorted;
    if (!shape.isList) {
      arraySort(output, compare);
    } else if (shape.keys.length > 1) {
      const from = output.length - shape.keys.length;
      const extras = arraySort(arraySlice(output, from), compare);
      for (let i = 0; i < extras.length; i++) output[from + i] = extras[i];
    }
  };

  const isNumeric = (value, count) => {
    for (let i = 0; i < count; i++) {
      const type = typeof getOwnPropertyDescriptor(value, i)?.value;
      if (type !== 'number' && type !== 'bigint') return false;
    }
    return true;
  };

  // `inspect(value, options)`; the old form `(value, showHidden, depth)` is understood as well.
  function inspect(value, options, depth) {
    const ctx = {
      __proto__: null,
      ...DEFAULTS,
      seen: [],
      circular: undefined,
      indent: 0,
      deepest: 0,
      written: 0,
    };
    if (typeof options === 'boolean') {
      ctx.showHidden = options;
      if (depth !== undefined) ctx.depth = depth;
    } else if (options !== null && typeof options === 'object') {
      for (const name in DEFAULTS) {
        const given = options[name];
        if (given !== undefined) ctx[name] = given;
      }
    }
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    if (ctx.compact === false) ctx.compact = 0;
    return formatValue(ctx, value, 0);
  }
  inspect.custom = customInspect;

  internal.inspect = inspect;
  // Methods of the tool stay out of it: the run is over.
  native.onShowError((error) => inspect(error, { __proto__: null, customInspect: false }));
  internal.inspecting = {
    __proto__: null,
    formatValue,
    formatElement,
    formatNumber,
    listedKeys,
    plural,
    replaceLines,
  };
});
