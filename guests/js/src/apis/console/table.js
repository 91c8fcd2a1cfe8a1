// console.table.
(function (native, internal) {
  'use strict';

  const P = internal.primordials;
  const { arrayJoin, arrayPush, hasOwn, keys: objectKeys, repeat } = P;
  const { kindOf, unwrap } = internal.kinds;
  const { inspect } = internal;
  const { width } = internal.layout;

  const isObject = (value) =>
    value !== null && (typeof value === 'object' || typeof value === 'function');

  // The target behind proxies: their traps must not run.
  const behind = (value) => (isObject(value) ? unwrap(value) : value);

  const show = (value) => {
    const plain = behind(value);
    // Cells stay small: an object with many keys is named, not opened.
    const isBig = isObject(plain) && kindOf(plain) !== 'array' && objectKeys(plain).length > 2;
    const depth = isBig ? -1 : 0;
    return inspect(value, { __proto__: null, maxArrayLength: 3, breakLength: Infinity, depth });
  };

  const pad = (text, size) => ` ${text}${repeat(' ', size - width(text) - 1)}`;

  const render = (head, rows) => {
    const sizes = [];
    for (let c = 0; c < head.length; c++) {
      let size = width(head[c]);
      for (let r = 0; r < rows.length; r++) size = Math.max(size, width(rows[r][c] ?? ''));
      arrayPush(sizes, size + 2);
    }
    const rule = (left, middle, right) => {
      const parts = [];
      for (let c = 0; c < sizes.length; c++) arrayPush(parts, repeat('─', sizes[c]));
      return left + arrayJoin(parts, middle) + right;
    };
    const line = (cells) => {
      const parts = [];
      for (let c = 0; c < sizes.length; c++) arrayPush(parts, pad(cells[c] ?? '', sizes[c]));
      return `│${arrayJoin(parts, '│')}│`;
    };
    const lines = [rule('┌', '┬', '┐'), line(head), rule('├', '┼', '┤')];
    for (let r = 0; r < rows.length; r++) arrayPush(lines, line(rows[r]));
    arrayPush(lines, rule('└', '┴', '┘'));
    return arrayJoin(lines, '\n');
  };

  const ITERATION = '(iteration index)';

  // Row labels and row values of whatever was given, and what the label column is called.
  const rowsOf = (data) => {
    const labels = [];
    const values = [];
    const kind = kindOf(data);
    if (kind === 'map') {
      P.mapForEach(data, (value, key) => {
        arrayPush(labels, key);
        arrayPush(values, value);
      });
      return { title: ITERATION, labels, values, isMap: true };
    }
    if (kind === 'set') {
      P.setForEach(data, (value) => {
        arrayPush(labels, `${labels.length}`);
        arrayPush(values, value);
      });
      return { title: ITERATION, labels, values };
    }
    const names = objectKeys(data);
    for (let i = 0; i < names.length; i++) {
      arrayPush(labels, names[i]);
      arrayPush(values, data[names[i]]);
    }
    return { title: '(index)', labels, values };
  };

  // The rendered table; undefined when the data is not tabular.
  internal.table = (given, only) => {
    if (!isObject(given)) return undefined;
    const data = unwrap(given);
    if (data === null) return undefined;
    const { title, labels, values, isMap } = rowsOf(data);
    if (isMap) {
      const rows = [];
      for (let i = 0; i < labels.length; i++)
        arrayPush(rows, [`${i}`, show(labels[i]), show(values[i])]);
      return render([title, 'Key', 'Values'], rows);
    }
    const columns = [];
    const seen = { __proto__: null };
    const addColumn = (key) => {
      if (seen[key]) return;
      seen[key] = true;
      arrayPush(columns, key);
    };
    if (only !== undefined) for (let i = 0; i < only.length; i++) addColumn(only[i]);
    let hasPlain = false;
    for (let r = 0; r < values.length; r++) {
      const row = behind(values[r]);
      if (!isObject(row) || typeof row === 'function') hasPlain = true;
      else if (only === undefined) {
        const keys = objectKeys(row);
        for (let i = 0; i < keys.length; i++) addColumn(keys[i]);
      }
    }
    const rows = [];
    for (let r = 0; r < values.length; r++) {
      const row = behind(values[r]);
      const opened = isObject(row) && typeof row !== 'function';
      const cells = [labels[r]];
      for (let c = 0; c < columns.length; c++) {
        arrayPush(cells, opened && hasOwn(row, columns[c]) ? show(row[columns[c]]) : '');
      }
      if (hasPlain) arrayPush(cells, opened ? '' : show(row));
      arrayPush(rows, cells);
    }
    const head = [title];
    for (let c = 0; c < columns.length; c++) arrayPush(head, columns[c]);
    if (hasPlain) arrayPush(head, 'Values');
    return render(head, rows);
  };
});
