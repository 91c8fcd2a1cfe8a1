import totals, { average } from './src/stats.mjs';
import * as format from './src/format.mjs';
import config from './src/old.cjs';

console.log(totals([1, 2, 3]), average([1, 2, 3]), Object.keys(format), config);
const { later } = await import('./src/later.mjs');
console.log(await later());
