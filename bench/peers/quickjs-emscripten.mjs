// QuickJS in Node's own WebAssembly. The variant (which QuickJS, which build) is the first argument.
import { called, measure, require, versionOf } from './measure.mjs';

const variant = process.argv[2];
const { newQuickJSWASMModuleFromVariant } = require('quickjs-emscripten-core');
const quickjs = await newQuickJSWASMModuleFromVariant(require(variant).default);

function open() {
  const runtime = quickjs.newRuntime();
  const context = runtime.newContext();
  return {
    context,
    run(body) {
      const handle = context.unwrapResult(context.evalCode(called(body)));
      const value = context.dump(handle);
      handle.dispose();
      return value;
    },
    close() {
      context.dispose();
      runtime.dispose();
    },
  };
}

let kept;
function hostCalls(count) {
  if (!kept) {
    kept = open();
    const { context } = kept;
    const add = context.newFunction('add', (n) => context.newNumber(context.getNumber(n) + 1));
    context.setProp(context.global, 'add', add);
    add.dispose();
  }
  const start = performance.now();
  const last = kept.run(`let n = 0; while (n < ${count}) n = add(n); return n`);
  const took = performance.now() - start;
  if (last !== count) throw new Error(`${last} calls came back, not ${count}`);
  return took;
}

await measure({
  peer: variant.includes('quickjs-ng') ? 'quickjs-emscripten-ng' : 'quickjs-emscripten',
  version: versionOf('quickjs-emscripten-core'),
  fresh(body) {
    const world = open();
    const value = world.run(body);
    world.close();
    return value;
  },
  hostCalls,
  open,
});
