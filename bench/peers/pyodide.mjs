// Measures Pyodide, CPython as WebAssembly in Node: a new interpreter for each run of `1 + 1`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measure, versionOf } from './measure.mjs';

const entry = join(process.env.BENCH_PEER_DIR, 'node_modules/pyodide/pyodide.mjs');
const { loadPyodide } = await import(pathToFileURL(entry));

await measure({
  peer: 'pyodide',
  version: versionOf('pyodide'),
  async python(source) {
    const python = await loadPyodide();
    return python.runPython(source);
  },
});
