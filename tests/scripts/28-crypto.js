const crypto = require('crypto');

const sha = crypto.createHash('sha256').update('hello').digest('hex');
const mac = crypto.createHmac('sha1', 'key').update('a').update('b').digest('base64');
console.log(sha, mac);
console.log(crypto.createHash('md5').update('').digest('hex'));
console.log(crypto.randomBytes(8).toString('hex').length, crypto.randomUUID().length);
console.log(crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')));
