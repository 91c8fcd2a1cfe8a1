// Runs unmodified libraries for browsers in the guest's document and in jsdom, and compares.
//
//   npm install --prefix DIR @mozilla/readability turndown dompurify marked jsdom
//   cargo build --release -p cofferdam-guest-js --features document --example with_document
//   node tests/libraries/compare.mjs DIR TARGET/release/examples/with_document
//
// Nothing of the libraries is part of this repository.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [modules, runner] = process.argv.slice(2);
const load = createRequire(join(modules, 'package.json'));
const { JSDOM } = load('jsdom');
const at = (path) => join(modules, 'node_modules', path);
const folder = mkdtempSync(join(tmpdir(), 'libraries-'));

// A page of some 300 KB with what real ones have: navigation, an article, comments, broken markup.
const words = readFileSync(at('@mozilla/readability/README.md'), 'utf8').match(/[A-Za-z,]{2,}/g);
const prose = (seed, count) =>
  Array.from({ length: count }, (_, n) => words[(seed * 31 + n * 7) % words.length]).join(' ');
let page = `<!doctype html><html lang=en><head><title>The long story - A site</title><meta name=author content="A. Writer"><meta property="og:title" content="The long story"><style>p{color:red}</style><script>var a = 1 < 2;</script></head><body class=home><div id=nav class="nav sidebar"><ul>${'<li><a href="/x">Link text</a>'.repeat(60)}</ul></div><div id=main class="content post"><article class=entry><h1>The long story</h1><p class=byline>By A. Writer</p>`;
for (let n = 0; page.length < 260_000; n++) {
  page += `<h2 id="h${n}">Part ${n}</h2><p>${prose(n, 90)}, <a href="/p/${n}?a=1&b=2">a link</a> and <b>bold <i>both</b> italic</i>.<p style="margin:0">${prose(n + 1, 60)}.<ul><li>one<li>two &amp; three</ul><figure><img src="i/${n}.png" alt="Picture ${n}"><figcaption>${prose(n, 8)}</figcaption></figure><blockquote><p>${prose(n, 20)}</blockquote><table><tr><th>a<th>b<tr><td>1<td>2</table><pre><code>let x = ${n} &lt; 3;</code></pre><div class="share social"><a href="#">Share</a></div>`;
}
page += `</article></div><div id=comments class="comments">${'<div class=comment><p>Nice, really nice, I like it.</p></div>'.repeat(200)}</div><footer>(c)</footer></body></html>`;

const dirty = [
  '<img src=x onerror=alert(1)//><b>ok</b>',
  '<svg><g/onload=alert(2)//<p>x',
  '<p>abc<iframe//src=jAva&Tab;script:alert(3)>def</p>',
  '<math><mi//xlink:href="data:x,<script>alert(4)</script>">',
  '<TABLE><tr><td>HELLO</tr></TABL>',
  '<UL><li><A HREF=//google.com>click</UL>',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<a href="javascript:alert(1)" title="t">x</a><a href="https://e.org/?a=b&c=d">y</a>',
  '<style>@import "x"</style><template><script>1</script><i>t</i></template><form id=attributes><input name=parentNode></form>',
  '<div><noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript></div><!-- c --><custom-el a=b>k</custom-el>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
];
const markdown = `# Title\n\nSome *emphasis*, **strong**, \`code\` and [a link](https://e.org "t").\n\n- one\n- two\n  1. a\n  2. b\n\n> quote\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n\`\`\`js\nlet x = 1 < 2;\n\`\`\`\n\n<div>raw</div>\n`;
writeFileSync(join(folder, 'page.html'), page);
writeFileSync(join(folder, 'dirty.json'), JSON.stringify(dirty));
writeFileSync(join(folder, 'text.md'), markdown);

const cases = {
  readability: {
    scripts: ['@mozilla/readability/Readability.js'],
    body: `const doc = new DOMParser().parseFromString(PAGE, 'text/html');
const article = new Readability(doc).parse();
console.log(JSON.stringify([article.title, article.byline, article.length, article.excerpt, article.dir, article.lang, article.content, article.textContent]));`,
  },
  turndown: {
    scripts: ['turndown/lib/turndown.browser.umd.js'],
    body: `console.log(JSON.stringify(new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' }).turndown(PAGE)));`,
  },
  dompurify: {
    scripts: ['dompurify/dist/purify.js'],
    body: `const all = JSON.parse(DIRTY).map((html) => DOMPurify.sanitize(html));
all.push(DOMPurify.sanitize(PAGE), DOMPurify.sanitize('<b>x</b>', { RETURN_DOM_FRAGMENT: true }).childNodes.length, DOMPurify.isSupported);
console.log(JSON.stringify(all));`,
  },
  marked: {
    scripts: ['marked/lib/marked.umd.js'],
    body: `document.body.innerHTML = marked.parse(TEXT);
console.log(JSON.stringify([document.body.innerHTML, document.querySelectorAll('td').length, document.body.textContent]));`,
  },
};

let failed = 0;
for (const [name, { scripts, body }] of Object.entries(cases)) {
  const main = join(folder, `${name}.js`);
  writeFileSync(main, body);
  const ours = spawnSync(
    runner,
    [
      `PAGE=${join(folder, 'page.html')}`,
      `DIRTY=${join(folder, 'dirty.json')}`,
      `TEXT=${join(folder, 'text.md')}`,
      ...scripts.map(at),
      main,
    ],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const start = performance.now();
  const { window } = new JSDOM('<!doctype html><html><head></head><body></body></html>', {
    runScripts: 'outside-only',
  });
  const lines = [];
  Object.assign(window, { PAGE: page, DIRTY: JSON.stringify(dirty), TEXT: markdown });
  window.console.log = (line) => lines.push(line);
  for (const script of scripts) window.eval(readFileSync(at(script), 'utf8'));
  await window.eval(`(async () => {\n${body}\n})()`);
  const theirs = performance.now() - start;
  const [mine, yours] = [ours.stdout.trim(), lines.join('\n')];
  const same = mine === yours;
  console.log(`${name}: ${same ? 'same' : 'DIFFERENT'} (${ours.stderr.trim()}; jsdom ${theirs.toFixed(1)} ms)`);
  if (same) continue;
  failed++;
  if (ours.status !== 0) continue;
  const [a, b] = [JSON.parse(mine), JSON.parse(yours)];
  const list = Array.isArray(a) ? a.map((value, index) => [value, b[index]]) : [[a, b]];
  for (const [x, y] of list) {
    if (JSON.stringify(x) === JSON.stringify(y)) continue;
    const [l, r] = [`${x}`, `${y}`];
    let from = 0;
    while (from < l.length && l[from] === r[from]) from++;
    console.log(`  at ${from} of ${l.length} and ${r.length}\n    ours  ${JSON.stringify(l.slice(Math.max(0, from - 60), from + 100))}\n    jsdom ${JSON.stringify(r.slice(Math.max(0, from - 60), from + 100))}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
