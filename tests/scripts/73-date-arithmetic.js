// Dates: months that are too short, texts that are parsed, weeks, and what is no date.
const pad = (n) => String(n).padStart(2, '0');
const d = new Date(2024, 0, 31, 10, 20, 30, 45);
console.log(
  d,
  d.toString(),
  d.toDateString(),
  d.toUTCString(),
  d.toJSON(),
  d.getTimezoneOffset(),
  +d,
  d.toLocaleString(),
);
const addM = (x, m) => {
  const y = new Date(x);
  y.setMonth(y.getMonth() + m);
  return y;
};
console.log(
  addM(d, 1),
  addM(d, -2),
  new Date(2024, 1, 0).getDate(),
  new Date('2024-02-30'),
  new Date('2024-13-01'),
  new Date('x'),
);
console.log(
  Date.parse('2024-03-10'),
  Date.parse('2024-03-10T10:00'),
  Date.parse('Mar 10, 2024 10:00 PM'),
  Date.parse('10 March 2024'),
  Date.parse('2024/03/10'),
  Date.parse('Sun, 10 Mar 2024 10:00:00 GMT'),
  Date.parse('2024-03-10T10:00:00+02:00'),
  Date.parse('03/10/2024'),
  Date.parse('2024-3-1'),
  Date.parse('Tue Mar 26 2024 10:00:00 GMT+0100 (CET)'),
);
const diff = (a, b) => Math.round((b - a) / 864e5);
console.log(
  diff(new Date('2024-01-01'), new Date('2024-12-31')),
  new Date(0),
  [new Date(0)],
  { d: new Date(8.64e15) },
  new Date(8.64e15 + 1),
  new Date(-1),
  new Date(2019, 0),
  Date.UTC(2024),
  new Date(99, 0).getFullYear(),
);
const week = (x) => {
  const t = new Date(Date.UTC(x.getFullYear(), x.getMonth(), x.getDate()));
  const day = t.getUTCDay() || 7;
  t.setUTCDate(t.getUTCDate() + 4 - day);
  const y = new Date(Date.UTC(t.getUTCFullYear(), 0, 1));
  return Math.ceil(((t - y) / 864e5 + 1) / 7);
};
console.log(
  week(d),
  `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`,
  typeof (d - 1),
  d + 1,
  d[Symbol.toPrimitive]('number'),
  isNaN(new Date('no')),
  Object.is(new Date(NaN).getTime(), NaN),
  JSON.stringify({ d: new Date(NaN) }),
  new Date(2024, 5, 15) > new Date(2024, 5, 14),
);
console.log(
  Array.from({ length: 3 }, (_, i) => new Date(2024, i, 1).toLocaleDateString('en-US', { month: 'long' })),
  new Date(1e12).toLocaleDateString(undefined, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }),
  new Date(1e12).toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' }),
);
