// Classes, methods, accessors, private fields: a simulation of moving bodies and accounts.
class Vector {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  plus(other) {
    return new Vector(this.x + other.x, this.y + other.y);
  }
  times(k) {
    return new Vector(this.x * k, this.y * k);
  }
  get length() {
    return Math.sqrt(this.x * this.x + this.y * this.y);
  }
}
class Body {
  #steps = 0;
  constructor(place, speed) {
    this.place = place;
    this.speed = speed;
  }
  step(dt) {
    this.place = this.place.plus(this.speed.times(dt));
    if (this.place.length > 100) this.turn();
    this.#steps++;
  }
  turn() {
    this.speed = this.speed.times(-1);
  }
  get steps() {
    return this.#steps;
  }
}
class Heavy extends Body {
  turn() {
    super.turn();
    this.speed = this.speed.times(0.5);
  }
}
const bodies = [];
for (let i = 0; i < 50; i++) {
  const Kind = i % 2 ? Body : Heavy;
  bodies.push(new Kind(new Vector(i, -i), new Vector(i % 7, i % 5)));
}
for (let t = 0; t < 900; t++) {
  for (const body of bodies) body.step(0.5);
}
const totals = { a: 0, b: 0, steps: 0 };
for (const { place, steps } of bodies) {
  totals.a += Math.round(place.x * 1000);
  totals.b += Math.round(place.y * 1000);
  totals.steps += steps;
}
let copy = totals;
for (let i = 0; i < 5000; i++) copy = { ...copy, ['k' + (i % 8)]: i };
return copy.a + copy.b * 3 + copy.steps + copy.k7 + Object.keys(copy).length;
