import { readFileSync } from 'node:fs';

const rows = readFileSync('data/sales.csv', 'utf8').trim().split('\n').slice(1).map((line) => line.split(','));
const total = rows.reduce((sum, [, , amount]) => sum + Number(amount), 0);
console.log(`${rows.length} rows, total ${total}`);
