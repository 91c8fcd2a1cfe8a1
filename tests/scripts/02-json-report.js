const fs = require('fs').promises;
const path = require('path');

async function main() {
  const people = JSON.parse(await fs.readFile(path.join(process.cwd(), 'people.json'), 'utf8'));
  const byTag = people.reduce((all, person) => {
    person.tags.forEach((tag) => (all[tag] ||= []).push(person.name));
    return all;
  }, {});
  await fs.writeFile('report.json', JSON.stringify(byTag, null, 2));
  console.log(await fs.readFile('report.json', 'utf8'));
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
