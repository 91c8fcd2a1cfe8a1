const fs = require('fs');
const readline = require('readline');

async function main() {
  const lines = readline.createInterface({ input: fs.createReadStream('sales.csv'), crlfDelay: Infinity });
  let n = 0;
  for await (const line of lines) if (n++ > 0) console.log(n, line.split(',')[1]);
}
main();
