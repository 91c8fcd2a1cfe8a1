const fs = require('fs');

const lines = fs.readFileSync('sales.csv', 'utf8').trim().split('\n');
const header = lines.shift().split(',');
const rows = lines.map((line) => Object.fromEntries(line.split(',').map((v, i) => [header[i], v])));
const totals = {};
for (const row of rows) {
  totals[row.region] = (totals[row.region] || 0) + parseFloat(row.amount);
}
console.log('Rows:', rows.length);
console.table(Object.entries(totals).map(([region, total]) => ({ region, total })));
