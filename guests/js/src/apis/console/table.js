// console.table.
(function (native, internal) {
  'use strict';

  const P = internal.primordials;
  const { arrayJoin, arrayPush, hasOwn, keys: objectKeys, repeat } = P;
  const { engineName, kindOf, unwrap } = internal.kinds;
  const { inspect } = internal;
  const { restOf } = internal.inspecting;
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

  // The table of a collection or of an iterator of one: a row for each item, which is not opened.
  // Undefined for other data.
  const collection = (data) => {
    const rows = [];
    const add = (...items) => {
      const cells = [`${rows.length}`];
      for (let i = 0; i < items.length; i++) arrayPush(cells, show(items[i]));
      arrayPush(rows, cells);
    };
    const kind = kindOf(data);
    const rest = kind === 'iterator' ? restOf(data, Infinity) : undefined;
    const isMap = kind === 'map' || (rest?.[0] && engineName(data) === 'Map Iterator');
    if (kind === 'map') P.mapForEach(data, (value, key) => add(key, value));
    else if (kind === 'set') P.setForEach(data, (value) => add(value));
    else if (rest === undefined) return undefined;
    else {
      for (let i = 2; i < rest.length; i++) {
        if (isMap) add(rest[i][0], rest[i][1]);
        else add(rest[i]);
      }
    }
    return render(isMap ? [ITERATION, 'Key', 'Values'] : [ITERATION, 'Values'], rows);
  };

  // The rendered table; undefined when the data is not tabular.
  internal.table = (given, only) => {
    if (!isObject(given)) return undefined;
    const data = unwrap(given);
    if (data === null) return undefined;
    const listed = collection(data);
    if (listed !== undefined) return listed;
    const labels = objectKeys(data);
    const values = [];
    for (let i = 0; i < labels.length; i++) arrayPush(values, data[labels[i]]);
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
    const head = ['(index)'];
    for (let c = 0; c < columns.length; c++) arrayPush(head, columns[c]);
    if (hasPlain) arrayPush(head, 'Values');
    return render(head, rows);
  };
});
