const { execSync, spawnSync } = require('child_process');

console.log(execSync('echo hello | tr a-z A-Z').toString().trim());
console.log(execSync('sort', { input: 'b\na\n', encoding: 'utf8' }));
const result = spawnSync('sh', ['-c', 'echo out; echo err >&2; exit 3'], { encoding: 'utf8' });
console.log(result.status, JSON.stringify(result.stdout), JSON.stringify(result.stderr));
try {
  execSync('exit 4', { stdio: 'pipe' });
} catch (error) {
  console.log('status', error.status);
}
const late = spawnSync('sh', ['-c', 'echo early; sleep 20'], { encoding: 'utf8', timeout: 300 });
console.log(late.status, late.signal, late.error.code, late.error.message, JSON.stringify(late.stdout));
try {
  execSync('sleep 20', { timeout: 300, killSignal: 'SIGKILL' });
} catch (error) {
  console.log(error.code, error.signal, error.status, error.message, error.spawnargs);
}
