import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function count(folder) {
  let words = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    words += entry.isDirectory() ? count(path) : readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length;
  }
  return words;
}

console.log(`${count('notes')} words`);
