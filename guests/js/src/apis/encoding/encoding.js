// TextEncoder and TextDecoder.
(function (native, internal) {
  'use strict';

  const { bytesOf, coded, customInspect } = internal;
  const { decode, encode, encodeInto, encodingName, newDecoder } = native;

  class TextEncoder {
    #brand;

    get encoding() {
      this.#brand;
      return 'utf-8';
    }

    encode(input = '') {
      this.#brand;
      return encode(`${input}`);
    }

    encodeInto(source, destination) {
      this.#brand;
      internal.requireArguments(
        arguments.length,
        2,
        "Failed to execute 'encodeInto' on 'TextEncoder'",
      );
      if (!(destination instanceof Uint8Array)) {
        throw internal.wrongType('dest', 'an instance of Uint8Array', destination);
      }
      const [read, written] = encodeInto(`${source}`, destination);
      return { read, written };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    // The native decoder between chunks; absent between whole inputs.
    #state;

    constructor(label = 'utf-8', options = undefined) {
      const name = encodingName(`${label}`);
      if (name === undefined || name === null) {
        throw coded(
          new RangeError(`The "${label}" encoding is not supported`),
          'ERR_ENCODING_NOT_SUPPORTED',
        );
      }
      this.#encoding = name;
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }

    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input = new Uint8Array(0), options = undefined) {
      this.#encoding;
      const bytes = bytesOf(input);
      if (bytes === undefined) {
        throw internal.wrongType(
          'list',
          'an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView',
          input,
        );
      }
      const stream = Boolean(options?.stream);
      const state = this.#state ?? newDecoder(this.#encoding, this.#ignoreBOM);
      this.#state = stream ? state : undefined;
      const text = decode(state, bytes, !stream, this.#fatal);
      if (typeof text === 'string') return text;
      // A stream goes on after what was malformed, in the state that the decoder was in.
      throw coded(
        new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`),
        'ERR_ENCODING_INVALID_ENCODED_DATA',
      );
    }

    [customInspect](depth, options, inspect) {
      const { encoding, fatal, ignoreBOM } = this;
      return depth < 0
        ? 'TextDecoder'
        : `TextDecoder ${inspect({ encoding, fatal, ignoreBOM }, options)}`;
    }
  }

  internal.exposeClass(TextEncoder);
  internal.exposeClass(TextDecoder);
  internal.TextDecoder = TextDecoder;

  // Whole inputs in UTF-8, for bodies and blobs.
  internal.encodeUtf8 = (text) => encode(`${text}`);
  internal.decodeUtf8 = (bytes) => decode(newDecoder('utf-8', false), bytes, true, false);
  // A form may begin with a byte order mark, which is then part of its first name.
  internal.decodeWithBom = (bytes) => decode(newDecoder('utf-8', true), bytes, true, false);
});
