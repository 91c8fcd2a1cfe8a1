const { parseArgs, styleText, inspect, stripVTControlCharacters } = require('node:util');
const options = {
  verbose: { type: 'boolean', short: 'v' },
  output: { type: 'string', short: 'o', default: 'out.txt' },
  tag: { type: 'string', multiple: true },
};
const show = (args, extra) => {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, ...extra });
    console.log({ ...values }, positionals);
  } catch (error) {
    console.log(error.code, error.message);
  }
};
show(['-v', '--output', 'a.txt', 'file1', 'file2']);
show(['--tag=x', '--tag', 'y', '--', '--not-an-option']);
show(['-vo', 'b.txt']);
show(['--unknown']);
show(['--output']);
show(['-v=1']);
show(['--verbose=yes']);
show(['pos'], { allowPositionals: false });
show(['--no-verbose'], { allowNegative: false, strict: false });
show(['-x', '--any', 'thing'], { strict: false });
const { tokens } = parseArgs({ args: ['-v', '--tag', 'z', 'p'], options, allowPositionals: true, tokens: true });
console.log(tokens.length, tokens[0]);
console.log(JSON.stringify(styleText('red', 'danger')), inspect(styleText('bold', 'x')));
console.log(stripVTControlCharacters(styleText('green', 'plain')));
try {
  styleText('mauve', 'x');
} catch (error) {
  console.log(error.code);
}
