// Reports what goes wrong when data does not have the expected shape.
const users = [
  { id: 1, name: 'Ada', address: { city: 'London' } },
  { id: 2, name: 'Grace' },
  null,
];

function cityOf(user) {
  return user.address.city.toUpperCase();
}

for (const user of users) {
  try {
    console.log(cityOf(user));
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}

const checks = {
  'missing method': () => users[0].getFullName(),
  'method of undefined': () => users[5].name,
  'nested call': () => users[0].address.street.trim(),
  'callback missing': () => [1, 2].map(users[0].mapper),
  'write to null': () => { users[2].name = 'x'; },
  'not defined': () => undefinedVariable + 1,
  'computed key': () => users[0]['address']['zip'].length,
  'call of a string': () => users[0].name(),
  'optional chain': () => users[1].address?.city ?? 'unknown',
};
for (const [what, check] of Object.entries(checks)) {
  try {
    console.log(`${what}: ok`, check());
  } catch (error) {
    console.log(`${what}: ${error.constructor.name}: ${error.message}`);
  }
}
