function parse(input) {
  return input.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
}
module.exports = { parse };
exports.ignored = true;

if (require.main === module) {
  console.log(module.exports.parse('a=1&b=x%20y'), typeof exports.ignored, Object.keys(module.exports));
}
