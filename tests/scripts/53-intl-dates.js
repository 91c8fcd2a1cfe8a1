process.env.TZ = 'UTC';
const date = new Date(Date.UTC(2024, 1, 29, 13, 5, 9, 7));
console.log(date.toISOString(), date.toJSON(), JSON.stringify({ date }));
console.log(date.toLocaleDateString('en-US', { timeZone: 'UTC' }), date.toLocaleTimeString('en-US', { timeZone: 'UTC' }));
console.log(date.toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' }));
console.log(new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(date));
console.log(new Intl.NumberFormat('en-US').format(1234567.891), (0.256).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 }));
console.log(new Intl.NumberFormat('en-US', { notation: 'compact' }).format(1234567), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'kilometer-per-hour' }).format(50));
console.log(new Intl.PluralRules('en-US').select(1), new Intl.PluralRules('en-US', { type: 'ordinal' }).select(2));
console.log(new Intl.ListFormat('en', { style: 'long', type: 'conjunction' }).format(['a', 'b', 'c']));
console.log(new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'), new Intl.RelativeTimeFormat('en').format(3, 'week'));
const addMonths = (from, n) => { const to = new Date(from); to.setUTCMonth(to.getUTCMonth() + n); return to; };
console.log(addMonths(date, 1).toISOString().slice(0, 10), addMonths(new Date('2024-01-31T00:00:00Z'), 1).toISOString());
const daysBetween = (a, b) => Math.round((Date.parse(b) - Date.parse(a)) / 864e5);
console.log(daysBetween('2024-01-01', '2024-12-31'), new Date('2024-13-45').getTime(), String(new Date(NaN)));
for (const text of ['2024-02-30', 'tomorrow', '', '2024-02-29T25:00:00Z']) {
  try {
    const parsed = new Date(text);
    if (Number.isNaN(parsed.getTime())) throw new RangeError(`Invalid date: "${text}"`);
    console.log(parsed.toISOString());
  } catch (error) {
    console.log(error.name, error.message);
  }
}
for (const run of [() => new Date(NaN).toISOString(), () => new Intl.NumberFormat('en', { style: 'currency' }), () => new Intl.DateTimeFormat('en', { timeZone: 'Mars/Base' }), () => (1).toLocaleString('en', { minimumFractionDigits: 200 })]) {
  try {
    run();
    console.log('ok');
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}
console.log(['b', 'a', 'C', 'ä'].sort((x, y) => x.localeCompare(y)), 'a'.localeCompare('B'), ['10', '9', '1'].sort(new Intl.Collator('en', { numeric: true }).compare));
