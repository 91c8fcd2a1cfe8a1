import { readFile, writeFile } from 'node:fs/promises';

const users = JSON.parse(await readFile('data/users.json', 'utf8'));
const columns = Object.keys(users[0]);
const lines = [columns, ...users.map((user) => columns.map((column) => user[column]))];
await writeFile('data/users.csv', lines.map((line) => line.join(',')).join('\n') + '\n');
console.log(`${users.length} users`);
