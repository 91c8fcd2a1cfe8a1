// Lines from streams of several kinds, and questions.
const readline = require('readline');
const { Readable, PassThrough } = require('stream');
(async () => {
  const rl = readline.createInterface({ input: Readable.from(['a\nb', '\nc\r\nd']), crlfDelay: Infinity });
  for await (const l of rl) console.log([l]);
  const out = new PassThrough();
  out.on('data', (d) => console.log('out', JSON.stringify(String(d))));
  const inp = new PassThrough();
  const q = readline.createInterface({ input: inp, output: out });
  q.question('name? ', (a) => {
    console.log('hi', a);
    q.close();
  });
  inp.write('Ada\n');
  await new Promise((r) => q.on('close', r));
  const rp = require('readline/promises');
  const i2 = new PassThrough();
  const r2 = rp.createInterface({ input: i2, output: new PassThrough() });
  setTimeout(() => i2.write('x\n'), 2);
  console.log(await r2.question('? '));
  r2.close();
  const lines = [];
  const r3 = readline.createInterface({ input: Readable.from('1\n2\n3') });
  r3.on('line', (l) => {
    lines.push(l);
    if (l === '2') r3.close();
  });
  r3.on('close', () => console.log(lines));
  readline.clearLine(out, 0);
  readline.cursorTo(out, 0);
  r3.setPrompt('> ');
  console.log(r3.getPrompt(), r3.terminal);
})();
