// Shows errors: the stack, under the name of the class, and further properties.
(function (native, internal) {
  'use strict';

  const {
    arrayJoin,
    arrayPush,
    endsWith,
    getOwnPropertyDescriptor,
    includes,
    indexOf,
    isArray,
    regExpExec,
    slice,
    split,
    startsWith,
    uncurry,
  } = internal.primordials;
  const { has, kindOf, lookup } = internal.kinds;
  const { replaceLines } = internal.inspecting;
  const splice = uncurry(Array.prototype.splice);
  const ERROR_KEYS = ['name', 'message', 'stack'];
  const text = (value) => (typeof value === 'string' ? value : '');

  // The text before the brace: the class, its tag, and a missing prototype.
  const prefix = (name, tag, fallback, size = '') => {
    if (name === null) {
      return tag !== '' && fallback !== tag
        ? `[${fallback}${size}: null prototype] [${tag}] `
        : `[${fallback}${size}: null prototype] `;
    }
    return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
  };

  // The stack, with the class named in its first line, and no key whose text it already has.
  const errorBase = (ctx, value, name, tag, keys) => {
    const errorName = lookup(value, 'name');
    const ownName = errorName === undefined || errorName === null ? 'Error' : `${text(errorName)}`;
    const message = lookup(value, 'message');
    const rawStack = lookup(value, 'stack');
    let stack =
      typeof rawStack === 'string' && rawStack !== ''
        ? rawStack
        : plainError(ownName, text(message));
    if (!ctx.showHidden && keys.length !== 0) {
      for (let i = 0; i < ERROR_KEYS.length; i++) {
        const index = keyIndex(keys, ERROR_KEYS[i]);
        const shown = lookup(value, ERROR_KEYS[i]);
        if (index !== -1 && (typeof shown !== 'string' || includes(stack, shown)))
          splice(keys, index, 1);
      }
    }
    if (has(value, 'cause') && keyIndex(keys, 'cause') === -1) arrayPush(keys, 'cause');
    if (
      isArray(getOwnPropertyDescriptor(value, 'errors')?.value) &&
      keyIndex(keys, 'errors') === -1
    ) {
      arrayPush(keys, 'errors');
    }
    stack = nameInStack(stack, name, ownName, tag);
    const messageAt = typeof message === 'string' && message !== '' ? indexOf(stack, message) : -1;
    const framesAt = indexOf(stack, '\n    at', messageAt === -1 ? 0 : messageAt + message.length);
    if (framesAt === -1) return replaceLines(`[${stack}]`, ctx.indent);
    const frames = split(slice(stack, framesAt + 1), '\n');
    return replaceLines(
      `${slice(stack, 0, framesAt)}\n${withoutShared(value, frames)}`,
      ctx.indent,
    );
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
      while (
        i + run < frames.length &&
        start + run < others.length &&
        frames[i + run] === others[start + run]
      )
        run++;
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
    const named =
      endsWith(ownName, 'Error') &&
      startsWith(stack, ownName) &&
      (after === undefined || after === ':' || after === '\n');
    if (name !== null && !named) return stack;
    let fallback = 'Error';
    if (name === null) {
      const start =
        regExpExec(/^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/, stack) ??
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

  Object.assign(internal.inspecting, { errorBase, prefix });
});
