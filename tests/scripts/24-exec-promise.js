const util = require('util');
const exec = util.promisify(require('child_process').exec);

async function run() {
  const { stdout } = await exec('printf "%s-%s" a b');
  console.log(stdout);
  process.env.GREETING = 'from the parent';
  console.log((await exec('echo $GREETING')).stdout.trim());
  await exec('exit 5').catch((error) => console.log('code', error.code));
}
run();
