const vm = require('node:vm');
console.log(vm.runInNewContext('a + b', { a: 1, b: 2 }));
const sandbox = { console, count: 1, items: [1, 2, 3] };
vm.createContext(sandbox);
vm.runInContext('count += 41; var added = items.map((n) => n * 2); function helper() { return count; }', sandbox);
console.log(sandbox.count, sandbox.added, typeof sandbox.helper, vm.isContext(sandbox), vm.isContext({}));
const script = new vm.Script('typeof process + ":" + typeof require + ":" + (this.x = (this.x ?? 0) + 1)', { filename: 'job.js' });
const context = vm.createContext({});
console.log(script.runInContext(context), script.runInContext(context), context.x);
console.log(vm.runInThisContext('typeof globalThis.setTimeout'), vm.runInThisContext('1 + 1'));
for (const code of ['throw new Error("inside")', 'null.x', 'missing', 'const = 5', 'JSON.parse("{")']) {
  try {
    vm.runInNewContext(code, {}, 'user-code.js');
  } catch (error) {
    console.log(error.name, error.message);
  }
}
globalThis.shared = 5;
console.log(vm.runInThisContext('shared'), vm.runInNewContext('typeof shared'));
