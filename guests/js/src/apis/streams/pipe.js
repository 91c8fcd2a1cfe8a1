// Piping a ReadableStream into a WritableStream.
(function (native, internal) {
  'use strict';

  const { addAlgorithm, enqueue, removeAlgorithm } = internal;
  const {
    acquire,
    cancel,
    deferred,
    DONE,
    invalidState,
    isObject,
    nothing,
    read,
    rejectedWith,
    release,
    then,
    writableRecordOf,
    WriterRecord,
  } = internal.streams;

  // The options of a pipe, read in the standard's order and before any stream is looked at.
  internal.pipeOptions = (options) => {
    if (options !== undefined && options !== null && !isObject(options)) {
      throw internal.wrongType('options', 'of type object', options);
    }
    const parts = {
      __proto__: null,
      preventAbort: Boolean(options?.preventAbort),
      preventCancel: Boolean(options?.preventCancel),
      preventClose: Boolean(options?.preventClose),
      signal: options?.signal,
    };
    if (parts.signal !== undefined && !(parts.signal instanceof internal.AbortSignal)) {
      throw internal.wrongType('options.signal', 'an instance of AbortSignal', parts.signal);
    }
    return parts;
  };

  internal.pipe = (source, destination, { preventAbort, preventCancel, preventClose, signal }) => {
    const sink = writableRecordOf(destination);
    const reader = acquire(source);
    const writer = new WriterRecord(sink);
    const result = deferred();
    source.disturbed = true;
    let ending = false;
    // Writes that were begun and are not done; resolves `idle` with the last of them.
    let writes = 0;
    let idle;

    const finish = (failed, error) => {
      writer.release();
      release(reader);
      if (signal !== undefined) removeAlgorithm(signal, onAbort);
      if (failed) result.reject(error);
      else result.resolve(undefined);
    };

    // Ends the pipe once what was read is written: `action` first, if there is one.
    const end = (action, failed, error) => {
      if (ending) return;
      ending = true;
      const settle = () => {
        if (action === undefined) finish(failed, error);
        else
          then(
            action(),
            () => finish(failed, error),
            (other) => finish(true, other),
          );
      };
      if (sink.status === 'writable' && !sink.closing) then(written(), settle, settle);
      else settle();
    };

    const written = () => (writes === 0 ? DONE : (idle ??= deferred()).promise);
    const finishWrite = () => {
      if (--writes === 0) idle?.resolve(undefined);
    };
    const write = { __proto__: null, resolve: finishWrite, reject: finishWrite };

    const onAbort = () => {
      const { reason } = signal;
      const actions = [];
      if (!preventAbort && sink.status === 'writable') actions.push(() => sink.abort(reason));
      if (!preventCancel && source.status === 'readable')
        actions.push(() => cancel(source, reason));
      end(() => Promise.all(actions.map((action) => action())), true, reason);
    };

    if (signal !== undefined) {
      if (signal.aborted) {
        onAbort();
        return result.promise;
      }
      addAlgorithm(signal, onAbort);
    }

    const sourceFailed = () => {
      if (preventAbort) end(undefined, true, source.error);
      else end(() => sink.abort(source.error), true, source.error);
    };
    const sinkFailed = () => {
      if (preventCancel) end(undefined, true, sink.error);
      else end(() => cancel(source, sink.error), true, sink.error);
    };
    const sourceClosed = () => {
      if (preventClose) end();
      else {
        end(() => {
          if (sink.closing || sink.status === 'closed') return DONE;
          return sink.status === 'errored' ? rejectedWith(sink.error) : sink.close();
        });
      }
    };

    if (source.status === 'errored') sourceFailed();
    else then(reader.closed.promise, undefined, sourceFailed);
    if (sink.status === 'errored') sinkFailed();
    else then(writer.closed.promise, undefined, sinkFailed);
    if (source.status === 'closed') sourceClosed();
    else then(reader.closed.promise, sourceClosed, nothing);
    if (sink.closing || sink.status === 'closed') {
      const error = invalidState('Destination WritableStream is closed');
      if (preventCancel) end(undefined, true, error);
      else end(() => cancel(source, error), true, error);
    }

    const request = {
      __proto__: null,
      // Written a moment later: a source must not find its sink called by its own enqueue.
      chunk: (chunk) => {
        writes++;
        enqueue(() => {
          if (writer.stream === null) return finishWrite();
          writer.send(chunk, write);
          step();
        });
      },
      close: nothing,
      error: nothing,
    };
    const readNext = () => {
      if (!ending) read(reader, request);
    };
    const step = () => {
      if (!ending) then(writer.ready.promise, readNext, nothing);
    };
    step();
    return result.promise;
  };
});
