// node:path, the POSIX half of it.
(function (native, internal) {
  'use strict';

  const text = (value, name) => {
    if (typeof value !== 'string') throw internal.wrongType(name, 'of type string', value);
    return value;
  };

  // Takes `.` and `..` out, as far as the path itself tells.
  const simplify = (path, absolute) => {
    const names = [];
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
      else if (name !== '..' || !absolute) names.push(name);
    }
    return names.join('/');
  };

  const path = {
    sep: '/',
    delimiter: ':',
    isAbsolute: (given) => text(given, 'path').startsWith('/'),
    normalize(given) {
      if (text(given, 'path') === '') return '.';
      const absolute = given.startsWith('/');
      const simple = simplify(given, absolute);
      const end = given.endsWith('/') && simple !== '' ? '/' : '';
      return (absolute ? '/' : '') + simple + end || '.';
    },
    join(...parts) {
      const joined = parts.map((part) => text(part, 'path')).filter((part) => part !== '');
      return joined.length === 0 ? '.' : path.normalize(joined.join('/'));
    },
    resolve(...parts) {
      let all = '';
      for (const part of ['/home/user', ...parts.map((part) => text(part, 'path'))]) {
        if (part !== '') all = part.startsWith('/') ? part : `${all}/${part}`;
      }
      return `/${simplify(all, true)}`;
    },
    relative(from, to) {
      const source = path.resolve(from).split('/').filter(Boolean);
      const target = path.resolve(to).split('/').filter(Boolean);
      let same = 0;
      while (same < source.length && source[same] === target[same]) same++;
      return [...source.slice(same).fill('..'), ...target.slice(same)].join('/');
    },
    dirname(given) {
      const trimmed = text(given, 'path').replace(/\/+$/, '');
      const at = trimmed.lastIndexOf('/');
      if (at === -1) return given.startsWith('/') && trimmed === '' ? '/' : '.';
      return trimmed.slice(0, at).replace(/\/+$/, '') || '/';
    },
    basename(given, suffix = '') {
      const name = text(given, 'path').replace(/\/+$/, '').split('/').at(-1);
      return name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
    },
    extname(given) {
      const name = path.basename(given);
      const at = name.lastIndexOf('.');
      return at <= 0 ? '' : name.slice(at);
    },
    parse(given) {
      const root = text(given, 'path').startsWith('/') ? '/' : '';
      const base = path.basename(given);
      const ext = path.extname(given);
      const dir = path.dirname(given);
      return {
        root,
        dir: dir === '.' && !given.startsWith('.') ? '' : dir,
        base,
        ext,
        name: base.slice(0, base.length - ext.length),
      };
    },
    format({ dir, root = '', base, name = '', ext = '' }) {
      const last = base ?? name + (ext === '' || ext.startsWith('.') ? ext : `.${ext}`);
      if (!dir) return root + last;
      return dir === root ? dir + last : `${dir}/${last}`;
    },
    toNamespacedPath: (given) => given,
  };
  path.posix = path;
  internal.path = path;
});
