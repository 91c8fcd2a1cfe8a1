// Measures quickjs-emscripten: QuickJS in Node's WebAssembly. The first argument names the variant and build.
import { called, calledAsync, measure, require, versionOf } from './measure.mjs';

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

/** The value of its documentation; with the default, V8's stack overflows first. */
const STACK_BYTES = 320 * 1024;

// Nothing is disposed of: the remains of an interrupted promise cannot be, and the process ends anyway.
function confined(body, { timeMs, memoryMiB }) {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryMiB * 1048576);
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext();
  const began = performance.now();
  let killed = false;
  runtime.setInterruptHandler(() => (killed ||= performance.now() - began >= timeMs));
  let said = 'no error';
  const failed = ({ error }) => error && (said = describe(context.dump(error)));
  const result = context.evalCode(calledAsync(body));
  if (!failed(result) && !killed) failed(runtime.executePendingJobs());
  if (result.value && !killed && said === 'no error') {
    const state = context.getPromiseState(result.value);
    if (state.type === 'rejected') failed(state);
  }
  return { began, killed, said };
}

const describe = (error) => (error?.message === undefined ? `threw ${error}` : `${error.name}: ${error.message}`);

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
  confined,
});
