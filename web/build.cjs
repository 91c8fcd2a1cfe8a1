// Writes the JavaScript of the package into dist: one file for the page, one for its worker,
// and one for the worker of a single cell. The
// scripts of a frame are text in the first, because a frame with an opaque origin fetches nothing.
'use strict';

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');

const dist = path.join(__dirname, 'dist');
const hash = (bytes) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

function bundle(file, options) {
  const built = esbuild.buildSync({
    entryPoints: [path.join(__dirname, 'src', file)],
    bundle: true,
    target: 'es2022',
    write: false,
    legalComments: 'none',
    ...options,
  });
  return built.outputFiles[0].text;
}

const text = (value) => JSON.stringify(value);

// A script in HTML ends at its first end tag, wherever that is.
const inside = (file, define) => bundle(file, { format: 'iife', minify: true, define }).replaceAll('</script', '<\\/script').trimEnd();

const worker = inside('inside/worker.ts', {});
const frame = inside('inside/frame.ts', { COFFERDAM_INSIDE_WORKER: text(worker) });
const files = fs.readdirSync(path.join(dist, 'wasm')).filter((file) => /\.(wasm|late)$/.test(file)).sort();
const hashes = Object.fromEntries(files.map((file) => [file, hash(fs.readFileSync(path.join(dist, 'wasm', file)))]));
const define = {
  COFFERDAM_INSIDE_FRAME: text(frame),
  COFFERDAM_INSIDE_HASH: text(hash(frame)),
  COFFERDAM_HASHES: text(hashes),
};
fs.writeFileSync(path.join(dist, 'index.js'), bundle('index.ts', { format: 'esm', minify: true, define }));
fs.writeFileSync(path.join(dist, 'worker.js'), bundle('worker.ts', { format: 'esm', minify: true }));
fs.writeFileSync(path.join(dist, 'cell-worker.js'), bundle('cell-worker.ts', { format: 'esm', minify: true }));
