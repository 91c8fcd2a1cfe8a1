// Puts off preload.cjs for code on Bun's command line: reading that file takes Bun longer than a line
// of code runs. Whatever preload.cjs improves loads it here when it is used for the first time.
'use strict';
const improved = [[globalThis, 'fetch'], [Bun, 'file'], [Bun, 'write'], [Bun, 'spawn'], [Bun, 'spawnSync']];
const plain = improved.map(([object, name]) => object[name]);
let isWhole = false;

const load = () => {
  if (isWhole) return;
  isWhole = true;
  delete globalThis.PermissionError;
  improved.forEach(([object, name], place) => { object[name] = plain[place]; });
  require('/etc/cofferdam/bun.cjs');
};

const words = process.execArgv ?? [];
const option = words.findIndex((word) => ['-e', '-p', '--eval', '--print'].includes(word));
// Modules are improved before they are loaded, `fs` above all.
if (option < 0 || ['import', 'require', 'fs', 'Module'].some((word) => words[option + 1]?.includes(word))) {
  load();
} else {
  improved.forEach(([object, name], place) => {
    const late = function (...given) { load(); return object[name].apply(this, given); };
    object[name] = Object.defineProperties(late, Object.getOwnPropertyDescriptors(plain[place]));
  });
  Object.defineProperty(globalThis, 'PermissionError', {
    configurable: true,
    get() { load(); return globalThis.PermissionError; },
  });
  Object.setPrototypeOf(process.env, new Proxy(Object.prototype, {
    get(target, name, receiver) {
      if (typeof name !== 'string' || name in target) return Reflect.get(target, name, receiver);
      load();
      return process.env[name];
    },
  }));
}
