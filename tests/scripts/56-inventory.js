'use strict';
const fs = require('node:fs');
const path = require('node:path');

class InventoryError extends Error {
  static codes = Object.freeze({ OUT_OF_STOCK: 'E_STOCK', UNKNOWN: 'E_UNKNOWN' });
  constructor(code, message) { super(message); this.code = code; }
  get name() { return 'InventoryError'; }
  toJSON() { return { name: this.name, code: this.code, message: this.message }; }
}
class Inventory {
  #items = new Map();
  stock(sku, qty = 1) { this.#items.set(sku, (this.#items.get(sku) ?? 0) + qty); return this; }
  take(sku, qty) {
    if (!this.#items.has(sku)) throw new InventoryError(InventoryError.codes.UNKNOWN, `unknown item ${sku}`);
    const left = this.#items.get(sku) - qty;
    if (left < 0) throw new InventoryError('E_STOCK', `only ${this.#items.get(sku)} of ${sku} left`);
    this.#items.set(sku, left);
    return left;
  }
  [Symbol.iterator]() { return this.#items.entries(); }
  get [Symbol.toStringTag]() { return 'Inventory'; }
}
const inventory = new Inventory().stock('apple', 5).stock('pear');
const tryTake = (...args) => {
  try { return inventory.take(...args); } catch (error) { return JSON.stringify(error); }
};
console.log(tryTake('apple', 2), tryTake('apple', 9), tryTake('plum', 1), [...inventory]);
console.log(String(inventory), inventory);
for (const run of [
  () => { InventoryError.codes.NEW = 1; },
  () => { InventoryError.codes.UNKNOWN = 1; },
  () => { delete InventoryError.codes.UNKNOWN; },
  () => { undeclared = 1; },
  () => { inventory.take = 5; inventory.take('x'); },
  () => fs.readFileSync('missing.txt'),
  () => fs.readdirSync('nowhere/at/all'),
  () => fs.writeFileSync(path.join('no', 'such', 'dir.txt'), 'x'),
  () => fs.readFileSync(undefined),
  () => fs.readFileSync('people.json', 'utf-99'),
  () => path.join('a', 5),
  () => fs.mkdirSync('notes'),
  () => fs.rmdirSync('notes'),
  () => require('./does-not-exist'),
  () => require('left-pad-pro'),
  () => Buffer.from(5),
  () => new URL('not a url'),
]) {
  try {
    run();
    console.log('ok', run.toString().slice(6));
  } catch (error) {
    console.log(error.code ?? '-', error.name, error.message.split('\n')[0]);
  }
}
