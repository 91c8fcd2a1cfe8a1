// CSV, Markdown and logs, parsed by hand and by patterns.
const s = `name,age,city
"Smith, J",42,"New
York"
Ada,36,London`;
const parse = (t) => {
  const rows = [];
  let row = [],
    cell = '',
    q = false;
  for (let i = 0; i < t.length; i++) {
    const c = t[i];
    if (q) {
      if (c === '"') {
        if (t[i + 1] === '"') {
          cell += '"';
          i++;
        } else q = false;
      } else cell += c;
    } else if (c === '"') q = true;
    else if (c === ',') {
      row.push(cell);
      cell = '';
    } else if (c === '\n') {
      row.push(cell);
      rows.push(row);
      row = [];
      cell = '';
    } else cell += c;
  }
  row.push(cell);
  rows.push(row);
  const [h, ...r] = rows;
  return r.map((x) => Object.fromEntries(h.map((k, i) => [k, x[i]])));
};
console.log(parse(s));
console.table(parse(s));
const md = '# T\n\n* a\n* b\n\n`c` **d**';
console.log(
  md
    .split('\n')
    .map((l) =>
      l
        .replace(/^# (.*)/, '<h1>$1</h1>')
        .replace(/^\* (.*)/, '<li>$1</li>')
        .replace(/`([^`]+)`/g, '<code>$1</code>')
        .replace(/\*\*(.+?)\*\*/g, '<b>$1</b>'),
    )
    .filter(Boolean),
);
const log = `2024-01-01T10:00:00Z [INFO] start user=1
2024-01-01T10:00:05Z [ERROR] fail user=2 err="x y"
bad line`;
const re = /^(?<ts>\S+) \[(?<lvl>\w+)\] (?<msg>.*?)(?: user=(?<user>\d+))?(?: err="(?<err>[^"]*)")?$/;
console.log(log.split('\n').map((l) => re.exec(l)?.groups));
console.log(
  [...'a=1;b=2'.matchAll(/(\w)=(\d)/g)].map(([, k, v]) => ({ [k]: +v })),
  'camelCaseString'.replace(/([A-Z])/g, ' $1').toLowerCase(),
  'kebab-case'.replace(/-(\w)/g, (_, c) => c.toUpperCase()),
  'Title case me'.replace(/\b\w/g, (c) => c.toUpperCase()),
  '1234567'.replace(/\B(?=(\d{3})+(?!\d))/g, ','),
  /^[\w.+-]+@[\w-]+\.[\w.]+$/.test('a.b+c@d.co'),
  'x'.match(/y/),
  'aaa'.match(/a/g),
  '2024-02-30'.match(/(\d+)-(\d+)/).slice(1),
  'tel: 555-1234'.match(/\d{3}-\d{4}/),
  'a1b22'.split(/(\d+)/),
  'A\tB'.split('\t'),
  'line1\r\nline2'.split(/\r?\n/),
);
const wrap = (t, n) => t.replace(new RegExp(`(?![^\\n]{1,${n}}$)([^\\n]{1,${n}})\\s`, 'g'), '$1\n');
console.log(wrap('the quick brown fox jumps over', 10));
const lev = (a, b) => {
  const d = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) d[0][j] = j;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
  return d[a.length][b.length];
};
console.log(
  lev('kitten', 'sitting'),
  [3, 1, 2].toString(),
  String([1, [2, 3]]),
  `${{}}`,
  `${[]}`,
  String(null),
  [null, undefined, 1].join('-'),
  'abc'.substring(2, 0),
  'abc'.substr(-2, 1),
  'abc'.slice(2, 0),
  '%',
  'a'.codePointAt(0),
  'z'.charCodeAt(),
  'abc'[1],
  'abc'.at(-1),
  'ab'.repeat(2),
  'abc'.includes('b', 2),
  'a-b'.split('-', 1),
  ' x '.trimStart() + '|',
  '\x41\u0042\u{43}',
  'ﬀ'.toUpperCase(),
  'ΑΣ'.toLowerCase(),
  'İ'.length,
);
