let data = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => (data += chunk));
process.stdin.on('end', () => {
  const numbers = data.trim().split('\n').map(Number);
  console.log('sum', numbers.reduce((a, b) => a + b, 0));
  console.log('max', Math.max(...numbers));
});
