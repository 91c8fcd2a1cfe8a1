const slug = require('tiny-slug');
const { toKm } = require('@acme/units');
const feet = require('@acme/units/feet');
console.log(slug('Hello, World & Friends'), toKm(1500), feet(10));
