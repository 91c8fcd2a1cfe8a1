// `Error.prototype.stack` as V8 shows it (QuickJS leaves out the line with name and message),
// and DOMException.
(function (native, internal) {
  'use strict';

  const { defineProperty, getOwnPropertyDescriptor, hasOwn } = Object;
  const { apply } = Reflect;
  const { endsWith, errorToString, slice, startsWith } = internal.primordials;
  const captured = getOwnPropertyDescriptor(Error.prototype, 'stack');

  const headline = (error) => {
    try {
      return errorToString(error);
    } catch {
      return 'Error';
    }
  };

  const withHeadline = (error, frames) => {
    if (typeof frames !== 'string') return frames;
    // Anything else was put there by the program, through prepareStackTrace or by hand.
    if (frames !== '' && !startsWith(frames, '    at ')) return frames;
    const head = headline(error);
    const lines = endsWith(frames, '\n') ? slice(frames, 0, -1) : frames;
    return lines === '' ? head : `${head}\n${lines}`;
  };

  const stack = {
    get stack() {
      return withHeadline(this, apply(captured.get, this, []));
    },
    set stack(value) {
      if (this === Error.prototype) apply(captured.set, this, [value]);
      defineProperty(this, 'stack', {
        value,
        writable: true,
        enumerable: false,
        configurable: true,
      });
    },
  };
  defineProperty(Error.prototype, 'stack', {
    ...getOwnPropertyDescriptor(stack, 'stack'),
    enumerable: false,
  });

  const nativeCapture = Error.captureStackTrace;
  const capture = {
    captureStackTrace(target, skip) {
      apply(nativeCapture, Error, [
        target,
        typeof skip === 'function' ? skip : capture.captureStackTrace,
      ]);
      const own = getOwnPropertyDescriptor(target, 'stack');
      if (own !== undefined && hasOwn(own, 'value')) {
        defineProperty(target, 'stack', { value: withHeadline(target, own.value) });
      }
    },
  };
  internal.hidden(Error, 'captureStackTrace', capture.captureStackTrace);
  internal.captureStackTrace = capture.captureStackTrace;

  const CODES = {
    IndexSizeError: 1,
    HierarchyRequestError: 3,
    WrongDocumentError: 4,
    InvalidCharacterError: 5,
    NoModificationAllowedError: 7,
    NotFoundError: 8,
    NotSupportedError: 9,
    InUseAttributeError: 10,
    InvalidStateError: 11,
    SyntaxError: 12,
    InvalidModificationError: 13,
    NamespaceError: 14,
    InvalidAccessError: 15,
    TypeMismatchError: 17,
    SecurityError: 18,
    NetworkError: 19,
    AbortError: 20,
    URLMismatchError: 21,
    QuotaExceededError: 22,
    TimeoutError: 23,
    InvalidNodeTypeError: 24,
    DataCloneError: 25,
  };

  let isException;
  // Extends Error, so that it is an error to the engine and carries a stack.
  class DOMException extends Error {
    #name = 'Error';
    #message;

    static {
      isException = (value) => #message in value;
    }

    constructor(message = '', options = 'Error') {
      super();
      this.#message = `${message}`;
      if (options !== null && typeof options === 'object') {
        if (options.name !== undefined) this.#name = `${options.name}`;
        if ('cause' in options) internal.hidden(this, 'cause', options.cause);
      } else {
        this.#name = `${options}`;
      }
    }

    get name() {
      return this.#name;
    }

    get message() {
      return this.#message;
    }

    get code() {
      return hasOwn(CODES, this.#name) ? CODES[this.#name] : 0;
    }
  }

  internal.constants(DOMException, {
    INDEX_SIZE_ERR: 1,
    DOMSTRING_SIZE_ERR: 2,
    HIERARCHY_REQUEST_ERR: 3,
    WRONG_DOCUMENT_ERR: 4,
    INVALID_CHARACTER_ERR: 5,
    NO_DATA_ALLOWED_ERR: 6,
    NO_MODIFICATION_ALLOWED_ERR: 7,
    NOT_FOUND_ERR: 8,
    NOT_SUPPORTED_ERR: 9,
    INUSE_ATTRIBUTE_ERR: 10,
    INVALID_STATE_ERR: 11,
    SYNTAX_ERR: 12,
    INVALID_MODIFICATION_ERR: 13,
    NAMESPACE_ERR: 14,
    INVALID_ACCESS_ERR: 15,
    VALIDATION_ERR: 16,
    TYPE_MISMATCH_ERR: 17,
    SECURITY_ERR: 18,
    NETWORK_ERR: 19,
    ABORT_ERR: 20,
    URL_MISMATCH_ERR: 21,
    QUOTA_EXCEEDED_ERR: 22,
    TIMEOUT_ERR: 23,
    INVALID_NODE_TYPE_ERR: 24,
    DATA_CLONE_ERR: 25,
  });

  // An amount that may be zero; null if it is not given.
  const amount = (options, name) => {
    const given = options?.[name];
    if (given === undefined) return null;
    const number = +given;
    if (!(Math.abs(number) < Infinity)) throw internal.wrongValue(`options.${name}`, given);
    if (number < 0) throw internal.wrongValue(`options.${name}`, given, RangeError);
    return number;
  };

  class QuotaExceededError extends DOMException {
    #quota;
    #requested;

    constructor(message = '', options = undefined) {
      super(message, 'QuotaExceededError');
      this.#quota = amount(options, 'quota');
      this.#requested = amount(options, 'requested');
      if (this.#quota !== null && this.#requested !== null && this.#requested < this.#quota) {
        throw internal.wrongValue('options.requested', this.#requested, RangeError);
      }
    }

    get quota() {
      return this.#quota;
    }

    get requested() {
      return this.#requested;
    }
  }

  // A copy of an exception keeps the stack of the first.
  const copyOf = (make) => (value) => {
    if (!isException(value)) return undefined;
    const copy = make(value);
    defineProperty(copy, 'stack', {
      __proto__: null,
      value: value.stack,
      writable: true,
      configurable: true,
    });
    return copy;
  };
  internal.copies.set(
    DOMException.prototype,
    copyOf((value) => new DOMException(value.message, value.name)),
  );
  internal.copies.set(
    QuotaExceededError.prototype,
    copyOf(({ message, quota, requested }) => {
      const options = { quota: quota ?? undefined, requested: requested ?? undefined };
      return new QuotaExceededError(message, options);
    }),
  );
  internal.exposeClass(DOMException);
  internal.exposeClass(QuotaExceededError);
  internal.QuotaExceededError = QuotaExceededError;
  internal.DOMException = DOMException;
  native.keepDomException(DOMException);
});
