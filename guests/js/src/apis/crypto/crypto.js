// crypto: random bytes of the host, and digests.
(function (native, internal) {
  'use strict';

  const { bytesOf, coded, DOMException, hidden, token } = internal;
  const { digest, fillRandom } = native;
  const MAX_RANDOM = 65536;
  const ALGORITHMS = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];

  const isIntegerArray = (value) =>
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView) &&
    !(value instanceof Float32Array) &&
    !(value instanceof Float64Array) &&
    !(typeof Float16Array === 'function' && value instanceof Float16Array);

  class SubtleCrypto {
    #brand;

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    async digest(algorithm, data) {
      this.#brand;
      internal.requireArguments(
        arguments.length,
        2,
        "Failed to execute 'digest' on 'SubtleCrypto'",
      );
      // Before the data: looking at the algorithm may run a getter that changes or takes it.
      const isObject = algorithm !== null && typeof algorithm === 'object';
      const given = isObject ? algorithm.name : algorithm;
      if (given === undefined) {
        throw internal.wrongType('algorithm.name', 'of type string', given);
      }
      const wanted = `${given}`.toUpperCase();
      const bytes = bytesOf(data);
      if (bytes === undefined) {
        throw internal.wrongType('data', 'an instance of ArrayBuffer or ArrayBufferView', data);
      }
      const name = ALGORITHMS.find((known) => known === wanted);
      if (name === undefined)
        throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
      return digest(name, bytes);
    }
  }

  // Everything with keys is loaded at its first use.
  const METHODS = {
    decrypt: 3, deriveBits: 2, deriveKey: 5, encrypt: 3, exportKey: 2, generateKey: 3, importKey: 5,
    sign: 3, unwrapKey: 7, verify: 4, wrapKey: 4,
  };
  for (const [name, count] of Object.entries(METHODS)) {
    const method = {
      async [name](...args) {
        if (!(this instanceof SubtleCrypto)) throw internal.illegal();
        internal.requireArguments(args.length, count, `Failed to execute '${name}' on 'SubtleCrypto'`);
        return internal.openPart('internal/subtle')[name](...args);
      },
    }[name];
    Object.defineProperty(method, 'length', { value: count, configurable: true });
    Object.defineProperty(SubtleCrypto.prototype, name, { value: method, writable: true, enumerable: true, configurable: true });
  }

  const subtle = new SubtleCrypto(token);

  class Crypto {
    #brand;

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get subtle() {
      this.#brand;
      return subtle;
    }

    getRandomValues(array) {
      this.#brand;
      internal.requireArguments(
        arguments.length,
        1,
        "Failed to execute 'getRandomValues' on 'Crypto'",
      );
      if (!isIntegerArray(array)) {
        throw new DOMException(
          'The data argument must be an integer-type TypedArray',
          'TypeMismatchError',
        );
      }
      if (array.byteLength > MAX_RANDOM) {
        throw new internal.QuotaExceededError(`The requested length exceeds ${MAX_RANDOM} bytes`);
      }
      fillRandom(bytesOf(array));
      return array;
    }

    randomUUID() {
      this.#brand;
      const bytes = new Uint8Array(16);
      fillRandom(bytes);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = '';
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
        text += (bytes[i] + 256).toString(16).slice(1);
      }
      return text;
    }
  }

  internal.exposeClass(SubtleCrypto);
  internal.exposeClass(Crypto);
  // The class comes with the rest that has keys.
  Object.defineProperty(globalThis, 'CryptoKey', {
    get: () => internal.openPart('internal/subtle').CryptoKey,
    set: (value) => hidden(globalThis, 'CryptoKey', value),
    configurable: true,
  });
  internal.exposeObject('crypto', new Crypto(token));
  // Boundaries of multipart bodies.
  internal.randomHex = (count) => {
    const bytes = new Uint8Array(count);
    fillRandom(bytes);
    return Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join('');
  };
});
