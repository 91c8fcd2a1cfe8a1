// Serves the package to Chromium and Firefox, and to WebKitGTK if it is named, and runs the checks and
// the case files in each.
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const zlib = require('node:zlib');
const { chromium, firefox } = require('playwright-core');

const { BUNDLERS, bundle } = require('./bundled.cjs');
const { readCases } = require('./cases.cjs');
const { checkSpares } = require('./spares.cjs');
const webkit = require('./webkit.cjs');
const { checkZeros } = require('./zeros.cjs');

const root = path.resolve(__dirname, '../..');
const argv = process.argv.slice(2);
const shots = argv[0] === '--shots' ? argv.splice(0, 2)[1] : undefined;
const hasCases = argv[0] !== '--checks' || !argv.shift();
/** Name of this machine whose pages are no secure context. */
const INSECURE = 'insecure.test';

const BROWSERS = {
  chromium: () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', `--host-resolver-rules=MAP ${INSECURE} 127.0.0.1`] }),
  firefox: () => firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' }),
  webkit: () => webkit.launch(),
};

/** Browsers that run unless others are named; WebKitGTK has a target of its own. */
const USUAL = ['chromium', 'firefox'];

/**
 * Pages of each browser. Firefox suspends stacks and never chooses the bridge; forced there, a pipeline
 * over it waits for ever in some runs (see web/README.md). WebKit has only the bridge, in an isolated
 * page, and tools without it elsewhere.
 */
const PAGES = {
  chromium: [{ file: 'page.html', cases: /./ }, { file: 'isolated.html?isolated' }, { file: 'insecure.html', host: INSECURE }],
  firefox: [{ file: 'page.html', cases: /./ }],
  webkit: [{ file: 'page.html?isolated', cases: /^(js|ts|dom|permissions)\// }, { file: 'isolated.html?isolated' }, { file: 'plain.html' }],
};
const named = Object.keys(BROWSERS).filter((name) => argv.includes(name));
const parts = argv.filter((arg) => !(arg in BROWSERS));
const wanted = (name) => parts.length === 0 || parts.some((part) => name.includes(part));

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm', '.css': 'text/css' };

/** Serves a folder on a free port of this machine, and a few answers for requests of tools. */
function serve(root) {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === '/redirect') return response.writeHead(302, { location: '/hello' }).end();
    if (url.pathname === '/hello') return response.writeHead(200, { 'content-type': 'text/plain', 'x-cookie': request.headers.cookie ?? 'none' }).end('hello');
    // Tools in a frame have an opaque origin.
    if (url.pathname === '/cors') return response.writeHead(200, { 'access-control-allow-origin': 'null' }).end(`${request.headers.origin} ${request.headers.cookie ?? 'none'}`);
    if (url.pathname === '/echo') {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      return request.on('end', () => response.writeHead(200).end(`${request.method} ${Buffer.concat(chunks)}`));
    }
    const file = path.join(root, url.pathname);
    if (!file.startsWith(root + path.sep) || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    // Workers need the policy of their page; other pages are not affected by it.
    if (url.searchParams.has('isolated')) response.setHeader('cross-origin-opener-policy', 'same-origin');
    if (url.searchParams.has('isolated') || /\.m?js$/.test(file)) response.setHeader('cross-origin-embedder-policy', 'require-corp');
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'cache-control': 'max-age=600' });
    fs.createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Reads the list of cases and checks that cannot pass in a browser; returns tests for those that fail, and for those that may. */
function exceptions(browser) {
  const lines = fs.readFileSync(path.join(__dirname, 'exceptions.txt'), 'utf8').split('\n');
  const names = [];
  for (const line of lines.filter((line) => line && !line.startsWith('#'))) {
    const [, only, rest] = /^(?:\[([\w ]+)\] )?(.*)$/.exec(line);
    if (!only || only.split(' ').includes(browser)) names.push(rest.split(' -- ')[0]);
  }
  const groups = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return [(title) => names.includes(title), (title) => groups.some((group) => title.startsWith(group))];
}

/** Longest time of one check, in milliseconds. */
const PATIENCE = 40_000;

/** Returns the problem of a check, also if it does not end. */
function patiently(running) {
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve('does not end'), PATIENCE); });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}

