// Makes a copy of the package `uucore` for browsers: node scripts/web-uucore.cjs FOLDER
//
// The common commands of browsers (guests/commands/src/basics.rs) know the POSIX locale only, and
// English messages of their own: the host starts the full program if a variable names another locale.
// Tables of other locales would be a quarter of their file. A change whose text does not occur exactly
// once fails: the package has a new version, and the change must be reviewed. Prints the copy's folder.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const PACKAGE = 'uucore';

/** A result in place of the first statement of a function. */
const returns = (head, value) => [`${head} {\n`, `${head} {\n    #![allow(unreachable_code)]\n    return ${value};\n`];

/** Replacements of text, by file. */
const CHANGES = {
  // English alone, as for targets other than WASI.
  'build.rs': [['env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "wasi")', 'false']],
  'src/lib/features/i18n/collator.rs': [
    returns('pub fn init_locale_collation() -> bool', 'false'),
    returns('pub fn compute_sort_key_utf8(input: &[u8], buf: &mut Vec<u8>)', 'buf.extend_from_slice(input)'),
    returns('pub fn locale_cmp(left: &[u8], right: &[u8]) -> Ordering', 'left.cmp(right)'),
  ],
  'src/lib/features/i18n/datetime.rs': [returns("pub fn get_locale_months() -> Option<&'static [Vec<u8>; 12]>", 'None')],
  'src/lib/features/i18n/decimal.rs': [
    returns("pub fn locale_decimal_separator() -> &'static str", '"."'),
    returns("pub fn locale_grouping_separator() -> &'static str", '""'),
  ],
};

const root = path.resolve(__dirname, '..');
const folder = path.resolve(process.argv[2]);

/** Returns the folder of the unpacked package, in the version of the guests' lock file. */
function find() {
  const args = ['metadata', '--locked', '--format-version', '1', '--filter-platform', 'wasm32-wasip1'];
  const text = execFileSync('cargo', args, { cwd: path.join(root, 'guests'), maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
  const found = JSON.parse(text).packages.find(({ name }) => name === PACKAGE);
  return path.dirname(found.manifest_path);
}

/** Writes a file, unless it has this content already: cargo looks at times. */
function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (!fs.existsSync(file) || !fs.readFileSync(file).equals(content)) fs.writeFileSync(file, content);
}

function change(file, content) {
  let text = content.toString();
  for (const [from, to] of CHANGES[file]) {
    if (text.split(from).length !== 2) throw new Error(`${PACKAGE}: ${file}: not exactly one ${JSON.stringify(from)}`);
    text = text.replace(from, () => to);
  }
  return Buffer.from(text);
}

const original = find();
const copy = path.join(folder, path.basename(original));
for (const file of fs.readdirSync(original, { recursive: true })) {
  if (!fs.statSync(path.join(original, file)).isFile()) continue;
  const content = fs.readFileSync(path.join(original, file));
  write(path.join(copy, file), CHANGES[file] ? change(file, content) : content);
}
for (const file of Object.keys(CHANGES)) if (!fs.existsSync(path.join(original, file))) throw new Error(`${PACKAGE}: no ${file}`);

// The package embeds the messages of commands that are beside it.
const basics = fs.readFileSync(path.join(root, 'guests/commands/src/basics.rs'), 'utf8');
const version = path.basename(original).slice(PACKAGE.length);
const wired = [...basics.matchAll(/uu!\((uu_\w+),/g)].map(([, name]) => name);
// Four more have wrappers.
const commands = [...wired, 'uu_cp', 'uu_mkdir', 'uu_sort', 'uu_yes'];
let isLonger = false;
for (const name of commands) {
  const [beside, link] = [path.join(path.dirname(original), name + version), path.join(folder, name + version)];
  if (!fs.existsSync(beside) || fs.existsSync(link)) continue;
  fs.symlinkSync(beside, link);
  isLonger = true;
}
// Cargo does not look at the messages of a command that was not there.
if (isLonger) fs.utimesSync(path.join(copy, 'build.rs'), new Date(), new Date());
console.log(copy);
