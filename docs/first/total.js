const text = await require('fs').promises.readFile('/data/prices.csv', 'utf8');
const prices = text.trim().split('\n').map((line) => Number(line.split(',')[1]));
console.log('adding', prices.length, 'prices');
return { total: prices.reduce((sum, price) => sum + price) };
