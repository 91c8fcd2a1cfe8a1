const fs = require('fs');

fs.readFile('people.json', 'utf8', (err, text) => {
  if (err) throw err;
  const names = JSON.parse(text).map((p) => p.name);
  fs.writeFile('names.txt', names.join('\n'), (err) => {
    if (err) throw err;
    fs.stat('names.txt', (err, stats) => {
      if (err) throw err;
      console.log(names, stats.size, stats.isFile());
    });
  });
});
fs.readFile('missing.txt', (err) => console.log(err.code, err.syscall, err instanceof Error));
