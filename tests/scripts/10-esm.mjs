import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const __filename = fileURLToPath(import.meta.url);
const __dirname = path.dirname(__filename);
const people = JSON.parse(await readFile('people.json', 'utf8'));
console.log(path.basename(__filename), __dirname === path.dirname(__filename));
for (const { name, age } of people) console.log(name.padEnd(8), String(age).padStart(3));
export const count = people.length;
