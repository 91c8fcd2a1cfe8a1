// Streams: transforms, pipelines that fail, helpers, back-pressure, the web's streams.
const { Readable, Transform, Writable, pipeline, PassThrough, finished, compose } = require('stream');
const { pipeline: pp } = require('stream/promises');
const upper = () =>
  new Transform({
    transform(c, e, cb) {
      cb(null, c.toString().toUpperCase());
    },
  });
class Lines extends Transform {
  #rest = '';
  constructor() {
    super({ readableObjectMode: true });
  }
  _transform(c, e, cb) {
    const p = (this.#rest + c).split('\n');
    this.#rest = p.pop();
    p.forEach((l) => this.push(l));
    cb();
  }
  _flush(cb) {
    if (this.#rest) this.push(this.#rest);
    cb();
  }
}
(async () => {
  const out = [];
  await pp(
    Readable.from(['ab\nc', 'd\ne']),
    upper(),
    new Lines(),
    new Writable({
      objectMode: true,
      write(c, e, cb) {
        out.push(c);
        cb();
      },
    }),
  );
  console.log(out);
  await pp(
    Readable.from([1, 2, 3]),
    async function* (s) {
      for await (const x of s) yield x * 2;
    },
    async (s) => {
      for await (const x of s) console.log(x);
    },
  );
  try {
    await pp(
      Readable.from(['x']),
      new Transform({
        transform(c, e, cb) {
          cb(new Error('boom'));
        },
      }),
      new PassThrough(),
    );
  } catch (e) {
    console.log(e.message);
  }
  console.log(
    await Readable.from([1, 2, 3, 4])
      .filter((x) => x % 2)
      .map((x) => x * 10)
      .toArray(),
    await Readable.from([1, 2, 3]).reduce((a, b) => a + b, 0),
    await Readable.from([5, 6]).some((x) => x > 5),
  );
  const r = new Readable({ read() {} });
  r.push('a');
  r.push(null);
  r.setEncoding('utf8');
  for await (const c of r) console.log('chunk', c);
  const w = new Writable({
    highWaterMark: 3,
    write(c, e, cb) {
      setTimeout(cb, 1);
    },
  });
  console.log(w.write('ab'), w.write('cd'), w.writableLength, w.writableNeedDrain);
  w.on('drain', () => console.log('drain'));
  await new Promise((s) => setTimeout(s, 20));
  w.end();
  finished(w, (e) => console.log('finished', e));
  await new Promise((s) => setTimeout(s, 10));
  const ac = new AbortController();
  const p = pp(new Readable({ read() {} }), new PassThrough(), { signal: ac.signal });
  ac.abort();
  try {
    await p;
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
  pipeline(Readable.from(['z']), new PassThrough(), (e) => console.log('cb', e)).resume();
  const d = new PassThrough();
  d.destroy(new Error('gone'));
  d.on('error', (e) => console.log('err', e.message)).on('close', () =>
    console.log('close', d.destroyed, d.errored?.message),
  );
  const web = Readable.toWeb(Readable.from(['w']));
  for await (const c of web) console.log('web', c);
  console.log(await new Response(Readable.toWeb(Readable.from([Buffer.from('resp')]))).text());
  console.log(
    Readable.from([1]).take(1) instanceof Readable,
    await Readable.from([1, 2, 3]).drop(1).toArray(),
    await Readable.from(['a', 'b'])
      .flatMap(async function* (x) {
        yield x;
        yield x + x;
      })
      .toArray(),
  );
})();
