// FormData, and its encoding as multipart/form-data.
(function (native, internal) {
  'use strict';

  const {
    blobBytes,
    coded,
    customInspect,
    encodeUtf8,
    isBlob,
    isFile,
    PairIterator,
    requireArguments,
    scalar,
    token,
  } = internal;
  const { formParse, multipartParse } = native;
  const wrong = (member) => `Failed to execute '${member}' on 'FormData'`;

  // A Blob becomes a File; a name given for it replaces its own.
  const entry = (value, filename) => {
    if (!isBlob(value)) return scalar(value);
    if (filename === undefined && isFile(value)) return value;
    const name = filename ?? 'blob';
    return new File([value], name, {
      type: value.type,
      lastModified: isFile(value) ? value.lastModified : undefined,
    });
  };

  class FormData {
    #list = [];

    static {
      internal.isFormData = (value) =>
        value !== null && typeof value === 'object' && #list in value;
      internal.formDataList = (form) => form.#list;
    }

    constructor(form = undefined, submitter = null) {
      if (form === undefined) return;
      // A document knows forms.
      const entries = internal.formEntries?.(form, submitter ?? null);
      if (entries === undefined) {
        throw coded(
          new TypeError(
            "Failed to construct 'FormData': parameter 1 is not of type 'HTMLFormElement'",
          ),
          'ERR_INVALID_ARG_TYPE',
        );
      }
      this.#list = entries;
      internal.announceEntries(form, this);
    }

    #entry(member, count, value, filename) {
      requireArguments(count, 2, wrong(member));
      if (count > 2 && !isBlob(value)) {
        throw new TypeError(`${wrong(member)}: parameter 2 is not of type 'Blob'`);
      }
      return entry(value, filename === undefined ? undefined : scalar(filename));
    }

    append(name, value, filename = undefined) {
      const item = this.#entry('append', arguments.length, value, filename);
      this.#list.push([scalar(name), item]);
    }

    delete(name) {
      requireArguments(arguments.length, 1, wrong('delete'));
      name = scalar(name);
      this.#list = this.#list.filter((pair) => pair[0] !== name);
    }

    get(name) {
      requireArguments(arguments.length, 1, wrong('get'));
      name = scalar(name);
      return this.#list.find((pair) => pair[0] === name)?.[1] ?? null;
    }

    getAll(name) {
      requireArguments(arguments.length, 1, wrong('getAll'));
      name = scalar(name);
      return this.#list.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    }

    has(name) {
      requireArguments(arguments.length, 1, wrong('has'));
      name = scalar(name);
      return this.#list.some((pair) => pair[0] === name);
    }

    set(name, value, filename = undefined) {
      const item = this.#entry('set', arguments.length, value, filename);
      name = scalar(name);
      const index = this.#list.findIndex((pair) => pair[0] === name);
      if (index === -1) {
        this.#list.push([name, item]);
      } else {
        this.#list[index] = [name, item];
        this.#list = this.#list.filter((pair, i) => i <= index || pair[0] !== name);
      }
    }

    forEach(callback, thisArg = undefined) {
      requireArguments(arguments.length, 1, wrong('forEach'));
      for (let i = 0; i < this.#list.length; i++) {
        const [name, value] = this.#list[i];
        Reflect.apply(callback, thisArg, [value, name, this]);
      }
    }

    entries() {
      this.#list;
      return new PairIterator(token, 'FormData', () => this.#list, 'entries');
    }

    keys() {
      this.#list;
      return new PairIterator(token, 'FormData', () => this.#list, 'keys');
    }

    values() {
      this.#list;
      return new PairIterator(token, 'FormData', () => this.#list, 'values');
    }

    [customInspect](depth, options, inspect) {
      if (depth < 0) return 'FormData';
      const shown = {};
      for (const [name, value] of this.#list) {
        shown[name] = name in shown ? [shown[name], value].flat() : value;
      }
      return `FormData ${inspect(shown, options)}`;
    }
  }
  internal.iterable(FormData);
  internal.exposeClass(FormData);
  const { File } = globalThis;

  const crlf = (text) => text.replace(/\r\n?|\n/g, '\r\n');
  const escape = (text) => text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');

  // `{ bytes, type }` of the form as a body.
  internal.encodeFormData = (form) => {
    const boundary = `----formdata-cofferdam-${internal.randomHex(12)}`;
    const chunks = [];
    let total = 0;
    const add = (bytes) => {
      chunks.push(bytes);
      total += bytes.byteLength;
    };
    for (const [name, value] of internal.formDataList(form)) {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(crlf(name))}"`;
      if (typeof value === 'string') {
        add(encodeUtf8(`${head}\r\n\r\n${crlf(value)}\r\n`));
      } else {
        const type = value.type === '' ? 'application/octet-stream' : value.type;
        add(
          encodeUtf8(`${head}; filename="${escape(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`),
        );
        add(blobBytes(value));
        add(encodeUtf8('\r\n'));
      }
    }
    add(encodeUtf8(`--${boundary}--\r\n`));
    return {
      bytes: internal.concatBytes(chunks, total),
      type: `multipart/form-data; boundary=${boundary}`,
    };
  };

  // The form that a body of that content type holds; undefined when it is none.
  internal.decodeFormData = (bytes, contentType) => {
    const mime = internal.contentType(contentType);
    const form = new FormData();
    if (mime?.essence === 'application/x-www-form-urlencoded') {
      const flat = formParse(internal.decodeWithBom(bytes));
      for (let i = 0; i < flat.length; i += 2) form.append(flat[i], flat[i + 1]);
      return form;
    }
    if (mime?.essence !== 'multipart/form-data') return undefined;
    const boundary = mime.parameters.get('boundary');
    const parts = boundary === undefined ? undefined : multipartParse(bytes, boundary);
    if (parts === undefined || parts === null) return undefined;
    for (const [name, filename, type, content] of parts) {
      if (typeof filename === 'string')
        form.append(name, new File([content], filename, { type: type ?? 'text/plain' }));
      else form.append(name, internal.decodeUtf8(content));
    }
    return form;
  };
});
