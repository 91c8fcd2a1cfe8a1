// Plain arithmetic in nested loops: a small Mandelbrot set, and an integer hash.
let inside = 0;
for (let y = 0; y < 60; y++) {
  for (let x = 0; x < 80; x++) {
    const cr = x / 40 - 1.5;
    const ci = y / 30 - 1;
    let zr = 0;
    let zi = 0;
    let n = 0;
    while (n < 100 && zr * zr + zi * zi < 4) {
      const t = zr * zr - zi * zi + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
      n++;
    }
    inside += n;
  }
}
let hash = 2166136261;
for (let i = 0; i < 1000000; i++) {
  hash = Math.imul(hash ^ (i & 255), 16777619);
}
return inside + (hash >>> 0);
