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
