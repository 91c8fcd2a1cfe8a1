// The common part of Request and Response: a body that can be read once.
(function (native, internal) {
  'use strict';

  const { blobBytes, bytesOf, decodeUtf8, encodeUtf8 } = internal;
  const { deferred, recordOf, rejectedWith } = internal.streams;
  const { parse } = JSON;

  // `{ body, type }` of what a program gives as a body. A body is a record of bytes, or of a
  // stream; bytes become a stream only on demand.
  internal.extractBody = (init) => {
    if (internal.isReadableStream(init)) {
      if (init.locked || recordOf(init).disturbed) {
        throw new TypeError('Response body object should not be disturbed or locked');
      }
      return { body: { bytes: null, stream: init, used: false }, type: null };
    }
    const whole = (bytes, type) => ({ body: { bytes, stream: null, used: false }, type });
    if (internal.isBlob(init)) return whole(blobBytes(init), init.type === '' ? null : init.type);
    if (internal.isFormData(init)) {
      const { bytes, type } = internal.encodeFormData(init);
      return whole(bytes, type);
    }
    if (internal.isSearchParams(init)) {
      return whole(encodeUtf8(init.toString()), 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    const view = bytesOf(init);
    if (view !== undefined) return whole(view.slice(), null);
    if (
      init !== null &&
      typeof init === 'object' &&
      typeof init[Symbol.asyncIterator] === 'function'
    ) {
      const stream = internal.streamFrom(init);
      return { body: { bytes: null, stream, used: false }, type: null };
    }
    return whole(encodeUtf8(init), 'text/plain;charset=UTF-8');
  };

  internal.bodyOfStream = (stream) => ({ bytes: null, stream, used: false });

  const streamOf = (body) => {
    if (body.stream === null) {
      body.stream = internal.streamOfBytes(body.bytes);
      // Read already: the stream exists, and has nothing more to give.
      if (body.used) internal.streams.acquire(recordOf(body.stream));
      body.bytes = null;
    }
    return body.stream;
  };

  internal.isUsed = (body) =>
    body !== null && (body.used || (body.stream !== null && recordOf(body.stream).disturbed));

  internal.isUnusable = (body) =>
    internal.isUsed(body) || (body !== null && body.stream !== null && body.stream.locked);

  // A second body with the same content; the first goes on as one half of a tee.
  internal.cloneBody = (body) => {
    if (body === null) return null;
    if (body.stream === null) return { bytes: body.bytes, stream: null, used: false };
    const [first, second] = internal.tee(recordOf(body.stream), true);
    body.stream = first;
    return { bytes: null, stream: second, used: false };
  };
  // Converts the whole content. The content itself never settles a promise, so that
  // a `then` that a tool puts on Object.prototype does not see it.
  const consume = (body, convert) => {
    const result = deferred();
    const done = (bytes) => {
      try {
        result.resolve(convert(bytes));
      } catch (error) {
        result.reject(error);
      }
    };
    if (body === null) {
      done(new Uint8Array(0));
    } else if (internal.isUnusable(body)) {
      result.reject(new TypeError('Body is unusable: Body has already been read'));
    } else if (body.stream !== null) {
      internal.readBytes(body.stream, done, result.reject);
    } else {
      body.used = true;
      done(body.bytes);
    }
    return result.promise;
  };

  const formOf = (bytes, type) => {
    const form = internal.decodeFormData(bytes, type);
    if (form !== undefined) return form;
    throw /^multipart\/form-data/i.test(type)
      ? new TypeError('Failed to parse body as FormData.')
      : new TypeError(
          'Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".',
        );
  };

  // The type of a Content-Type header as a Blob has it.
  const blobType = (header) => {
    const type = header === null ? undefined : internal.contentType(header);
    return type === undefined ? '' : internal.writeMime(type);
  };

  // Gives a class the members of the Body mixin; `bodyOf` and `typeOf` check the receiver.
  internal.mixInBody = (Class, bodyOf, typeOf) => {
    const read = (receiver, convert) => {
      let body;
      try {
        body = bodyOf(receiver);
      } catch (error) {
        return rejectedWith(error);
      }
      return consume(body, convert);
    };
    // The bytes are shared with blobs and clones, so what is handed out is a copy.
    const members = {
      get body() {
        const body = bodyOf(this);
        return body === null ? null : streamOf(body);
      },
      get bodyUsed() {
        return internal.isUsed(bodyOf(this));
      },
      arrayBuffer() {
        return read(this, (bytes) => bytes.slice().buffer);
      },
      blob() {
        return read(this, (bytes) =>
          internal.blobOf(bytes.slice(), blobType(typeOf(this))),
        );
      },
      bytes() {
        return read(this, (bytes) => bytes.slice());
      },
      formData() {
        return read(this, (bytes) => formOf(bytes, typeOf(this) ?? ''));
      },
      json() {
        return read(this, (bytes) => parse(decodeUtf8(bytes)));
      },
      text() {
        return read(this, decodeUtf8);
      },
    };
    Object.defineProperties(Class.prototype, Object.getOwnPropertyDescriptors(members));
  };
});
