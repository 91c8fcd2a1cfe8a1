class Stack {
  #items = [];
  static of(...items) {
    const stack = new Stack();
    items.forEach((item) => stack.push(item));
    return stack;
  }
  push(item) {
    this.#items.push(item);
    return this;
  }
  pop() {
    if (this.#items.length === 0) throw new RangeError('stack is empty');
    return this.#items.pop();
  }
  get size() {
    return this.#items.length;
  }
  *[Symbol.iterator]() {
    yield* [...this.#items].reverse();
  }
}

class Named extends Stack {
  constructor(name) {
    super();
    this.name = name;
  }
  toString() {
    return `${this.name}(${[...this].join(', ')})`;
  }
}

const stack = new Named('letters').push('a').push('b');
console.log(`${stack}`, stack.size, stack);
try {
  Stack.of().pop();
} catch (error) {
  console.log(error.name, error.message, error instanceof RangeError);
}
