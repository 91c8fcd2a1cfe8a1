// The shape of each kind of object: the text before the braces, the braces, the entries.
(function (native, internal) {
  'use strict';

  const P = internal.primordials;
  const {
    endsWith,
    functionToString,
    hasOwn,
    propertyIsEnumerable,
    regExpExec,
    slice,
    startsWith,
    symbolToString,
    uncurry,
  } = P;
  const { constructorName, engineName, functionType, kindOf, lookup, prototypeOf } = internal.kinds;
  const {
    arrayEntries,
    bufferEntries,
    bufferLength,
    errorBase,
    formatNumber,
    listedKeys,
    mapEntries,
    prefix,
    promiseEntries,
    restEntries,
    restOf,
    setEntries,
    typedEntries,
    typedLength,
  } = internal.inspecting;
  const { quote } = internal.layout;
  const SafeRegExp = RegExp;
  const splice = uncurry(Array.prototype.splice);

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

  const tagOf = (ctx, value) => {
    const tag = lookup(value, Symbol.toStringTag);
    if (typeof tag !== 'string' || tag === '') return '';
    // An own tag that is listed among the keys would be shown twice.
    const listed = ctx.showHidden
      ? hasOwn(value, Symbol.toStringTag)
      : propertyIsEnumerable(value, Symbol.toStringTag);
    return listed ? '' : tag;
  };

  const isClass = (value) => {
    const source = functionToString(value);
    return (
      startsWith(source, 'class') &&
      endsWith(source, '}') &&
      // As in Node, one that extends the result of a call is shown as a function.
      regExpExec(/^class(?:[\s{]|\/\*|\/\/)[^(]*\{/, source) !== null
    );
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

  const list = (open, keys, entries, label) => ({
    base: '',
    open,
    close: ']',
    keys,
    entries,
    isList: true,
    label,
  });
  const braces = (open, keys, entries, label, base = '') => ({
    base,
    open,
    close: '}',
    keys,
    entries,
    isList: false,
    label,
  });

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
        const before =
          name === 'Array' && tag === '' ? '' : prefix(name, tag, 'Array', `(${value.length})`);
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
      case 'iterator': {
        const rest = restOf(value, ctx.maxArrayLength);
        if (rest === undefined) return plain(`${prefix(name, tag, fallback)}{}`);
        const head = rest[0] ? `${slice(fallback, 0, 4)}Entries` : fallback;
        return braces(`[${head}] {`, keys, restEntries(rest), label);
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
        if (inTypedArray && keys.length === 0)
          return `${before}{ byteLength: ${bufferLength(value)} }`;
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
        const before = isModule
          ? '[Module: null prototype] '
          : name === 'Object' && tag === ''
            ? ''
            : prefix(name, tag, 'Object');
        if (keys.length === 0) return `${before}{}`;
        return braces(`${before}{`, keys, undefined, label);
      }
    }
  };
});
