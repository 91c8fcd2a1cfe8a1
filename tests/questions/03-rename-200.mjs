import { promises as fs } from 'node:fs';
import { join } from 'node:path';

const folder = 'photos';
const names = (await fs.readdir(folder)).sort();
await Promise.all(names.map((name, i) =>
  fs.rename(join(folder, name), join(folder, `holiday-${String(i + 1).padStart(3, '0')}.jpg`))));
console.log(`renamed ${names.length} files`);
