import { readFileSync } from 'node:fs';
import { summary, type Row } from './summary.ts';

const rows: Row[] = readFileSync('data/sales.csv', 'utf8').trim().split('\n').slice(1)
  .map((line) => line.split(','))
  .map(([day, product, amount]) => ({ day, product, amount: Number(amount) }));
console.log(summary(rows));
