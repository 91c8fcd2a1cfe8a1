// The text typed into inputs and text areas, and the selection in it. Neither is in the tree.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, mix, readAttribute: read } = internal;

  // control → its value, once that is not the attribute's or the content's
  const values = new WeakMap();
  // control → { start, end, direction }
  const selections = new WeakMap();
  internal.forgetTyped = (control) => {
    values.delete(control);
    selections.delete(control);
  };
  const lines = (text) => text.replace(/\r\n?/g, '\n');
  const isInput = (control) => control instanceof N('Input');

  const valueOf = (control) => {
    if (!isInput(control)) return lines(values.get(control) ?? dom.text(idOf(control)));
    const type = internal.inputType(control);
    switch (internal.valueMode(type)) {
      case 'default':
        return read(control, 'value') ?? '';
      case 'default/on':
        return read(control, 'value') ?? 'on';
      case 'filename':
        return '';
      default:
        return internal.sanitizedValue(control, type, values.get(control) ?? read(control, 'value') ?? '');
    }
  };
  let isWatching = false;
  const type = (control, text) => {
    if (!isWatching) watch();
    const before = valueOf(control);
    values.set(control, text);
    const { length } = valueOf(control);
    if (before !== valueOf(control)) selections.set(control, { start: length, end: length, direction: 'none' });
  };
  // A change of the type keeps or drops what was typed, and a copy of a control has it too. Programs
  // that type nothing pay nothing for it.
  const watch = () => {
    isWatching = true;
    const { setAttribute, removeAttribute, cloned } = internal;
    const around = (change) => (element, name, value) => {
      if (name.toLowerCase() !== 'type' || !isInput(element)) {
        change(element, name, value);
        return;
      }
      const [from, text] = [internal.valueMode(internal.inputType(element)), valueOf(element)];
      change(element, name, value);
      const to = internal.valueMode(internal.inputType(element));
      if (from === to) return;
      if (from === 'value' && to !== 'filename' && text !== '') setAttribute(element, 'value', text);
      internal.forgetTyped(element);
    };
    internal.setAttribute = around(setAttribute);
    internal.removeAttribute = around(removeAttribute);
    internal.cloned = (node, deep, ...rest) => {
      const copy = cloned(node, deep, ...rest);
      copyTyped(node, copy);
      if (deep && (internal.typeOf(node) === 1 || internal.typeOf(node) === 11 || internal.typeOf(node) === 9)) {
        const copies = dom.queryAll(idOf(copy), 'input, textarea');
        if (copies.length === 0) return copy;
        const from = dom.queryAll(idOf(node), 'input, textarea');
        from.forEach((id, at) => copyTyped(internal.wrap(id), internal.wrap(copies[at])));
      }
      return copy;
    };
  };
  const copyTyped = (from, to) => {
    if (values.has(from)) values.set(to, values.get(from));
  };

  mix(N('Input'), {
    get type() {
      return internal.inputType(this);
    },
    set type(value) {
      internal.setAttribute(this, 'type', `${value}`);
    },
    get value() {
      return valueOf(this);
    },
    set value(value) {
      const text = value === null ? '' : `${value}`;
      const kind = internal.inputType(this);
      const mode = internal.valueMode(kind);
      if (mode === 'value') type(this, internal.sanitizedValue(this, kind, text));
      else if (mode !== 'filename') internal.setAttribute(this, 'value', text);
      else if (text !== '') throw new internal.DOMException('The name of a file cannot be set', 'InvalidStateError');
    },
  });
  mix(N('TextArea'), {
    get type() {
      return 'textarea';
    },
    get value() {
      return valueOf(this);
    },
    set value(value) {
      type(this, lines(value === null ? '' : `${value}`));
    },
    get defaultValue() {
      return dom.text(idOf(this));
    },
    set defaultValue(value) {
      this.textContent = `${value}`;
    },
    get textLength() {
      return valueOf(this).length;
    },
  });

  const SELECTABLE = new Set(['text', 'search', 'url', 'tel', 'password']);
  const isSelectable = (control) => !isInput(control) || SELECTABLE.has(internal.inputType(control));
  const check = (control) => {
    if (isSelectable(control)) return;
    throw new internal.DOMException('The type of the input has no selection', 'InvalidStateError');
  };
  const selectionOf = (control) => {
    const { start, end, direction } = selections.get(control) ?? { start: 0, end: 0, direction: 'none' };
    const { length } = valueOf(control);
    return { start: Math.min(start, length), end: Math.min(end, length), direction };
  };
  const announce = (control) =>
    setTimeout(() => internal.fire(control, internal.trusted(new Event('select', { bubbles: true }))));
  const select = (control, start, end, direction = 'none') => {
    const before = selectionOf(control);
    const { length } = valueOf(control);
    end = Math.min(end, length);
    start = Math.min(start, end);
    if (direction !== 'forward' && direction !== 'backward') direction = 'none';
    selections.set(control, { start, end, direction });
    if (before.start !== start || before.end !== end || before.direction !== direction) announce(control);
  };
  const selecting = {
    get selectionStart() {
      return isSelectable(this) ? selectionOf(this).start : null;
    },
    set selectionStart(value) {
      check(this);
      const { end, direction } = selectionOf(this);
      select(this, value >>> 0, Math.max(end, value >>> 0), direction);
    },
    get selectionEnd() {
      return isSelectable(this) ? selectionOf(this).end : null;
    },
    set selectionEnd(value) {
      check(this);
      const { start, direction } = selectionOf(this);
      select(this, start, value >>> 0, direction);
    },
    get selectionDirection() {
      return isSelectable(this) ? selectionOf(this).direction : null;
    },
    set selectionDirection(value) {
      check(this);
      const { start, end } = selectionOf(this);
      select(this, start, end, `${value}`);
    },
    select() {
      if (isSelectable(this)) select(this, 0, Infinity);
    },
    setSelectionRange(start, end, direction = undefined) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'setSelectionRange'");
      check(this);
      select(this, start >>> 0, end >>> 0, direction);
    },
    setRangeText(replacement, start = undefined, end = undefined, mode = 'preserve') {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'setRangeText'");
      if (arguments.length === 2) throw new TypeError("Failed to execute 'setRangeText': the end is missing");
      check(this);
      replacement = `${replacement}`;
      if (!['select', 'start', 'end', 'preserve'].includes(mode)) throw internal.wrongValue('mode', mode);
      let { start: from, end: to } = selectionOf(this);
      const text = valueOf(this);
      [start, end] = start === undefined ? [from, to] : [start >>> 0, end >>> 0];
      if (start > end) throw new internal.DOMException('The start is behind the end', 'IndexSizeError');
      start = Math.min(start, text.length);
      end = Math.min(end, text.length);
      type(this, text.slice(0, start) + replacement + text.slice(end));
      const { length } = replacement;
      if (mode === 'select') [from, to] = [start, start + length];
      else if (mode === 'start') [from, to] = [start, start];
      else if (mode === 'end') [from, to] = [start + length, start + length];
      else {
        const moved = (at, inside) => (at > end ? at + length - (end - start) : at > start ? inside : at);
        [from, to] = [moved(from, start), moved(to, start + length)];
      }
      select(this, from, to);
    },
  };
  mix(N('Input'), selecting);
  mix(N('TextArea'), selecting);

  class FileList {
    constructor(given) {
      if (given !== internal.token) throw internal.illegal();
    }
    get length() {
      return 0;
    }
    item() {
      return null;
    }
    [Symbol.iterator]() {
      return [][Symbol.iterator]();
    }
  }
  internal.exposeClass(FileList);
  // Nobody chooses files here: the list is empty.
  const files = new WeakMap();
  mix(N('Input'), {
    get files() {
      if (internal.inputType(this) !== 'file') return null;
      let list = files.get(this);
      if (list === undefined) files.set(this, (list = new FileList(internal.token)));
      return list;
    },
    set files(list) {
      if (list === null) return;
      if (!(list instanceof FileList)) throw internal.wrongType('files', 'an instance of FileList', list);
      files.set(this, list);
    },
  });
});
