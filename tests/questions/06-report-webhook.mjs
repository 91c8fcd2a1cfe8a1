import { readFileSync } from 'node:fs';

const sales = readFileSync('data/sales.csv', 'utf8').trim().split('\n').length - 1;
const users = JSON.parse(readFileSync('data/users.json', 'utf8')).length;
const response = await fetch(`${process.argv[2]}/hook`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: `${sales} sales, ${users} users` }),
});
console.log(`sent: ${response.status}`);
