module.exports = { debug: false, level: 3 };
