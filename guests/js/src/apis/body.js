// What Request and Response have in common: a body that can be read once.
(function (native, internal) {
  'use strict';

  const { blobBytes, bytesOf, decodeUtf8, encodeUtf8 } = internal;
  const { recordOf } = internal.streams;

  // `{ body, type }` of what a program gives as a body. A body is a record of bytes, or of a
  // stream; bytes become a stream only when somebody asks for it.
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
    const [first, second] = internal.tee(recordOf(body.stream), (chunk) => {
      const bytes = bytesOf(chunk);
      return bytes === undefined ? structuredClone(chunk) : bytes.slice();
    });
    body.stream = first;
    return { bytes: null, stream: second, used: false };
  };
  const { structuredClone } = globalThis;

  const consume = async (body) => {
    if (body === null) return new Uint8Array(0);
    if (internal.isUnusable(body))
      throw new TypeError('Body is unusable: Body has already been read');
    if (body.stream !== null) return internal.readBytes(body.stream);
    body.used = true;
    return body.bytes;
  };

  // Gives a class the members of the Body mixin; `bodyOf` and `typeOf` check the receiver.
  internal.mixInBody = (Class, bodyOf, typeOf) => {
    // The bytes are shared with blobs and clones, so what is handed out is a copy.
    const members = {
      get body() {
        const body = bodyOf(this);
        return body === null ? null : streamOf(body);
      },
      get bodyUsed() {
        return internal.isUsed(bodyOf(this));
      },
      async arrayBuffer() {
        return (await consume(bodyOf(this))).slice().buffer;
      },
      async blob() {
        const bytes = await consume(bodyOf(this));
        return internal.blobOf(bytes.slice(), typeOf(this) ?? '');
      },
      async bytes() {
        return (await consume(bodyOf(this))).slice();
      },
      async formData() {
        const type = typeOf(this) ?? '';
        const bytes = await consume(bodyOf(this));
        const form = internal.decodeFormData(bytes, type);
        if (form !== undefined) return form;
        throw /^multipart\/form-data/i.test(type)
          ? new TypeError('Failed to parse body as FormData.')
          : new TypeError(
              'Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".',
            );
      },
      async json() {
        return JSON.parse(decodeUtf8(await consume(bodyOf(this))));
      },
      async text() {
        return decodeUtf8(await consume(bodyOf(this)));
      },
    };
    Object.defineProperties(Class.prototype, Object.getOwnPropertyDescriptors(members));
  };
});
