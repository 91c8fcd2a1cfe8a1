// Selects and their options. The tree knows which options are chosen (`choice.rs`): attributes only
// say which are at first.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, mix, readAttribute: read, wrap } = internal;
  // Most options that setting a length makes, as in the standard of HTML.
  const MAX_OPTIONS = 100000;

  const selectOf = (option) => option.closest('select');
  const idsOf = (select) => dom.queryAll(idOf(select), 'option');
  // Leaves only this option chosen; null for none.
  const choose = (select, option) => {
    dom.clearSelected(idOf(select));
    if (option !== null) dom.setSelected(idOf(option), true);
  };
  // The text of an option, without that of scripts in it.
  const text = (option) => {
    let content = option.textContent;
    if (dom.queryFirst(idOf(option), 'script') !== 0) {
      const copy = option.cloneNode(true);
      for (const script of copy.querySelectorAll('script')) script.remove();
      content = copy.textContent;
    }
    return content.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
  };

  mix(N('Option'), {
    get text() {
      return text(this);
    },
    set text(value) {
      this.textContent = `${value}`;
    },
    get label() {
      return read(this, 'label') || text(this);
    },
    set label(value) {
      internal.setAttribute(this, 'label', `${value}`);
    },
    get value() {
      return read(this, 'value') ?? text(this);
    },
    set value(value) {
      internal.setAttribute(this, 'value', `${value}`);
    },
    get selected() {
      return dom.matches(idOf(this), ':checked');
    },
    set selected(value) {
      const select = selectOf(this);
      if (value && select !== null && !select.multiple) dom.clearSelected(idOf(select));
      dom.setSelected(idOf(this), Boolean(value));
    },
    get index() {
      const select = selectOf(this);
      return select === null ? 0 : Math.max(0, idsOf(select).indexOf(idOf(this)));
    },
  });

  const put = (select, index, option) => {
    if (option === null) {
      select.remove(index);
      return;
    }
    if (!(option instanceof N('Option'))) throw internal.wrongType('option', 'an instance of HTMLOptionElement', option);
    const { length } = select;
    const old = select.item(index);
    if (old !== null) internal.replace(old.parentNode, option, old);
    else {
      if (index > length) resize(select, index);
      internal.insert(select, option, null);
    }
  };
  const resize = (select, length) => {
    const ids = idsOf(select);
    if (length > MAX_OPTIONS) return;
    for (let at = ids.length - 1; at >= length; at--) wrap(ids[at]).remove();
    for (let at = ids.length; at < length; at++) internal.insert(select, select.ownerDocument.createElement('option'), null);
  };
  const add = (select, option, before) => {
    if (!(option instanceof N('Option') || option instanceof N('OptGroup'))) {
      throw internal.wrongType('element', 'an option or a group of options', option);
    }
    const front = before === null || internal.isNode(before) ? before : select.item(before | 0);
    if (front === null) internal.insert(select, option, null);
    else if (front === option) return;
    else if (front === select || !select.contains(front)) {
      throw new internal.DOMException('The node is not in the select', 'NotFoundError');
    } else internal.insert(front.parentNode, option, front);
  };

  // collection of options → its select
  const owners = new WeakMap();
  const collections = new WeakMap();
  const optionsOf = (select) => {
    let list = collections.get(select);
    if (list === undefined) {
      list = internal.liveByNames(() => idsOf(select), HTMLOptionsCollection, {
        put: (index, option) => put(select, index, option),
        resize: (length) => resize(select, length >>> 0),
      });
      collections.set(select, list);
      owners.set(list, select);
    }
    return list;
  };
  const ownerOf = (list) => {
    const select = owners.get(list);
    if (select === undefined) throw internal.illegal();
    return select;
  };
  mix(HTMLOptionsCollection, {
    add(element, before = null) {
      add(ownerOf(this), element, before);
    },
    remove(index) {
      ownerOf(this).remove(index | 0);
    },
    get selectedIndex() {
      return ownerOf(this).selectedIndex;
    },
    set selectedIndex(index) {
      ownerOf(this).selectedIndex = index;
    },
  });

  const selectedLists = new WeakMap();
  mix(N('Select'), {
    get options() {
      idOf(this);
      return optionsOf(this);
    },
    get selectedOptions() {
      let list = selectedLists.get(this);
      if (list === undefined) {
        list = internal.liveElements(() => dom.queryAll(idOf(this), 'option:checked'));
        selectedLists.set(this, list);
      }
      return list;
    },
    get length() {
      return idsOf(this).length;
    },
    set length(length) {
      resize(this, length >>> 0);
    },
    get type() {
      return this.multiple ? 'select-multiple' : 'select-one';
    },
    get selectedIndex() {
      const chosen = dom.queryFirst(idOf(this), 'option:checked');
      return chosen === 0 ? -1 : idsOf(this).indexOf(chosen);
    },
    set selectedIndex(index) {
      choose(this, this.item(index | 0));
    },
    get value() {
      const chosen = dom.queryFirst(idOf(this), 'option:checked');
      return chosen === 0 ? '' : wrap(chosen).value;
    },
    set value(value) {
      const wanted = `${value}`;
      choose(this, idsOf(this).map(wrap).find((option) => option.value === wanted) ?? null);
    },
    add(element, before = null) {
      add(this, element, before);
    },
    remove(index = undefined) {
      if (arguments.length === 0) {
        if (this.parentNode !== null) internal.remove(this.parentNode, this);
      } else this.item(index | 0)?.remove();
    },
    item(index) {
      return wrap(idsOf(this)[index >>> 0] ?? 0);
    },
    namedItem(name) {
      return optionsOf(this).namedItem(name);
    },
    [Symbol.iterator]() {
      return optionsOf(this)[Symbol.iterator]();
    },
  });
  internal.indexed(
    N('Select'),
    (select, key) => (internal.isIndex(key) ? (select.item(+key) ?? undefined) : undefined),
    (select, key, value) => {
      if (!internal.isIndex(key)) return false;
      put(select, +key, value);
      return true;
    },
  );
  // Attributes decide again, as in a form that is reset.
  internal.resetSelect = (select) => {
    for (const id of idsOf(select)) dom.resetChecked(id);
    dom.resetChecked(idOf(select));
  };

  const dataLists = new WeakMap();
  mix(N('DataList'), {
    get options() {
      let list = dataLists.get(this);
      if (list === undefined) dataLists.set(this, (list = internal.liveByNames(() => idsOf(this))));
      return list;
    },
  });

  // Constructors that are called by these names.
  const constructor = (name, Class, make) => {
    const function_ = { [name]: function (...all) {
      if (new.target === undefined) throw new TypeError(`Class constructor ${name} cannot be invoked without 'new'`);
      return make(...all);
    } }[name];
    Object.defineProperty(function_, 'prototype', { value: Class.prototype, writable: false });
    internal.hidden(globalThis, name, function_);
  };
  constructor('Option', N('Option'), (content = '', value = undefined, defaultSelected = false, selected = false) => {
    const option = document.createElement('option');
    if (`${content}` !== '') option.textContent = `${content}`;
    if (value !== undefined) option.value = value;
    if (defaultSelected) option.defaultSelected = true;
    dom.setSelected(idOf(option), Boolean(selected));
    return option;
  });
  constructor('Image', N('Image'), (width = undefined, height = undefined) => {
    const image = document.createElement('img');
    if (width !== undefined) image.width = width;
    if (height !== undefined) image.height = height;
    return image;
  });
  constructor('Audio', N('Audio'), (source = undefined) => {
    const audio = document.createElement('audio');
    audio.setAttribute('preload', 'auto');
    if (source !== undefined) audio.src = source;
    return audio;
  });
});
