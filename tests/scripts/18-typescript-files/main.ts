import { parse, type Row } from './csv';
import { readFileSync } from 'node:fs';

const rows: Row[] = parse(readFileSync('sales.csv', 'utf8'));
const best = rows.reduce<Row | undefined>((a, b) => (!a || +b.amount > +a.amount ? b : a), undefined);
console.log(rows.length, best);
