const crypto = require('node:crypto');

const ALGORITHM = 'aes-256-gcm';
function encrypt(text, password, salt = Buffer.alloc(16, 1), iv = Buffer.alloc(12, 2)) {
  const key = crypto.scryptSync(password, salt, 32);
  const cipher = crypto.createCipheriv(ALGORITHM, key, iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [salt, iv, cipher.getAuthTag(), data].map((part) => part.toString('base64')).join('.');
}
function decrypt(packed, password) {
  const [salt, iv, tag, data] = packed.split('.').map((part) => Buffer.from(part, 'base64'));
  const decipher = crypto.createDecipheriv(ALGORITHM, crypto.scryptSync(password, salt, 32), iv);
  decipher.setAuthTag(tag);
  return decipher.update(data, undefined, 'utf8') + decipher.final('utf8');
}
const secret = encrypt('attack at dawn', 'hunter2');
console.log(secret, decrypt(secret, 'hunter2'));
try {
  decrypt(secret, 'wrong');
} catch (error) {
  console.log(error.name, error.message);
}
for (const name of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'aes-128-ctr', 'aes-256-ctr', 'aes-128-ecb']) {
  const key = Buffer.alloc(Number(name.slice(4, 7)) / 8, 7);
  const iv = name.endsWith('ecb') ? null : Buffer.alloc(16, 9);
  const cipher = crypto.createCipheriv(name, key, iv);
  const hex = cipher.update('hello world, this is longer than a block', 'utf8', 'hex') + cipher.final('hex');
  const decipher = crypto.createDecipheriv(name, key, iv);
  console.log(name, hex, decipher.update(hex, 'hex', 'utf8') + decipher.final('utf8'));
}
for (const run of [
  () => crypto.createCipheriv('aes-256-cbc', Buffer.alloc(5), Buffer.alloc(16)),
  () => crypto.createCipheriv('aes-256-cbc', Buffer.alloc(32), Buffer.alloc(5)),
  () => crypto.createCipheriv('rot13', Buffer.alloc(32), Buffer.alloc(16)),
  () => { const d = crypto.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); d.update('00'.repeat(16), 'hex'); d.final(); },
  () => { const d = crypto.createDecipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); d.update('abcd', 'hex'); d.final(); },
  () => crypto.createHash('md99'),
]) {
  try {
    run();
  } catch (error) {
    console.log(error.code, error.name, error.message);
  }
}
console.log(crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')), crypto.getCiphers().includes('aes-256-gcm'));
