import { readFile } from 'node:fs/promises';

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
for (const [name, wanted] of Object.entries(dependencies)) {
  const { version } = await (await fetch(`${process.argv[2]}/registry/${name}`)).json();
  console.log(`${name}: ${wanted} -> ${version}`);
}