/** Closes a page or a browser. What does not end by itself is killed with this process. */
function close(one) {
  const late = new Promise((resolve) => setTimeout(resolve, 10_000).unref());
  return Promise.race([one.close(), late]);
}

/** Runs the checks of a page of the tests, and the case files that its pattern selects. */
async function check(browser, name, address, cases) {
  const failed = [];
  const [fails, mayFail] = exceptions(name);
  let passed = 0;
  const note = (title, problem) => {
    if (process.env.COFFERDAM_WEB_LOG) console.log(`  ${problem ? `FAILED ${problem}` : 'ok'} ${title}`);
    if (fails(title) && !problem) failed.push(`${title}\n    passes: remove it from exceptions.txt`);
    else if (problem && !fails(title) && !mayFail(title)) failed.push(`${title}\n    ${problem.replaceAll('\n', '\n    ')}`);
    else if (!problem) passed++;
  };
  const page = await browser.newPage();
  page.on('console', (message) => { if (process.env.COFFERDAM_WEB_LOG) console.log(`  [${message.type()}] ${message.text()}`); });
  page.on('pageerror', (error) => console.log(`  [pageerror] ${error.message}`));
  await page.goto(address);
  await page.waitForFunction(() => globalThis.checks !== undefined);
  for (const title of await page.evaluate(() => Object.keys(globalThis.checks))) {
    if (!wanted(title)) continue;
    const running = page.evaluate((title) => globalThis.runCheck(title), title);
    // A check that shows a prompt has it answered by a keyboard, whose events are trusted.
    const keys = await page.evaluate((title) => globalThis.keysOf(title), title);
    if (keys) {
      await page.waitForFunction(() => document.querySelector('cofferdam-prompt') !== null);
      if (shots) await page.screenshot({ path: path.join(shots, `prompt-${name}.png`) });
      await page.waitForTimeout(600); // The delay of the prompt itself.
      for (const key of keys) await page.keyboard.press(key);
    }
    note(title, await patiently(running));
  }
  for (const one of cases ? readCases(path.join(root, 'tests/cases')) : []) {
    if (!cases.test(one.name) || !wanted(one.name)) continue;
    note(one.name, await patiently(page.evaluate((text) => globalThis.runCase(JSON.parse(text)), JSON.stringify(one))));
  }
  const figures = await page.evaluate(() => globalThis.figures);
  await close(page);
  return { passed, failed, figures };
}

/** Uses the example console as a person does: a tool that asks, a loop that is stopped, a pipeline. */
async function demonstrate(browser, name, origin) {
  const page = await browser.newPage({ viewport: { width: 1180, height: 760 } });
  const shot = async (what) => { if (shots) await page.screenshot({ path: path.join(shots, `${what}-${name}.png`) }); };
  const ends = (text) => page.waitForFunction((text) => document.querySelector('#state').textContent.includes(text), text);
  await page.goto(`${origin}/web/examples/console.html`);
  await page.waitForSelector('[data-ready]');
  await page.click('#run');
  await page.waitForSelector('cofferdam-prompt', { state: 'attached' });
  await page.waitForTimeout(700); // The delay of the prompt itself.
  await shot('question');
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  await ends('exit 0');
  const printed = await page.textContent('#output');
  if (!printed.includes('6.65')) throw new Error(`the console printed ${printed}`);
  await shot('console');
  await page.selectOption('#samples', 'An endless loop');
  await page.click('#run');
  await ends('running');
  await page.click('#stop');
  await ends('CANCELLED');
  await page.fill('#code', 'await new Promise((resolve) => setTimeout(resolve, 200)); return 42');
  await page.click('#run');
  await page.click('[data-kind=shell]');
  await ends('exit 0');
  if (!(await page.textContent('#output')).includes('42')) throw new Error('a result is missing whose tab was left');
  await page.click('#run');
  await ends('exit 0');
  if (!(await page.textContent('#output')).includes('338350')) throw new Error('the pipeline printed something else');
  await shot('shell');
  await close(page);
}

