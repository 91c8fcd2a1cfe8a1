const { exec, execSync, spawn, spawnSync } = require('child_process');

const long = 'head -c 2000000 /dev/zero | tr "\\0" x';
try {
  execSync(long, { stdio: 'pipe' });
} catch (error) {
  console.log(error.code, error.message, error.stdout.length > 1048576);
}
console.log(execSync(long, { maxBuffer: 4e6 }).length);
const cut = spawnSync('sh', ['-c', 'echo 12345; echo later'], { maxBuffer: 3, encoding: 'utf8' });
console.log(cut.error.code, cut.error.message, cut.stdout.startsWith('12345'));

const child = spawn('cat', []);
console.log(typeof child.pid, child.spawnfile, child.spawnargs);
child.stdin.end();
child.on('close', (code) => {
  console.log('cat', code);
  exec('yes | head -c 100', { maxBuffer: 10 }, (error, stdout) => {
    console.log(error.code, error.message, stdout.length);
    exec('echo text', (failed, text) => console.log(failed, JSON.stringify(text))).stdout.setEncoding('utf8');
  });
});
for (const attempt of [() => spawn(5), () => execSync(''), () => spawnSync('a\0b')]) {
  try {
    attempt();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
