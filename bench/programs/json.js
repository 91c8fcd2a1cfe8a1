// JSON there and back: a list of orders, nested, with text that needs escapes.
const orders = [];
for (let i = 0; i < 2000; i++) {
  orders.push({
    id: i,
    customer: { name: 'Customer "' + i + '"', email: 'c' + i + '@example.com', city: 'Zürich' },
    lines: [
      { sku: 'A-' + (i % 17), amount: i % 5, price: i * 0.25 },
      { sku: 'B-' + (i % 13), amount: 1, price: 9.99 },
    ],
    note: i % 3 === 0 ? null : 'first\nsecond\tthird',
    paid: i % 2 === 0,
  });
}
let length = 0;
let back = orders;
for (let i = 0; i < 3; i++) {
  const text = JSON.stringify(back);
  length += text.length;
  back = JSON.parse(text);
}
let total = 0;
for (const order of back) {
  for (const line of order.lines) total += line.amount * line.price;
}
return length + Math.round(total * 100);
