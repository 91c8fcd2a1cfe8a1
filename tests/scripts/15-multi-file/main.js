const { add, PI } = require('./lib/math');
const config = require('./config.json');
const Greeter = require('./lib/greeter.js');

console.log(add(config.a, config.b), PI.toFixed(2));
console.log(new Greeter(config.name).greet());
console.log(require.resolve('./lib/math') === require('path').join(__dirname, 'lib', 'math.js'));
