// The text between the braces of lists, collections, buffers and promises.
(function (native, internal) {
  'use strict';

  const P = internal.primordials;
  const { arrayJoin, arrayPush, hasOwn, keys: objectKeys, numberToString, padStart, uncurry } = P;
  const { engineName } = internal.kinds;
  const { formatElement, formatNumber, formatValue, plural } = internal.inspecting;
  const { promiseState } = native;
  const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
  const getter = (object, key) => uncurry(Object.getOwnPropertyDescriptor(object, key).get);
  const typedLength = getter(typedArrayPrototype, 'length');
  const byteLength = getter(ArrayBuffer.prototype, 'byteLength');
  const sharedByteLength = getter(SharedArrayBuffer.prototype, 'byteLength');
  const Bytes = Uint8Array;
  const { min } = Math;
  const TYPED_KEYS = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];

  const MOST = 2 ** 32 - 1;

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
    formatValue(ctx, item, depth),
  );
  const mapEntries = collectionEntries(
    P.mapForEach,
    P.mapSize,
    (ctx, { item, key }, depth) =>
      `${formatValue(ctx, key, depth)} => ${formatValue(ctx, item, depth)}`,
  );

  // Items that an iterator of a Map or Set has left; undefined for another object.
  const restOf = (value, limit) => internal.iteratorRest?.(value, min(limit < 0 ? 0 : limit, MOST));
  const restEntries = (rest) => (ctx, value, depth) => {
    const output = [];
    ctx.indent += 2;
    for (let i = 2; i < rest.length; i++) arrayPush(output, formatValue(ctx, rest[i], depth));
    ctx.indent -= 2;
    return moreItems(output, rest[1] - (rest.length - 2));
  };

  const bufferLength = (value) =>
    engineName(value) === 'ArrayBuffer' ? byteLength(value) : sharedByteLength(value);

  const bufferEntries = (ctx, value) => {
    const bytes = new Bytes(value);
    const length = typedLength(bytes);
    const limit = min(ctx.maxArrayLength < 0 ? 0 : ctx.maxArrayLength, length);
    const output = [];
    for (let i = 0; i < limit; i++)
      arrayPush(output, padStart(numberToString(bytes[i], 16), 2, '0'));
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

  Object.assign(internal.inspecting, {
    arrayEntries,
    bufferEntries,
    bufferLength,
    mapEntries,
    promiseEntries,
    restEntries,
    restOf,
    setEntries,
    typedEntries,
    typedLength,
  });
});
