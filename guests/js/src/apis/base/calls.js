// Calls of preludes to the host, and the errors that its refusals become.
(function (native, internal) {
  'use strict';

  const { DOMException } = internal;

  class PermissionError extends Error {
    constructor(message = '', members = {}) {
      super(`${message}`);
      const { code = 'PERMISSION_DENIED', requiredPermission, attemptedAction, requestId } = members;
      Object.assign(this, { code, requiredPermission, attemptedAction, requestId });
    }
  }
  internal.hidden(PermissionError.prototype, 'name', 'PermissionError');
  internal.hidden(globalThis, 'PermissionError', PermissionError);

  const CLASSES = { __proto__: null, Error, RangeError, SyntaxError, TypeError };

  const refused = (name, message, flat) => {
    const members = { __proto__: null };
    for (let at = 0; at < flat.length; at += 2) members[flat[at]] = flat[at + 1];
    if (name === 'PermissionError') return new PermissionError(message, members);
    const Class = CLASSES[name];
    const error = Class === undefined ? new DOMException(message, name) : new Class(message);
    return Object.assign(error, members);
  };
  native.onRefusal(refused);

  // Functions that make one call of the table: `takes` has a letter for each argument, `gives`
  // one for the answer; see calls/shape.rs. The first kind returns a promise, the second the value.
  const shapes = new Map();
  internal.hostCall = (name, takes, gives) => {
    const number = native.shape(name, takes, gives);
    const call = native.hostCall(number);
    shapes.set(call, number);
    return call;
  };
  internal.hostCallNow = (name, takes, gives) => native.hostCallNow(native.shape(name, takes, gives));

  // The number of the shape of a function that is a plain call; undefined for other functions.
  internal.callNumber = (found) => shapes.get(found);

  // Such functions by the names that tools know them by.
  internal.hostCalls = (table) => {
    for (const name of Object.keys(table)) {
      Object.defineProperty(table[name], 'name', { value: name, configurable: true });
    }
    return table;
  };

  // Members of `btcp` by name; each is made when a tool that may see it starts.
  internal.members = { __proto__: null };
});
