const { subtle } = globalThis.crypto;
const hex = (buffer) => Buffer.from(buffer).toString('hex');
const text = new TextEncoder();

for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) console.log(name, hex(await subtle.digest(name, text.encode('abc'))));

const hmac = await subtle.importKey('raw', text.encode('secret'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
const signature = await subtle.sign('HMAC', hmac, text.encode('message'));
console.log(hex(signature), await subtle.verify('HMAC', hmac, signature, text.encode('message')), await subtle.verify('HMAC', hmac, signature, text.encode('other')));

const base = await subtle.importKey('raw', text.encode('password'), 'PBKDF2', false, ['deriveBits', 'deriveKey']);
console.log(hex(await subtle.deriveBits({ name: 'PBKDF2', salt: text.encode('salt'), iterations: 1000, hash: 'SHA-256' }, base, 256)));
const key = await subtle.deriveKey({ name: 'PBKDF2', salt: text.encode('salt'), iterations: 1000, hash: 'SHA-256' }, base, { name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
console.log(key.type, key.extractable, key.algorithm.name, key.algorithm.length, key.usages.join());
const iv = new Uint8Array(12).fill(3);
const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, text.encode('hello'));
console.log(hex(sealed), new TextDecoder().decode(await subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)));
console.log(hex(await subtle.exportKey('raw', key)));
try {
  await subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, sealed);
} catch (error) {
  console.log(error.name, error.constructor.name);
}
try {
  await subtle.exportKey('raw', hmac);
} catch (error) {
  console.log(error.name, error.message);
}
try {
  await subtle.digest('MD5', text.encode('x'));
} catch (error) {
  console.log(error.name);
}
const fresh = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt', 'decrypt']);
const round = await subtle.encrypt({ name: 'AES-GCM', iv }, fresh, text.encode('round trip'));
console.log(round.byteLength, new TextDecoder().decode(await subtle.decrypt({ name: 'AES-GCM', iv }, fresh, round)));
console.log(typeof crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).length);
