const { Readable, Transform, Writable, pipeline, PassThrough } = require('node:stream');
const { pipeline: pipelineAsync, finished } = require('node:stream/promises');

const splitLines = () => {
  let rest = '';
  return new Transform({
    readableObjectMode: true,
    transform(chunk, _, done) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      lines.forEach((line) => this.push(line));
      done();
    },
    flush(done) {
      if (rest) this.push(rest);
      done();
    },
  });
};
const parseRecords = () =>
  new Transform({
    objectMode: true,
    transform(line, _, done) {
      try {
        done(null, JSON.parse(line));
      } catch (error) {
        done(new Error(`bad record: ${line}`, { cause: error }));
      }
    },
  });
const collect = (into) => new Writable({ objectMode: true, write(item, _, done) { into.push(item); done(); } });

async function main() {
  const good = [];
  await pipelineAsync(Readable.from(['{"a":1}\n{"a"', ':2}\n', '{"a":3}']), splitLines(), parseRecords(), collect(good));
  console.log(good);
  const partial = [];
  try {
    await pipelineAsync(Readable.from(['{"a":1}\n{oops}\n']), splitLines(), parseRecords(), collect(partial));
  } catch (error) {
    console.log(error.message, '<-', error.cause.message);
  }
  await new Promise((resolve) => {
    pipeline(Readable.from(['x']), new Transform({ transform(c, e, d) { d(new TypeError('no')); } }), new PassThrough(), (error) => {
      console.log('callback:', error?.message);
      resolve();
    });
  });
  const total = await Readable.from([1, 2, 3, 4]).filter((n) => n % 2 === 0).map((n) => n * 10).reduce((a, b) => a + b, 0);
  console.log(total);
  const broken = new Readable({ read() { this.destroy(new Error('source gone')); } });
  broken.resume();
  await finished(broken).catch((error) => console.log(error.message));
  try {
    new Writable().write('x', (error) => console.log('write:', error.code, error.message));
  } catch (error) {
    console.log(error.code, error.message);
  }
  const w = new Writable({ write(c, e, d) { d(); } });
  w.on('error', (error) => console.log('error event:', error.code, error.message));
  w.end('last');
  w.write('after end');
  try {
    w.write(null);
  } catch (error) {
    console.log(error.code, error.message);
  }
  async function* numbers() { for (let i = 0; i < 3; i++) yield `${i}\n`; }
  let text = '';
  for await (const chunk of Readable.from(numbers())) text += chunk;
  console.log(JSON.stringify(text));
}
main();
