// Sorting with a comparator: numbers, and records by two keys.
let seed = 1;
function next() {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed;
}
const numbers = [];
for (let i = 0; i < 50000; i++) numbers.push(next());
numbers.sort((a, b) => a - b);
const records = [];
for (let i = 0; i < 10000; i++) records.push({ group: next() % 100, name: 'r' + (next() % 5000) });
records.sort((a, b) => a.group - b.group || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
let sum = 0;
for (let i = 0; i < numbers.length; i += 100) sum = (sum + numbers[i] * (i + 1)) % 1000000007;
for (let i = 0; i < records.length; i += 100) sum += records[i].group * i + records[i].name.length;
return sum;
