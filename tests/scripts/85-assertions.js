// A small runner of checks that shows what failed, as the source has it.
const assert = require('node:assert');

const user = { name: 'Ada', roles: ['admin'], age: 36 };
const checks = {
  'is an adult'() {
    assert(user.age >= 18);
  },
  'has no roles'() {
    assert.ok(user.roles.length === 0);
  },
  'has a short name'() {
    assert(
      user.name.length < 3 &&
        !user.roles.includes('admin'),
    );
  },
  'says why'() {
    assert(user.email, 'the user has no email');
  },
  'is strict'() {
    assert.strictEqual(user.age, '36');
  },
  'throws'() {
    assert.throws(() => user.missing.thing, { name: 'TypeError' });
  },
};
for (const [name, check] of Object.entries(checks)) {
  try {
    check();
    console.log(`ok - ${name}`);
  } catch (error) {
    console.log(`not ok - ${name}\n${error.message.replace(/^/gm, '    ')}`);
  }
}
