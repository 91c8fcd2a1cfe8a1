// Tables: their sections, rows and cells.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, insert, keptList, liveByNames, mix, wrap } = internal;
  const { indexOf } = Array.prototype;

  const children = (element, selector) => dom.queryAll(idOf(element), selector);
  const first = (table, tag) => wrap(children(table, `:scope > ${tag}`)[0] ?? 0);
  const lastBody = (table) => wrap(children(table, ':scope > tbody').at(-1) ?? 0);
  const make = (near, tag) => near.ownerDocument.createElement(tag);

  // Rows of the head come first and rows of the foot last, wherever the sections are.
  const rowsOf = (table) => [
    ...children(table, ':scope > thead > tr'),
    ...children(table, ':scope > tr, :scope > tbody > tr'),
    ...children(table, ':scope > tfoot > tr'),
  ];
  // Checks an index of a list to which one may be added; -1 is the end.
  const placeIn = (list, index, last) => {
    index |= 0;
    if (index < -1 || index > last) {
      throw new internal.DOMException(`The index ${index} is not in the range from -1 to ${last}`, 'IndexSizeError');
    }
    return list[index] ?? null;
  };
  // The last of the rows, without a list of all: tables grow row by row.
  const lastRow = (table) => {
    let inBody = 0;
    let inHead = 0;
    for (let at = dom.last(idOf(table)); at !== 0; at = dom.previous(at)) {
      const child = wrap(at);
      const isRow = child instanceof N('TableRow');
      if (!isRow && !(child instanceof N('TableSection'))) continue;
      let row = isRow ? at : dom.last(at);
      while (row !== 0 && !(wrap(row) instanceof N('TableRow'))) row = dom.previous(row);
      if (row === 0) continue;
      if (child.localName === 'tfoot') return wrap(row);
      if (child.localName === 'thead') inHead ||= row;
      else inBody ||= row;
    }
    return wrap(inBody || inHead);
  };
  const removeFrom = (list, index) => {
    const { length } = list;
    const found = placeIn(list, index, length - 1) ?? list[length - 1];
    found?.remove();
  };
  // A section that exists once: `get`, `set`, and the methods that make and remove it.
  const single = (property, suffix, tag, before) => ({
    get [property]() {
      return first(this, tag);
    },
    set [property](value) {
      if (value !== null && !(value instanceof HTMLElement && value.localName === tag)) {
        if (property === 'caption' || !(value instanceof N('TableSection'))) {
          throw internal.wrongType(property, `a ${tag} element`, value);
        }
        throw new internal.DOMException(`The element is no ${tag}`, 'HierarchyRequestError');
      }
      first(this, tag)?.remove();
      if (value !== null) insert(this, value, before(this));
    },
    [`create${suffix}`]() {
      const known = first(this, tag);
      if (known !== null) return known;
      return insert(this, make(this, tag), before(this));
    },
    [`delete${suffix}`]() {
      first(this, tag)?.remove();
    },
  });
  const behindHead = (table) => {
    for (const child of table.children) {
      if (child.localName !== 'caption' && child.localName !== 'colgroup') return child;
    }
    return null;
  };
  mix(N('Table'), single('caption', 'Caption', 'caption', (table) => table.firstChild));
  mix(N('Table'), single('tHead', 'THead', 'thead', behindHead));
  mix(N('Table'), single('tFoot', 'TFoot', 'tfoot', () => null));
  mix(N('Table'), {
    get rows() {
      return keptList(this, 'rows', () => liveByNames(() => rowsOf(this)));
    },
    get tBodies() {
      return keptList(this, 'tBodies', () => liveByNames(() => children(this, ':scope > tbody')));
    },
    createTBody() {
      return insert(this, make(this, 'tbody'), lastBody(this)?.nextSibling ?? null);
    },
    insertRow(index = -1) {
      const rows = (index | 0) === -1 ? [] : rowsOf(this).map(wrap);
      const before = placeIn(rows, index, rows.length);
      const row = make(this, 'tr');
      if (before !== null) return insert(before.parentNode, row, before);
      const last = lastRow(this);
      if (last !== null) return insert(last.parentNode, row, null);
      return insert(lastBody(this) ?? this.createTBody(), row, null);
    },
    deleteRow(index) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'deleteRow' on 'HTMLTableElement'");
      removeFrom([...this.rows], index);
    },
  });
  mix(N('TableSection'), {
    get rows() {
      return keptList(this, 'rows', () => liveByNames(() => children(this, ':scope > tr')));
    },
    insertRow(index = -1) {
      const rows = (index | 0) === -1 ? [] : [...this.rows];
      return insert(this, make(this, 'tr'), placeIn(rows, index, rows.length));
    },
    deleteRow(index) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'deleteRow' on 'HTMLTableSectionElement'");
      removeFrom([...this.rows], index);
    },
  });
  mix(N('TableRow'), {
    get cells() {
      return keptList(this, 'cells', () => liveByNames(() => children(this, ':scope > td, :scope > th')));
    },
    get rowIndex() {
      const parent = this.parentElement;
      const table = parent instanceof N('TableSection') ? parent.parentElement : parent;
      return table instanceof N('Table') ? indexOf.call(table.rows, this) : -1;
    },
    get sectionRowIndex() {
      const parent = this.parentElement;
      return parent instanceof N('TableSection') || parent instanceof N('Table') ? indexOf.call(parent.rows, this) : -1;
    },
    insertCell(index = -1) {
      const cells = (index | 0) === -1 ? [] : [...this.cells];
      return insert(this, make(this, 'td'), placeIn(cells, index, cells.length));
    },
    deleteCell(index) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'deleteCell' on 'HTMLTableRowElement'");
      removeFrom([...this.cells], index);
    },
  });
  mix(N('TableCell'), {
    get cellIndex() {
      const row = this.parentElement;
      return row instanceof N('TableRow') ? indexOf.call(row.cells, this) : -1;
    },
  });
});
