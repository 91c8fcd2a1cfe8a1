const fs = require('fs/promises');
const path = require('path');

(async () => {
  await fs.mkdir('batch/sub', { recursive: true });
  for (let i = 1; i <= 12; i++) await fs.writeFile(`batch/IMG_${i}.JPG`, `image ${i}`);
  for (const name of await fs.readdir('batch')) {
    const { name: base, ext } = path.parse(name);
    if (ext === '') continue;
    const number = base.split('_')[1].padStart(3, '0');
    await fs.rename(path.join('batch', name), path.join('batch', `photo-${number}${ext.toLowerCase()}`));
  }
  const names = (await fs.readdir('batch')).sort();
  console.log(names.length, names[0], names.at(-2), names.at(-1));
  await fs.rm('batch', { recursive: true, force: true });
  console.log(await fs.access('batch').then(() => 'there', (e) => e.code));
})();
