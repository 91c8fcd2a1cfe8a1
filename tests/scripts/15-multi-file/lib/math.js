exports.add = (a, b) => a + b;
exports.PI = Math.PI;
