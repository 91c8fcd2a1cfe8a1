// FileReader: the events of reading around what a Blob can do by itself.
(function (native, internal) {
  'use strict';

  const [EMPTY, LOADING, DONE] = [0, 1, 2];
  class FileReader extends EventTarget {
    #state = EMPTY;
    #result = null;
    #error = null;
    // Tells a read that was aborted from the one after it.
    #turn = 0;

    get readyState() {
      return this.#state;
    }
    get result() {
      return this.#result;
    }
    get error() {
      return this.#error;
    }
    readAsArrayBuffer(blob) {
      this.#read(blob, (bytes) => bytes);
    }
    readAsText(blob, encoding = undefined) {
      this.#read(blob, (bytes) => {
        let decoder;
        try {
          decoder = new TextDecoder(encoding === undefined ? 'utf-8' : `${encoding}`);
        } catch {
          decoder = new TextDecoder();
        }
        return decoder.decode(bytes);
      });
    }
    readAsBinaryString(blob) {
      this.#read(blob, binary);
    }
    readAsDataURL(blob) {
      this.#read(blob, (bytes) => `data:${blob.type || 'application/octet-stream'};base64,${btoa(binary(bytes))}`);
    }
    abort() {
      if (this.#state !== LOADING) {
        this.#result = null;
        return;
      }
      this.#turn++;
      this.#state = DONE;
      this.#result = null;
      this.#fire('abort', 0, 0);
      this.#fire('loadend', 0, 0);
    }
    #fire(type, loaded, total) {
      internal.fire(this, internal.trusted(new ProgressEvent(type, { lengthComputable: true, loaded, total })));
    }
    #read(blob, convert) {
      if (!(blob instanceof Blob)) throw internal.wrongType('blob', 'an instance of Blob', blob);
      if (this.#state === LOADING) throw new internal.DOMException('The reader is busy', 'InvalidStateError');
      this.#state = LOADING;
      this.#result = this.#error = null;
      const turn = ++this.#turn;
      const { size } = blob;
      const finish = (type) => {
        if (turn !== this.#turn) return;
        this.#state = DONE;
        this.#fire(type, size, size);
        if (this.#state === DONE) this.#fire('loadend', size, size);
      };
      blob.arrayBuffer().then(
        (bytes) => {
          if (turn !== this.#turn) return;
          this.#fire('loadstart', 0, size);
          if (turn !== this.#turn) return;
          if (size > 0) this.#fire('progress', size, size);
          if (turn !== this.#turn) return;
          this.#result = convert(bytes);
          finish('load');
        },
        (error) => {
          this.#error = error;
          finish('error');
        },
      );
    }
  }
  const binary = (bytes) => {
    const units = new Uint8Array(bytes);
    let text = '';
    for (let at = 0; at < units.length; at += 4096) text += String.fromCharCode(...units.subarray(at, at + 4096));
    return text;
  };
  internal.constants(FileReader, { EMPTY, LOADING, DONE });
  for (const type of ['loadstart', 'progress', 'load', 'abort', 'error', 'loadend']) internal.defineHandler(FileReader, type);
  internal.exposeClass(FileReader);
});
