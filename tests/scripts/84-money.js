// An invoice in the forms of several countries, with names for people.
const items = [
  { name: 'Cable', price: 1234.5, quantity: 2 },
  { name: 'Adapter', price: 0.99, quantity: 12 },
  { name: 'Refund', price: -250, quantity: 1 },
];
const total = items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
const countries = { 'en-US': 'USD', 'de-DE': 'EUR', 'fr-FR': 'EUR', 'ja-JP': 'JPY', 'en-IN': 'INR', 'pt-BR': 'BRL', 'sv-SE': 'SEK' };
for (const [locale, currency] of Object.entries(countries)) {
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
  console.log(locale.padEnd(6), ...items.map(({ price }) => money.format(price)), money.format(total), (0.075).toLocaleString(locale, { style: 'percent', minimumFractionDigits: 1 }));
}
const regions = new Intl.DisplayNames(['en'], { type: 'region' });
const languages = new Intl.DisplayNames(['en'], { type: 'language' });
const currencies = new Intl.DisplayNames(['en'], { type: 'currency' });
console.table(Object.entries(countries).map(([locale, currency]) => ({ language: languages.of(locale), region: regions.of(locale.slice(3)), currency: currencies.of(currency) })));
console.log(new Intl.ListFormat('en', { type: 'disjunction' }).format(items.map(({ name }) => name)));
console.log(new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).formatToParts(-1234.5).map(({ type, value }) => `${type}=${value}`).join(' '));
console.log(new Intl.NumberFormat('en', { notation: 'scientific' }).format(total), new Intl.NumberFormat('en', { notation: 'compact' }).format(total * 1e6));
for (const year of [1985, 1999, 2006, 2024]) {
  const due = new Date(Date.UTC(year, 3, 3, 12));
  console.log(['America/New_York', 'Europe/Berlin', 'Australia/Sydney', 'Asia/Tokyo'].map((timeZone) => due.toLocaleString('en-US', { timeZone, dateStyle: 'short', timeStyle: 'short' })).join(' | '));
}
