// Counting with Map and Set: words of a text, and distinct pairs.
const parts = ['al', 'be', 'cor', 'de', 'en', 'fi', 'gam', 'hu', 'il', 'jo', 'ka', 'lu'];
let seed = 7;
function next(n) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % n;
}
const words = [];
for (let i = 0; i < 40000; i++) words.push(parts[next(12)] + parts[next(12)] + parts[next(12)]);
const counts = new Map();
for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
const top = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 50);
const pairs = new Set();
for (let i = 1; i < words.length; i++) pairs.add(words[i - 1][0] + words[i]);
const byNumber = new Map();
for (let i = 0; i < 100000; i++) {
  const key = next(5000);
  byNumber.set(key, (byNumber.get(key) || 0) + i);
}
const table = {};
for (const word of words) table[word] = (table[word] || 0) + word.length;
let sum = counts.size + pairs.size * 3 + byNumber.size;
for (const [word, n] of top) sum += word.length * n;
for (const n of byNumber.values()) sum = (sum + n) % 1000000007;
for (const word in table) sum += table[word];
return sum;
