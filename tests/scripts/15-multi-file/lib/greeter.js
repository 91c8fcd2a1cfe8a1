module.exports = class Greeter {
  constructor(name) { this.name = name; }
  greet() { return `Hello, ${this.name}!`; }
};
if (require.main === module) console.log('must not print');
