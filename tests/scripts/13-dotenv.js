const fs = require('fs');

function load(file) {
  for (const line of fs.readFileSync(file, 'utf8').split(/\r?\n/)) {
    const match = line.match(/^\s*([\w.-]+)\s*=\s*(.*)?\s*$/);
    if (match && !line.trim().startsWith('#')) {
      process.env[match[1]] = (match[2] || '').replace(/^["']|["']$/g, '');
    }
  }
}
load('settings.env');
console.log(`Hello, ${process.env.NAME}! x${Number(process.env.COUNT)} ${process.env.QUOTED}`);
console.log(process.env.SURELY_NOT_SET === undefined, 'NAME' in process.env);
