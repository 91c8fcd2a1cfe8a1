// fetch, over the host's HTTP client.
(function (native, internal) {
  'use strict';

  const { addAlgorithm, hostCall, removeAlgorithm } = internal;
  const { Request, ReadableStream, URL } = globalThis;
  const start = hostCall('fetch.start', 'vr', 'v');
  const read = hostCall('fetch.read', 'u', 'r');
  const stop = hostCall('fetch.stop', 'u', '');
  const NOTHING = new Uint8Array(0);

  // A host call that an abort signal can end, and what else fails.
  const abortable = async (signal, call, failed) => {
    signal.throwIfAborted();
    let abort;
    const aborted = new Promise((_, reject) => {
      abort = reject;
    });
    // Drops the ticket of an earlier call: this one may be answered at once and have none.
    native.lastTicket();
    const pending = call();
    const ticket = native.lastTicket();
    const algorithm = (reason) => {
      native.giveUp(ticket);
      abort(reason);
    };
    addAlgorithm(signal, algorithm);
    const ends = [pending, aborted];
    if (failed !== undefined) ends.push(failed);
    try {
      return await Promise.race(ends);
    } catch (error) {
      native.giveUp(ticket);
      throw error;
    } finally {
      removeAlgorithm(signal, algorithm);
    }
  };

  const streamOf = (stream, signal) => {
    let onAbort;
    const finish = () => removeAlgorithm(signal, onAbort);
    return new ReadableStream({
      type: 'bytes',
      start(controller) {
        onAbort = (reason) => {
          stop(stream).catch(() => {});
          controller.error(reason);
        };
        addAlgorithm(signal, onAbort);
      },
      async pull(controller) {
        let bytes;
        try {
          bytes = await read(stream);
        } catch (error) {
          finish();
          throw error;
        }
        if (bytes.length > 0) {
          controller.enqueue(bytes);
          return;
        }
        finish();
        controller.close();
        controller.byobRequest?.respond(0);
      },
      async cancel() {
        finish();
        await stop(stream);
      },
    });
  };

  // Adds the cause that Node's `fetch` gives, with the code that programs look at.
  const CODES = [
    [/Connection refused/, 'ECONNREFUSED', 'connect'],
    [/no address found/, 'ENOTFOUND', 'getaddrinfo'],
    [/reset|closed/, 'ECONNRESET', 'read'],
    [/timed out/, 'ETIMEDOUT', 'connect'],
  ];
  internal.explained = (error, url) => {
    if (!(error instanceof TypeError) || !error.message.startsWith('fetch failed: ')) return error;
    const [, code, syscall] = CODES.find(([reason]) => reason.test(error.message)) ?? [];
    const { hostname, port, protocol } = new URL(url);
    const at = syscall === 'connect' ? `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}` : hostname;
    const text = code === undefined ? error.message.slice(14) : `${syscall} ${code} ${at}`;
    const cause = new Error(text);
    if (code !== undefined) Object.assign(cause, { code, syscall, hostname });
    internal.hidden(error, 'cause', cause);
    return error;
  };

  const fetch = async function fetch(input, init = undefined) {
    internal.requireArguments(arguments.length, 1, "Failed to execute 'fetch'");
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    if (internal.isDataUrl(request.url)) {
      return internal.dataResponse(request.url, request.method);
    }
    if (request.url.startsWith('blob:')) return internal.part('blob_urls').respond(request);
    const local = internal.localFetch?.(request);
    if (local !== undefined) return local;
    const body = internal.requestBody(request);
    const upload = internal.isLong(body) ? internal.upload(body, signal) : undefined;
    const head = {
      method: request.method,
      url: request.url,
      headers: [...request.headers],
      redirect: request.redirect,
      hasBody: body !== null,
      ...(upload === undefined ? undefined : { upload: upload.number }),
    };
    const bytes = upload === undefined && body !== null ? body.bytes : NOTHING;
    let answer;
    try {
      answer = await abortable(signal, () => start(head, bytes), upload?.failed);
      upload?.settle();
    } catch (error) {
      upload?.settle(error);
      throw internal.explained(error, request.url);
    }
    const { stream, ...rest } = answer;
    return internal.makeResponse({
      ...rest,
      body: stream === undefined ? null : streamOf(stream, signal),
    });
  };
  internal.exposeFunction('fetch', fetch);
  internal.fetch = fetch;
});
