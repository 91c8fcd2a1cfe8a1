function depth(n) { return depth(n + 1); }
const attempt = (what, run) => {
  try {
    console.log(what, run());
  } catch (error) {
    console.log(what, '!', error.constructor.name, error.message, error instanceof RangeError);
  }
};
attempt('recursion', () => depth(0));
attempt('mutual', () => { const even = (n) => odd(n - 1); const odd = (n) => even(n - 1); return even(1e9); });
attempt('getter', () => ({ get a() { return this.a; } }).a);
attempt('toString', () => `${{ toString() { return `${this}`; } }}`);
attempt('array length', () => { const a = []; a.length = 2 ** 32; });
attempt('typed array', () => new Uint8Array(-5));
attempt('typed length', () => new Float64Array(2 ** 60));
attempt('string length', () => 'x'.repeat(2 ** 30));
attempt('pad', () => 'x'.padEnd(2 ** 30));
attempt('precision', () => (1).toPrecision(101));
attempt('exponential', () => (1).toExponential(-1));
attempt('code point', () => String.fromCodePoint(0x110000));
attempt('normalize', () => 'x'.normalize('NFX'));
attempt('bigint', () => BigInt('12x'));
attempt('bigint undefined', () => BigInt(undefined));
attempt('bigint divide', () => 1n / 0n);
attempt('math bigint', () => Math.floor(1n));
attempt('number symbol', () => Number(Symbol('n')));
attempt('view', () => new DataView(new ArrayBuffer(4)).getInt32(2));
attempt('set offset', () => new Uint8Array(2).set([1, 2, 3]));
attempt('invalid date', () => new Date(8.64e15 + 1).toISOString());
attempt('locale date', () => new Date(NaN).toLocaleDateString('en-US'));
attempt('regexp flags', () => new RegExp('a', 'gx'));
attempt('regexp repeat', () => new RegExp('a++'));
attempt('regexp range', () => new RegExp('[b-a]'));
