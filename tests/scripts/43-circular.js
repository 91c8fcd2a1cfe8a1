class Node {
  constructor(name) {
    this.name = name;
    this.children = [];
    this.parent = null;
  }
  add(child) {
    child.parent = this;
    this.children.push(child);
    return this;
  }
}

const tree = new Node('root').add(new Node('left')).add(new Node('right'));
try {
  JSON.stringify(tree);
} catch (error) {
  console.log(error.message);
}

const a = { name: 'a' };
const b = { name: 'b', a };
a.b = { wrapped: { b } };
try {
  JSON.stringify([a]);
} catch (error) {
  console.log(error.message);
}

function safeStringify(value, indent) {
  const seen = new WeakSet();
  return JSON.stringify(value, (key, item) => {
    if (typeof item === 'object' && item !== null) {
      if (seen.has(item)) return '[Circular]';
      seen.add(item);
    }
    return typeof item === 'bigint' ? `${item}n` : item;
  }, indent);
}
console.log(safeStringify(tree));
console.log(safeStringify({ big: 10n ** 20n, a }, 2));
try {
  JSON.stringify({ total: 12n });
} catch (error) {
  console.log(error.name, error.message);
}
console.log(tree);
console.log(a);
