// Two streams that both see what one has to give.
(function (native, internal) {
  'use strict';

  const {
    acquire,
    cancel,
    create,
    createBytes,
    deferred,
    DONE,
    isByteStream,
    read,
    recordOf,
    release,
    then,
    viewOfRequest,
    viewParts,
  } = internal.streams;
  const { queueMicrotask, structuredClone, Uint8Array } = globalThis;

  // The common part of both kinds of tee: the branches that were canceled, and their reasons.
  class Tee {
    source;
    reader = null;
    reading = false;
    canceled = [false, false];
    reasons = [undefined, undefined];
    controls = [null, null];
    done = deferred();

    constructor(source) {
      this.source = source;
    }

    take(branches) {
      this.controls = [recordOf(branches[0]).controller, recordOf(branches[1]).controller];
      return branches;
    }

    // Reads on with a reader of this kind, and passes on the failure of the source.
    use(byob) {
      if (this.reader !== null) {
        if (this.reader.byob === byob) return this.reader;
        release(this.reader);
      }
      const reader = acquire(this.source, byob);
      this.reader = reader;
      then(reader.closed.promise, undefined, (error) => {
        if (this.reader !== reader) return;
        this.fail(error);
        this.settle();
      });
      return reader;
    }

    fail(error) {
      this.controls[0].fail(error);
      this.controls[1].fail(error);
    }

    settle() {
      if (!this.canceled[0] || !this.canceled[1]) this.done.resolve(undefined);
    }

    // A chunk could not be copied: neither branch can go on.
    giveUp(error) {
      this.fail(error);
      this.done.resolve(cancel(this.source, error));
    }

    cancel(i, reason) {
      this.canceled[i] = true;
      this.reasons[i] = reason;
      if (this.canceled[1 - i]) this.done.resolve(cancel(this.source, this.reasons));
      return this.done.promise;
    }
  }

  const teeChunks = (source, isCopied) => {
    const tee = new Tee(source);
    const reader = tee.use(false);
    let again = false;

    const pull = () => {
      if (tee.reading) {
        again = true;
        return DONE;
      }
      tee.reading = true;
      read(reader, {
        __proto__: null,
        // Put off: a chunk that is there already must not reach the branches before `pull` ends.
        chunk: (chunk) =>
          queueMicrotask(() => {
            again = false;
            let second = chunk;
            if (!tee.canceled[1] && isCopied) {
              try {
                second = structuredClone(chunk);
              } catch (error) {
                tee.giveUp(error);
                return;
              }
            }
            if (!tee.canceled[0]) tee.controls[0].enqueue(chunk);
            if (!tee.canceled[1]) tee.controls[1].enqueue(second);
            tee.reading = false;
            if (again) pull();
          }),
        close: () => {
          tee.reading = false;
          for (let i = 0; i < 2; i++) if (!tee.canceled[i]) tee.controls[i].close();
          tee.settle();
        },
        error: () => {
          tee.reading = false;
        },
      });
      return DONE;
    };

    const branch = (i) =>
      create({
        __proto__: null,
        start: undefined,
        pull,
        cancel: (reason) => tee.cancel(i, reason),
        mark: 1,
        size: undefined,
      });
    return tee.take([branch(0), branch(1)]);
  };

  const copyBytes = (view) => {
    const { buffer, offset, length } = viewParts(view);
    return new Uint8Array(new Uint8Array(buffer, offset, length));
  };

  const teeBytes = (source) => {
    const tee = new Tee(source);
    const again = [false, false];
    tee.use(false);

    const afterChunk = () => {
      tee.reading = false;
      if (again[0]) pull(0);
      else if (again[1]) pull(1);
    };

    const readDefault = () =>
      read(tee.use(false), {
        __proto__: null,
        chunk: (chunk) =>
          queueMicrotask(() => {
            again[0] = again[1] = false;
            let second = chunk;
            if (!tee.canceled[0] && !tee.canceled[1]) {
              try {
                second = copyBytes(chunk);
              } catch (error) {
                tee.giveUp(error);
                return;
              }
            }
            if (!tee.canceled[0]) tee.controls[0].enqueue(chunk);
            if (!tee.canceled[1]) tee.controls[1].enqueue(second);
            afterChunk();
          }),
        close: () => {
          tee.reading = false;
          for (let i = 0; i < 2; i++) if (!tee.canceled[i]) tee.controls[i].close();
          for (const control of tee.controls) if (control.intos.length > 0) control.respond(0);
          tee.settle();
        },
        error: () => {
          tee.reading = false;
        },
      });

    // Fills the buffer that a reader of one branch has given; the other gets a copy.
    const readInto = (view, i) => {
      const reader = tee.use(true);
      const [own, other] = [tee.controls[i], tee.controls[1 - i]];
      reader.stream.disturbed = true;
      reader.stream.controller.pullInto(view, 1, {
        __proto__: null,
        chunk: (chunk) =>
          queueMicrotask(() => {
            again[0] = again[1] = false;
            let copy;
            if (!tee.canceled[1 - i]) {
              try {
                copy = copyBytes(chunk);
              } catch (error) {
                tee.giveUp(error);
                return;
              }
            }
            if (!tee.canceled[i]) own.respondWith(chunk);
            if (copy !== undefined) other.enqueue(copy);
            afterChunk();
          }),
        close: (chunk) => {
          tee.reading = false;
          if (!tee.canceled[i]) own.close();
          if (!tee.canceled[1 - i]) other.close();
          if (chunk !== undefined) {
            if (!tee.canceled[i]) own.respondWith(chunk);
            if (!tee.canceled[1 - i] && other.intos.length > 0) other.respond(0);
          }
          tee.settle();
        },
        error: () => {
          tee.reading = false;
        },
      });
    };

    const pull = (i) => {
      if (tee.reading) {
        again[i] = true;
        return DONE;
      }
      tee.reading = true;
      const request = tee.controls[i].byobRequest;
      if (request === null) readDefault();
      else readInto(viewOfRequest(request), i);
      return DONE;
    };

    const branch = (i) =>
      createBytes({
        __proto__: null,
        pull: () => pull(i),
        cancel: (reason) => tee.cancel(i, reason),
      });
    return tee.take([branch(0), branch(1)]);
  };

  // `isCopied`: the second stream gets copies, so that neither reader sees what the other does
  // to a chunk. Bytes are copied in any case.
  internal.tee = (source, isCopied) =>
    isByteStream(source) ? teeBytes(source) : teeChunks(source, isCopied);
});
