const text = `Contact: ada@example.com, linus@kernel.org.
Dates: 2024-01-05 and 2023-12-31.`;
console.log(text.match(/[\w.]+@[\w.]+\w/g));
for (const { groups, index } of text.matchAll(/(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/g)) {
  console.log(index, { ...groups });
}
console.log(text.replace(/\b(\w)(\w*)\b/g, (_, a, b) => a.toUpperCase() + b).split('\n')[0]);
console.log('ﬁancé'.normalize('NFKD').length, 'a-b_c'.split(/[-_]/), 'ß'.toUpperCase(), '😀x'.at(0).length);
