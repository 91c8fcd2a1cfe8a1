const { spawn } = require('child_process');

const child = spawn('sh', ['-c', 'cat; echo done']);
let out = '';
child.stdout.on('data', (data) => (out += data));
child.on('close', (code) => console.log('exit', code, JSON.stringify(out)));
child.stdin.write('from parent\n');
child.stdin.end();