/** Opens the page that a bundler made, and waits for what it says. */
async function openBundled(browser, name) {
  const { served, remove } = await bundle(name);
  const server = await serve(served);
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
    await page.waitForFunction(() => document.title !== '…');
    const title = await page.title();
    const expected = JSON.stringify([42, 'BUNDLED\n', 'own']);
    if (title !== expected) throw new Error(`the page says ${title}`);
  } finally {
    await close(page);
    server.close();
    remove();
  }
}

/** Longest time of everything, in milliseconds, so that a browser that hangs is named and not waited for. */
const LONGEST = 20 * 60_000;

/** Files that a first result waits for, and the most bytes that they may have with Brotli. */
const DOWNLOADS = {
  JavaScript: { most: 1_200_000, files: ['index.js', 'worker.js', 'wasm/host.wasm', 'wasm/js.wasm'] },
  'the shell with its common commands': { most: 1_800_000, files: ['index.js', 'worker.js', 'wasm/host.wasm', 'wasm/sh.wasm', 'wasm/basics.wasm'] },
};

/** Returns true if no download is too long. */
function measure() {
  const lengths = new Map();
  const length = (file) => {
    if (!lengths.has(file)) lengths.set(file, zlib.brotliCompressSync(fs.readFileSync(path.join(root, 'web/dist', file)), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } }).length);
    return lengths.get(file);
  };
  let isGood = true;
  for (const [what, { most, files }] of Object.entries(DOWNLOADS)) {
    const bytes = files.map(length).reduce((a, b) => a + b);
    console.log(`download of ${what}: ${bytes} bytes with Brotli, at most ${most}${bytes > most ? ': FAILED' : ''}`);
    isGood &&= bytes <= most;
  }
  return isGood;
}

/** Checks that need no page; each returns its problems. */
const WITHOUT_PAGE = { 'instances that wait': checkSpares, 'zeros of a memory': checkZeros };

async function main() {
  setTimeout(() => { console.error(`the browsers did not end within ${LONGEST / 60_000} minutes`); process.exit(1); }, LONGEST).unref();
  const server = await serve(root);
  const origin = `http://127.0.0.1:${server.address().port}`;
  let isGood = parts.length > 0 || measure();
  for (const [what, find] of Object.entries(WITHOUT_PAGE)) {
    for (const problem of wanted(what) ? await find() : []) {
      console.log(`  FAILED ${what}\n    ${problem}`);
      isGood = false;
    }
  }
  for (const name of named.length > 0 ? named : USUAL) {
    const browser = await BROWSERS[name]();
    const began = Date.now();
    let passed = 0;
    const [failed, figures] = [[], {}];
    for (const { file, cases, host } of PAGES[name]) {
      const address = `http://${host ?? '127.0.0.1'}:${server.address().port}/tests/web/${file}`;
      const found = await check(browser, name, address, hasCases && cases);
      passed += found.passed;
      failed.push(...found.failed);
      Object.assign(figures, found.figures);
    }
    // The driver of WebKit has no mouse here.
    if (name !== 'webkit' && wanted('the example console')) {
      await demonstrate(browser, name, origin).catch((error) => failed.push(`the example console\n    ${error.message}`));
    }
    let built = 0;
    // The bundlers' output is the same for every browser.
    for (const bundler of name === 'chromium' ? BUNDLERS : []) {
      if (!wanted(`a page built with ${bundler}`)) continue;
      await openBundled(browser, bundler).then(() => built++, (error) => failed.push(`a page built with ${bundler}\n    ${error.message}`));
    }
    await close(browser);
    for (const text of failed) console.log(`  FAILED ${text}`);
    for (const [what, text] of Object.entries(figures)) console.log(`  ${what}: ${text}`);
    console.log(`web in ${name}: ${passed + built} passed, ${failed.length} failed, ${((Date.now() - began) / 1000).toFixed(1)} s`);
    isGood &&= failed.length === 0;
  }
  server.close();
  return isGood;
}

main().then((isGood) => process.exit(isGood ? 0 : 1), (error) => { console.error(error); process.exit(1); });
