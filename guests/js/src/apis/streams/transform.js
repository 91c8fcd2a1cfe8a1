// TransformStream, and the two text transforms.
(function (native, internal) {
  'use strict';

  const { coded, token } = internal;
  const {
    attempt,
    create,
    createWritable,
    deferred,
    invalidState,
    isObject,
    markOf,
    method,
    readStrategy,
    recordOf,
    settled,
    sizeOf,
    then,
    wrongThis,
    writableRecordOf,
  } = internal.streams;
  let wrapController;

  class TransformRecord {
    transform;
    flush;
    onCancel;
    writable;
    readable;
    source;
    sink;
    controller;
    backpressure = true;
    change = deferred();
    finishing = undefined;
    // Made once, not for every chunk.
    failed = (error) => {
      this.error(error);
      throw error;
    };

    constructor({
      start,
      transform,
      flush,
      cancel,
      writableMark,
      writableSize,
      readableMark,
      readableSize,
    }) {
      this.transform = transform;
      this.flush = flush;
      this.onCancel = cancel;
      const started = deferred();
      this.writable = createWritable({
        __proto__: null,
        start: started.promise,
        write: (chunk) => this.write(chunk),
        close: () => this.close(),
        abort: (reason) => this.abort(reason),
        mark: writableMark,
        size: writableSize,
      });
      this.readable = create({
        __proto__: null,
        start: () => started.promise,
        pull: () => {
          this.setBackpressure(false);
          return this.change.promise;
        },
        cancel: (reason) => this.cancel(reason),
        mark: readableMark,
        size: readableSize,
      });
      this.source = recordOf(this.readable);
      this.sink = writableRecordOf(this.writable);
      this.controller = wrapController(this);
      // A start that throws fails the constructor; one that rejects fails both sides.
      started.resolve(start === undefined ? undefined : start(this.controller));
    }

    setBackpressure(backpressure) {
      this.change.resolve(undefined);
      this.change = deferred();
      this.backpressure = backpressure;
    }

    enqueue(chunk) {
      const control = this.source.controller;
      if (!control.open) throw invalidState('Readable stream controller cannot close or enqueue');
      try {
        control.enqueue(chunk);
      } catch (error) {
        this.errorWritable(error);
        throw this.source.error;
      }
      const backpressure = !control.wanted;
      if (backpressure !== this.backpressure) this.setBackpressure(true);
    }

    error(error) {
      this.source.controller.fail(error);
      this.errorWritable(error);
    }

    errorWritable(error) {
      this.forget();
      this.sink.control.errorIfNeeded(error);
      if (this.backpressure) this.setBackpressure(false);
    }

    forget() {
      this.transform = this.flush = this.onCancel = settled;
    }

    terminate() {
      this.source.controller.close();
      this.errorWritable(invalidState('TransformStream has been terminated'));
    }

    write(chunk) {
      if (!this.backpressure) return this.perform(chunk);
      return then(this.change.promise, () => {
        if (this.sink.status === 'erroring') throw this.sink.error;
        return this.perform(chunk);
      });
    }

    perform(chunk) {
      return then(this.transform(chunk), undefined, this.failed);
    }

    close() {
      if (this.finishing !== undefined) return this.finishing;
      const done = deferred();
      this.finishing = done.promise;
      const flushing = this.flush();
      this.forget();
      then(
        flushing,
        () => {
          if (this.source.status === 'errored') {
            done.reject(this.source.error);
          } else {
            this.source.controller.close();
            done.resolve(undefined);
          }
        },
        (error) => {
          this.source.controller.fail(error);
          done.reject(error);
        },
      );
      return done.promise;
    }

    abort(reason) {
      return this.finish(
        reason,
        () => {
          if (this.source.status === 'errored') throw this.source.error;
          this.source.controller.fail(reason);
        },
        (error) => this.source.controller.fail(error),
      );
    }

    cancel(reason) {
      return this.finish(
        reason,
        () => {
          if (this.sink.status === 'errored') throw this.sink.error;
          this.sink.control.errorIfNeeded(reason);
          if (this.backpressure) this.setBackpressure(false);
        },
        (error) => {
          this.sink.control.errorIfNeeded(error);
          if (this.backpressure) this.setBackpressure(false);
        },
      );
    }

    finish(reason, succeed, failed) {
      if (this.finishing !== undefined) return this.finishing;
      const done = deferred();
      this.finishing = done.promise;
      const canceling = this.onCancel(reason);
      this.forget();
      then(
        canceling,
        () => {
          try {
            succeed();
            done.resolve(undefined);
          } catch (error) {
            done.reject(error);
          }
        },
        (error) => {
          failed(error);
          done.reject(error);
        },
      );
      return done.promise;
    }
  }

  class TransformStreamDefaultController {
    #record;

    static {
      wrapController = (record) => {
        const controller = new TransformStreamDefaultController(token);
        controller.#record = record;
        return controller;
      };
    }

    constructor(key) {
      if (key !== token) throw coded(internal.illegal(), 'ERR_ILLEGAL_CONSTRUCTOR');
    }

    get desiredSize() {
      return this.#record.source.controller.desired;
    }
    enqueue(chunk = undefined) {
      this.#record.enqueue(chunk);
    }
    error(reason = undefined) {
      this.#record.error(reason);
    }
    terminate() {
      this.#record.terminate();
    }
  }

  class TransformStream {
    #record;

    constructor(
      transformer = undefined,
      writableStrategy = undefined,
      readableStrategy = undefined,
    ) {
      if (transformer !== undefined && !isObject(transformer)) {
        throw internal.wrongType('transformer', 'of type object', transformer);
      }
      writableStrategy = readStrategy(writableStrategy, 'writableStrategy');
      readableStrategy = readStrategy(readableStrategy, 'readableStrategy');
      transformer ??= { __proto__: null };
      const cancel = method(transformer, 'cancel', 'transformer');
      const flush = method(transformer, 'flush', 'transformer');
      const { readableType } = transformer;
      const start = method(transformer, 'start', 'transformer');
      const transform = method(transformer, 'transform', 'transformer');
      const { writableType } = transformer;
      if (readableType !== undefined)
        throw internal.wrongValue('transformer.readableType', readableType, RangeError);
      if (writableType !== undefined)
        throw internal.wrongValue('transformer.writableType', writableType, RangeError);
      const record = new TransformRecord({
        __proto__: null,
        start:
          start === undefined
            ? undefined
            : (controller) => Reflect.apply(start, transformer, [controller]),
        transform:
          transform === undefined
            ? (chunk) => attempt(() => record.enqueue(chunk), undefined, [])
            : (chunk) => attempt(transform, transformer, [chunk, record.controller]),
        flush:
          flush === undefined ? settled : () => attempt(flush, transformer, [record.controller]),
        cancel:
          cancel === undefined ? settled : (reason) => attempt(cancel, transformer, [reason]),
        readableMark: markOf(readableStrategy, 0),
        readableSize: sizeOf(readableStrategy),
        writableMark: markOf(writableStrategy, 1),
        writableSize: sizeOf(writableStrategy),
      });
      this.#record = record;
    }

    get readable() {
      if (!(#record in this)) throw wrongThis('TransformStream');
      return this.#record.readable;
    }

    get writable() {
      if (!(#record in this)) throw wrongThis('TransformStream');
      return this.#record.writable;
    }
  }

  class TextEncoderStream {
    #transform;
    // A high surrogate that waits for its other half in the next chunk.
    #half = '';

    constructor() {
      this.#transform = new TransformStream({
        transform: (chunk, controller) => {
          let text = this.#half + `${chunk}`;
          const last = text.charCodeAt(text.length - 1);
          const isHalf = last >= 0xd800 && last < 0xdc00;
          this.#half = isHalf ? text.at(-1) : '';
          if (isHalf) text = text.slice(0, -1);
          if (text !== '') controller.enqueue(internal.encodeUtf8(text));
        },
        flush: (controller) => {
          if (this.#half !== '') controller.enqueue(internal.encodeUtf8('\ufffd'));
        },
      });
    }

    get encoding() {
      this.#transform;
      return 'utf-8';
    }

    get readable() {
      return this.#transform.readable;
    }
    get writable() {
      return this.#transform.writable;
    }
  }

  class TextDecoderStream {
    #transform;
    #decoder;

    constructor(label = 'utf-8', options = undefined) {
      this.#decoder = new internal.TextDecoder(label, options);
      this.#transform = new TransformStream({
        transform: (chunk, controller) => {
          // Left out it would be an empty input to the decoder; a chunk has to be bytes.
          if (chunk === undefined) throw internal.wrongType('chunk', 'a BufferSource', chunk);
          const text = this.#decoder.decode(chunk, { stream: true });
          if (text !== '') controller.enqueue(text);
        },
        flush: (controller) => {
          const text = this.#decoder.decode();
          if (text !== '') controller.enqueue(text);
        },
      });
    }

    get encoding() {
      return this.#decoder.encoding;
    }
    get fatal() {
      return this.#decoder.fatal;
    }
    get ignoreBOM() {
      return this.#decoder.ignoreBOM;
    }
    get readable() {
      return this.#transform.readable;
    }
    get writable() {
      return this.#transform.writable;
    }
  }

  for (const Class of [
    TransformStream,
    TransformStreamDefaultController,
    TextEncoderStream,
    TextDecoderStream,
  ])
    internal.exposeClass(Class);
});
