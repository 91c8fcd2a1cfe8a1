import { readFile, writeFile } from 'node:fs/promises';

const token = process.env.API_TOKEN;
const { city } = JSON.parse(await readFile('data/config.json', 'utf8'));
const response = await fetch(`${process.argv[2]}/weather?city=${city}`, { headers: { authorization: `Bearer ${token}` } });
await writeFile('out.json', JSON.stringify(await response.json()));
console.log('written');
