// Bundles the peers, serves everything to a browser, and prints what the page measured.
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const esbuild = require('esbuild');
const { chromium, firefox } = require('playwright-core');

const root = path.resolve(__dirname, '../..');
const [peers, ...names] = process.argv.slice(2);
const BROWSERS = {
  chromium: () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
  firefox: () => firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' }),
};
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** Entry points of the peers. */
const PEERS = {
  codemode: "export { IframeSandboxExecutor } from '@cloudflare/codemode/browser'",
  'just-bash': "export { Bash } from 'just-bash/browser'",
  quickjs: "export { getQuickJS, newQuickJSWASMModule } from 'quickjs-emscripten'",
};

/** Parts of Node that peers name but do not use in a browser. */
const WITHOUT_NODE = {
  name: 'without-node',
  setup(build) {
    build.onResolve({ filter: /^(node:.*|module|fs|path|crypto|worker_threads|url)$/ }, ({ path }) => ({ path, namespace: 'absent' }));
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {}' }));
  },
};

async function bundle() {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'cofferdam-bench-'));
  for (const [name, contents] of Object.entries(PEERS)) {
    await esbuild.build({
      stdin: { contents, resolveDir: peers },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      minify: true,
      outfile: path.join(out, `${name}.mjs`),
      loader: { '.wasm': 'file' },
      plugins: [WITHOUT_NODE],
      logLevel: 'error',
    });
  }
  // The glue of quickjs-emscripten looks for its module beside itself.
  const wasm = path.join(peers, 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist');
  for (const file of fs.readdirSync(wasm).filter((file) => file.endsWith('.wasm'))) fs.copyFileSync(path.join(wasm, file), path.join(out, file));
  fs.cpSync(path.join(peers, 'node_modules/@everruns/bashkit-wasm'), path.join(out, 'bashkit'), { recursive: true });
  return out;
}

function serve(bundled) {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const file = pathname.startsWith('/peers/') ? path.join(bundled, pathname.slice(7)) : path.join(root, pathname);
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    // Whole and with its length, as servers of files send it: pieces cost this process more time.
    const bytes = fs.readFileSync(file);
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'content-length': bytes.length }).end(bytes);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const brotli = (...files) => {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 };
  return files.map((file) => zlib.brotliCompressSync(fs.readFileSync(file), { params }).length).reduce((a, b) => a + b);
};

function sizes(bundled) {
  const dist = (...files) => files.map((file) => path.join(root, 'web/dist', file));
  const shell = dist('index.js', 'worker.js', 'wasm/host.wasm', 'wasm/sh.wasm', 'wasm/basics.wasm');
  return {
    'Cofferdam, JavaScript': brotli(...dist('index.js', 'worker.js', 'wasm/host.wasm', 'wasm/js.wasm')),
    'Cofferdam, shell with the common commands': brotli(...shell),
    'Cofferdam, shell with all commands': brotli(...shell, ...dist('wasm/commands.wasm')),
    codemode: brotli(path.join(bundled, 'codemode.mjs')),
    'quickjs-emscripten': brotli(path.join(bundled, 'quickjs.mjs'), ...fs.readdirSync(bundled).filter((file) => file.endsWith('.wasm')).map((file) => path.join(bundled, file))),
    'just-bash': brotli(path.join(bundled, 'just-bash.mjs')),
    'bashkit-wasm': brotli(...['index.js', 'bashkit_wasm.js', 'bashkit_wasm_bg.wasm'].map((file) => path.join(bundled, 'bashkit', file))),
  };
}

/** Longest time of one subject, in milliseconds. */
const PATIENCE = 90_000;

/** Waits for a result, but not for ever: some subjects freeze their page. */
function patiently(running, most = PATIENCE) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${most / 1000} s`)), most);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}

async function main() {
  const bundled = await bundle();
  const server = await serve(bundled);
  const origin = `http://127.0.0.1:${server.address().port}`;
  for (const name of names.length > 0 ? names : Object.keys(BROWSERS)) {
    const browser = await BROWSERS[name]();
    console.log(`\n${name} ${browser.version()}, load ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} processors`);
    // Each subject has a page of its own, so that one that freezes its page harms no other.
    const scout = await browser.newPage();
    await scout.goto(`${origin}/bench/web/page.html`);
    await scout.waitForFunction(() => globalThis.subjects !== undefined);
    const subjects = await scout.evaluate(() => globalThis.subjects);
    await scout.close();
    for (const subject of subjects) {
      const page = await browser.newPage();
      await page.goto(`${origin}/bench/web/page.html`);
      await page.waitForFunction(() => globalThis.subjects !== undefined);
      const running = page.evaluate((subject) => globalThis.measure(subject), subject);
      const figures = await patiently(running).catch((error) => ({ failed: error.message.split('\n')[0] }));
      console.log(`  ${subject}`);
      for (const [what, figure] of Object.entries(figures)) console.log(`    ${what.padEnd(44)} ${figure}`);
      // A page that is frozen cannot be asked to close.
      await patiently(page.close({ runBeforeUnload: false }), 5_000).catch(() => {});
    }
    await patiently(browser.close(), 10_000).catch(() => {});
  }
  console.log('\nDownload with Brotli, bytes');
  for (const [what, size] of Object.entries(sizes(bundled))) console.log(`    ${what.padEnd(44)} ${size.toLocaleString('en')}`);
  server.close();
  fs.rmSync(bundled, { recursive: true, force: true });
}

main().then(() => process.exit(0)).catch((error) => { console.error(error); process.exit(1); });
