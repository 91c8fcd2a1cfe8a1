class Shape {
  constructor(name) {
    if (new.target === Shape) throw new TypeError('Cannot construct Shape instances directly');
    this.name = name;
  }
  area() {
    throw new Error(`${this.constructor.name} must implement area()`);
  }
  toString() {
    return `${this.name}(${this.area().toFixed(2)})`;
  }
}
class Circle extends Shape {
  #radius;
  constructor(radius) {
    super('circle');
    this.#radius = radius;
  }
  area() {
    return Math.PI * this.#radius ** 2;
  }
  static isCircle(value) {
    return #radius in value;
  }
  static radiusOf(value) {
    return value.#radius;
  }
}
class Square extends Shape {
  constructor(side) {
    super('square');
    this.side = side;
  }
  get size() {
    return this.side;
  }
}
class Broken extends Shape {
  constructor() {
    this.name = 'broken';
  }
}

const attempt = (what, run) => {
  try {
    console.log(what, '->', run());
  } catch (error) {
    console.log(what, '->', error.name, '|', error.message);
  }
};
attempt('abstract', () => new Shape('x'));
attempt('circle', () => String(new Circle(2)));
attempt('square', () => `${new Square(3)}`);
attempt('no super', () => new Broken());
attempt('without new', () => Circle(1));
attempt('private of another', () => Circle.radiusOf({}));
attempt('brand check', () => [Circle.isCircle(new Circle(1)), Circle.isCircle({})]);
attempt('getter only', () => {
  'use strict';
  new Square(1).size = 5;
});
attempt('extends value', () => {
  const Base = undefined;
  return class extends Base {};
});
attempt('extends object', () => class Foo extends ({}) {});
attempt('not a constructor', () => new (() => {})());
attempt('method as constructor', () => new (new Circle(1).area)());
attempt('instanceof', () => ({}) instanceof {});
attempt('super twice', () => new (class extends Shape { constructor() { super('a'); super('b'); } })());
attempt('frozen', () => {
  'use strict';
  const config = Object.freeze({ port: 80, nested: { a: 1 } });
  config.nested.a = 2;
  config.port = 81;
});
attempt('add to sealed', () => {
  'use strict';
  Object.seal({ a: 1 }).b = 2;
});
attempt('delete frozen', () => {
  'use strict';
  delete Object.freeze([1, 2])[0];
});
console.log(new Circle(1), new Square(2), Shape, Circle);
