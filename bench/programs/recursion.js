// Calls and returns: Fibonacci, Ackermann, and the solutions of eight queens.
function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
function ackermann(m, n) {
  if (m === 0) return n + 1;
  return ackermann(m - 1, n === 0 ? 1 : ackermann(m, n - 1));
}
function queens(all, columns, left, right) {
  if (columns === all) return 1;
  let count = 0;
  let free = all & ~(columns | left | right);
  while (free !== 0) {
    const bit = free & -free;
    free ^= bit;
    count += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}
return fib(27) * 1000 + ackermann(2, 150) + queens(255, 0, 0, 0);
