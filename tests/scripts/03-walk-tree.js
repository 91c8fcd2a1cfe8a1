const fs = require('fs');
const path = require('path');

function* walk(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name))) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) yield* walk(full);
    else yield full;
  }
}

const counts = new Map();
for (const file of walk('notes')) {
  for (const word of fs.readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
}
console.log(counts);
