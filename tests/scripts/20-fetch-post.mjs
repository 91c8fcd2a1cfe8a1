const [, , base] = process.argv;
const response = await fetch(`${base}/echo`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ items: [1, 2, 3] }),
});
console.log(response.status, response.headers.get('content-type'));
console.log(await response.json());
const text = await (await fetch(new URL('/text?q=a%20b', base))).text();
console.log(text);
