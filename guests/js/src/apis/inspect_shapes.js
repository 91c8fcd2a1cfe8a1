// How each kind of object is shown: what stands before the braces, which braces, which entries.
(function (native, internal) {
  'use strict';

  const P = internal.primordials;
  const {
    arrayJoin, arrayPush, endsWith, functionToString, getOwnPropertyDescriptor, hasOwn, includes,
    indexOf, isArray, keys: objectKeys, numberToString, padStart, propertyIsEnumerable, regExpExec,
    slice, split, startsWith, symbolToString, uncurry,
  } = P;
  const { constructorName, engineName, functionType, has, kindOf, lookup, prototypeOf } = internal.kinds;
  const { formatElement, formatNumber, formatValue, listedKeys, plural, replaceLines } = internal.inspecting;
  const { quote } = internal.layout;
  const { promiseState } = native;
  const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
  const getter = (object, key) => uncurry(Object.getOwnPropertyDescriptor(object, key).get);
  const typedLength = getter(typedArrayPrototype, 'length');
  const byteLength = getter(ArrayBuffer.prototype, 'byteLength');
  const sharedByteLength = getter(SharedArrayBuffer.prototype, 'byteLength');
  const Bytes = Uint8Array;
  const SafeRegExp = RegExp;
  const { min } = Math;
  const splice = uncurry(Array.prototype.splice);
  const ERROR_KEYS = ['name', 'message', 'stack'];
  const TYPED_KEYS = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];

  // The constructor's name, null without a prototype, or an account of a prototype without one.
  const nameOf = (ctx, value, depth) => {
    const name = constructorName(value);
    if (name !== undefined) return name;
    const prototype = prototypeOf(value);
    if (prototype === null) return null;
    const own = engineName(value);
    if (ctx.depth !== null && depth > ctx.depth) return `${own} <Complex prototype>`;
    const inherited = nameOf(ctx, prototype, depth + 1);
    if (inherited !== null) return `${own} <${inherited}>`;
    const shown = internal.inspect(prototype, { __proto__: null, depth: -1, customInspect: false });
    return `${own} <${shown}>`;
  };

  const prefix = (name, tag, fallback, size = '') => {
    if (name === null) {
      return tag !== '' && fallback !== tag
        ? `[${fallback}${size}: null prototype] [${tag}] `
        : `[${fallback}${size}: null prototype] `;
    }
    return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
  };

  const tagOf = (ctx, value) => {
    const tag = lookup(value, Symbol.toStringTag);
    if (typeof tag !== 'string' || tag === '') return '';
    // An own tag that is listed among the keys would be shown twice.
    const listed = ctx.showHidden ? hasOwn(value, Symbol.toStringTag) : propertyIsEnumerable(value, Symbol.toStringTag);
    return listed ? '' : tag;
  };

  const moreItems = (output, remaining) => {
    if (remaining > 0) arrayPush(output, `... ${plural(remaining, 'more item')}`);
    return output;
  };

  // Walks indices while there are no holes, own keys from the first hole on: an array of a
  // length of billions costs what it holds.
  const arrayEntries = (ctx, value, depth) => {
    const output = [];
    const length = value.length;
    const limit = min(ctx.maxArrayLength < 0 ? 0 : ctx.maxArrayLength, length);
    let index = 0;
    while (index < limit && hasOwn(value, index)) {
      arrayPush(output, formatElement(ctx, value, index, depth));
      index++;
    }
    if (index === limit) return moreItems(output, length - index);
    const keys = objectKeys(value);
    for (let k = index; k < keys.length && output.length < limit; k++) {
      const at = +keys[k];
      if (`${at >>> 0}` !== keys[k] || at > 4294967294) break;
      if (at !== index) {
        arrayPush(output, `<${plural(at - index, 'empty item')}>`);
        index = at;
        if (output.length === limit) break;
      }
      arrayPush(output, formatElement(ctx, value, index, depth));
      index++;
    }
    const remaining = length - index;
    if (output.length === limit) return moreItems(output, remaining);
    if (remaining > 0) arrayPush(output, `<${plural(remaining, 'empty item')}>`);
    return output;
  };

  const typedEntries = (ctx, value, depth) => {
    const output = [];
    const length = typedLength(value);
    const limit = min(ctx.maxArrayLength < 0 ? 0 : ctx.maxArrayLength, length);
    for (let i = 0; i < limit; i++) {
      const item = value[i];
      arrayPush(output, typeof item === 'bigint' ? `${item}n` : formatNumber(item));
    }
    moreItems(output, length - limit);
    if (ctx.showHidden) {
      ctx.indent += 2;
      for (let i = 0; i < TYPED_KEYS.length; i++) {
        const key = TYPED_KEYS[i];
        arrayPush(output, `[${key}]: ${formatValue(ctx, value[key], depth, true)}`);
      }
      ctx.indent -= 2;
    }
    return output;
  };

  const collectionEntries = (forEach, sizeOf, format) => (ctx, value, depth) => {
    const output = [];
    const size = sizeOf(value);
    const limit = min(ctx.maxArrayLength < 0 ? 0 : ctx.maxArrayLength, size);
    const taken = [];
    // Collected before any is formatted, so that inspection cannot change what is iterated.
    forEach(value, (item, key) => {
      if (taken.length < limit) arrayPush(taken, { item, key });
    });
    ctx.indent += 2;
    for (let i = 0; i < taken.length; i++) arrayPush(output, format(ctx, taken[i], depth));
    ctx.indent -= 2;
    return moreItems(output, size - limit);
  };
  const setEntries = collectionEntries(P.setForEach, P.setSize, (ctx, { item }, depth) =>
    formatValue(ctx, item, depth));
  const mapEntries = collectionEntries(P.mapForEach, P.mapSize, (ctx, { item, key }, depth) =>
    `${formatValue(ctx, key, depth)} => ${formatValue(ctx, item, depth)}`);

  const bufferLength = (value) =>
    engineName(value) === 'ArrayBuffer' ? byteLength(value) : sharedByteLength(value);

  const bufferEntries = (ctx, value) => {
    const bytes = new Bytes(value);
    const length = typedLength(bytes);
    const limit = min(ctx.maxArrayLength < 0 ? 0 : ctx.maxArrayLength, length);
    const output = [];
    for (let i = 0; i < limit; i++) arrayPush(output, padStart(numberToString(bytes[i], 16), 2, '0'));
    let text = arrayJoin(output, ' ');
    if (length > limit) text += ` ... ${plural(length - limit, 'more byte')}`;
    return [`[Uint8Contents]: <${text}>`];
  };

  const promiseEntries = (ctx, value, depth) => {
    const state = promiseState(value);
    if (state[0] === 0) return ['<pending>'];
    ctx.indent += 2;
    const text = formatValue(ctx, state[1], depth);
    ctx.indent -= 2;
    return [state[0] === 2 ? `<rejected> ${text}` : text];
  };

  const isClass = (value) => {
    const source = functionToString(value);
    return startsWith(source, 'class') && endsWith(source, '}') &&
      regExpExec(/^class(?:[\s{]|\/\*|\/\/)/, source) !== null;
  };

  const text = (value) => (typeof value === 'string' ? value : '');

  const functionBase = (value, name, tag) => {
    const own = text(lookup(value, 'name'));
    if (isClass(value)) {
      let base = `[class ${hasOwn(value, 'name') && own !== '' ? own : '(anonymous)'}`;
      if (name !== 'Function' && name !== null) base += ` [${name}]`;
      if (tag !== '' && name !== tag) base += ` [${tag}]`;
      if (name === null) return `${base} extends [null prototype]]`;
      const parent = prototypeOf(value);
      const parentName = parent === null ? '' : text(lookup(parent, 'name'));
      return parentName === '' ? `${base}]` : `${base} extends ${parentName}]`;
    }
    const type = functionType(value);
    let base = `[${type}`;
    if (name === null) base += ' (null prototype)';
    base += own === '' ? ' (anonymous)]' : `: ${own}]`;
    if (name !== type && name !== null) base += ` ${name}`;
    if (tag !== '' && name !== tag) base += ` [${tag}]`;
    return base;
  };

  const boxedBase = (ctx, value, keys, name, tag) => {
    const type = engineName(value);
    let shown;
    if (type === 'Number') shown = formatNumber(P.numberValueOf(value));
    else if (type === 'String') {
      shown = P.stringValueOf(value);
      // Its characters are own keys, and come first.
      splice(keys, 0, shown.length);
      shown = quote(shown);
    } else if (type === 'Boolean') shown = `${P.booleanValueOf(value)}`;
    else if (type === 'BigInt') shown = `${P.bigIntValueOf(value)}n`;
    else shown = symbolToString(P.symbolValueOf(value));
    let base = `[${type}`;
    if (type !== name) base += name === null ? ' (null prototype)' : ` (${name})`;
    base += `: ${shown}]`;
    if (tag !== '' && tag !== name) base += ` [${tag}]`;
    return base;
  };

  // The stack, with the class named in its first line, and no key whose text it already has.
  const errorBase = (ctx, value, name, tag, keys) => {
    const errorName = lookup(value, 'name');
    const ownName = errorName === undefined || errorName === null ? 'Error' : `${text(errorName)}`;
    const message = lookup(value, 'message');
    const rawStack = lookup(value, 'stack');
    let stack = typeof rawStack === 'string' && rawStack !== '' ? rawStack : plainError(ownName, text(message));
    if (!ctx.showHidden && keys.length !== 0) {
      for (let i = 0; i < ERROR_KEYS.length; i++) {
        const index = keyIndex(keys, ERROR_KEYS[i]);
        const shown = lookup(value, ERROR_KEYS[i]);
        if (index !== -1 && (typeof shown !== 'string' || includes(stack, shown))) splice(keys, index, 1);
      }
    }
    if (has(value, 'cause') && keyIndex(keys, 'cause') === -1) arrayPush(keys, 'cause');
    if (isArray(getOwnPropertyDescriptor(value, 'errors')?.value) && keyIndex(keys, 'errors') === -1) {
      arrayPush(keys, 'errors');
    }
    stack = nameInStack(stack, name, ownName, tag);
    const messageAt = typeof message === 'string' && message !== '' ? indexOf(stack, message) : -1;
    const framesAt = indexOf(stack, '\n    at', messageAt === -1 ? 0 : messageAt + message.length);
    if (framesAt === -1) return replaceLines(`[${stack}]`, ctx.indent);
    const frames = split(slice(stack, framesAt + 1), '\n');
    return replaceLines(`${slice(stack, 0, framesAt)}\n${withoutShared(value, frames)}`, ctx.indent);
  };

  // Frames that the cause has as well are shown there, and counted here.
  const withoutShared = (value, frames) => {
    const cause = lookup(value, 'cause');
    const isError = cause !== null && typeof cause === 'object' && kindOf(cause) === 'error';
    const theirs = isError ? text(lookup(cause, 'stack')) : '';
    const at = indexOf(theirs, '\n    at');
    const others = at === -1 ? [] : split(slice(theirs, at + 1), '\n');
    for (let i = 0; i < frames.length - 3; i++) {
      const start = keyIndex(others, frames[i]);
      if (start === -1) continue;
      let run = 1;
      while (i + run < frames.length && start + run < others.length &&
             frames[i + run] === others[start + run]) run++;
      if (run <= 3) continue;
      const shared = `    ... ${run - 2} lines matching cause stack trace ...`;
      splice(frames, i + 1, run - 2, shared);
      break;
    }
    return arrayJoin(frames, '\n');
  };

  const plainError = (name, message) =>
    message === '' ? name : name === '' ? message : `${name}: ${message}`;

  const keyIndex = (keys, wanted) => {
    for (let i = 0; i < keys.length; i++) if (keys[i] === wanted) return i;
    return -1;
  };

  const nameInStack = (stack, name, ownName, tag) => {
    let length = ownName.length;
    const after = stack[length];
    const named = endsWith(ownName, 'Error') && startsWith(stack, ownName) &&
      (after === undefined || after === ':' || after === '\n');
    if (name !== null && !named) return stack;
    let fallback = 'Error';
    if (name === null) {
      const start = regExpExec(/^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/, stack) ??
        regExpExec(/^([a-z_A-Z0-9-]*Error)$/, stack);
      fallback = start === null ? '' : start[1];
      length = fallback.length;
      if (fallback === '') fallback = 'Error';
    }
    const wanted = slice(prefix(name, tag, fallback), 0, -1);
    if (ownName === wanted) return stack;
    if (!includes(wanted, ownName)) return `${wanted} [${ownName}]${slice(stack, length)}`;
    return length === 0 ? `${wanted}: ${stack}` : `${wanted}${slice(stack, length)}`;
  };

  const list = (open, keys, entries, label) =>
    ({ base: '', open, close: ']', keys, entries, isList: true, label });
  const braces = (open, keys, entries, label, base = '') =>
    ({ base, open, close: '}', keys, entries, isList: false, label });

  // The shape of an object, or the finished text when nothing is left to open.
  internal.shapeOf = (ctx, value, depth, inTypedArray) => {
    const kind = kindOf(value);
    const name = nameOf(ctx, value, depth);
    const tag = tagOf(ctx, value);
    const isList = kind === 'array' || kind === 'typedarray';
    const keys = listedKeys(ctx, value, isList);
    const fallback = kind === 'object' || kind === 'other' ? 'Object' : engineName(value);
    const short = slice(prefix(name, tag, fallback), 0, -1);
    const label = name === null ? short : `[${short}]`;
    const plain = (base) => (keys.length === 0 ? base : braces('{', keys, undefined, label, base));

    switch (kind) {
      case 'array': {
        const before = name === 'Array' && tag === '' ? '' : prefix(name, tag, 'Array', `(${value.length})`);
        if (value.length === 0 && keys.length === 0) return `${before}[]`;
        return list(`${before}[`, keys, arrayEntries, label);
      }
      case 'typedarray': {
        const length = typedLength(value);
        const before = prefix(name, tag, engineName(value), `(${length})`);
        if (length === 0 && keys.length === 0 && !ctx.showHidden) return `${before}[]`;
        return list(`${before}[`, keys, typedEntries, label);
      }
      case 'set':
      case 'map': {
        const size = kind === 'set' ? P.setSize(value) : P.mapSize(value);
        const before = prefix(name, tag, fallback, `(${size})`);
        if (size === 0 && keys.length === 0) return `${before}{}`;
        return braces(`${before}{`, keys, kind === 'set' ? setEntries : mapEntries, label);
      }
      case 'function':
        return plain(functionBase(value, name, tag));
      case 'regexp': {
        const before = prefix(name, tag, 'RegExp');
        const base = P.regExpToString(name === null ? new SafeRegExp(value) : value);
        return plain(before === 'RegExp ' ? base : `${before}${base}`);
      }
      case 'date': {
        const time = P.dateGetTime(value);
        const base = time === time ? P.dateToISOString(value) : 'Invalid Date';
        const before = prefix(name, tag, 'Date');
        return plain(before === 'Date ' ? base : `${before}${base}`);
      }
      case 'error':
        return plain(errorBase(ctx, value, name, tag, keys));
      case 'boxed':
        return plain(boxedBase(ctx, value, keys, name, tag));
      case 'arraybuffer': {
        const before = prefix(name, tag, fallback);
        if (inTypedArray && keys.length === 0) return `${before}{ byteLength: ${bufferLength(value)} }`;
        splice(keys, 0, 0, 'byteLength');
        return braces(`${before}{`, keys, inTypedArray ? undefined : bufferEntries, label);
      }
      case 'dataview':
        splice(keys, 0, 0, 'byteLength', 'byteOffset', 'buffer');
        return braces(`${prefix(name, tag, 'DataView')}{`, keys, undefined, label);
      case 'promise':
        return braces(`${prefix(name, tag, 'Promise')}{`, keys, promiseEntries, label);
      case 'weak':
        return braces(`${prefix(name, tag, fallback)}{`, keys, () => ['<items unknown>'], label);
      case 'arguments': {
        const open = '[Arguments] {';
        return keys.length === 0 ? `${open}}` : braces(open, keys, undefined, label);
      }
      default: {
        const isModule = kind === 'other' && name === null && tag === 'Module';
        const before = isModule ? '[Module: null prototype] '
          : name === 'Object' && tag === '' ? '' : prefix(name, tag, 'Object');
        if (keys.length === 0) return `${before}{}`;
        return braces(`${before}{`, keys, undefined, label);
      }
    }
  };
})
