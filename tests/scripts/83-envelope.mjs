// A message for one reader: X25519 and HKDF make the key, AES-GCM hides the text; then the same with RSA-OAEP.
const { subtle } = globalThis.crypto;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const keyOf = async (mine, theirs) => {
  const bits = await subtle.deriveBits({ name: 'X25519', public: theirs }, mine, 256);
  const source = await subtle.importKey('raw', bits, 'HKDF', false, ['deriveKey']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(16), info: encoder.encode('envelope') };
  return subtle.deriveKey(how, source, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
};
const seal = async (text, reader) => {
  const once = await subtle.generateKey('X25519', false, ['deriveBits']);
  const key = await keyOf(once.privateKey, reader);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const data = await subtle.encrypt({ name: 'AES-GCM', iv }, key, encoder.encode(text));
  return { from: await subtle.exportKey('raw', once.publicKey), iv, data };
};
const open = async ({ from, iv, data }, reader) => {
  const sender = await subtle.importKey('raw', from, 'X25519', true, []);
  const key = await keyOf(reader, sender);
  return decoder.decode(await subtle.decrypt({ name: 'AES-GCM', iv }, key, data));
};

const [ada, eve] = [await subtle.generateKey('X25519', true, ['deriveBits']), await subtle.generateKey('X25519', true, ['deriveBits'])];
const letter = await seal('meet at noon', ada.publicKey);
console.log(letter.from.byteLength, letter.data.byteLength, await open(letter, ada.privateKey));
console.log(await open(letter, eve.privateKey).catch((error) => `${error.name}: ${error.message}`));

const rsa = { name: 'RSA-OAEP', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
const pair = await subtle.generateKey(rsa, true, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);
const secret = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt', 'decrypt']);
const wrapped = await subtle.wrapKey('jwk', secret, pair.publicKey, { name: 'RSA-OAEP' });
console.log(wrapped.byteLength, await subtle.unwrapKey('jwk', wrapped, pair.privateKey, { name: 'RSA-OAEP' }, 'AES-GCM', false, ['decrypt']));
console.log(pair.publicKey, await subtle.sign('RSA-OAEP', pair.privateKey, new Uint8Array(1)).catch((error) => `${error.name}: ${error.message}`));

const ecdsa = { name: 'ECDSA', namedCurve: 'P-384' };
const signer = await subtle.generateKey(ecdsa, true, ['sign', 'verify']);
const how = { name: 'ECDSA', hash: 'SHA-384' };
const signature = await subtle.sign(how, signer.privateKey, encoder.encode('text'));
const { x, y, ...rest } = await subtle.exportKey('jwk', signer.publicKey);
console.log(rest, x.length, y.length, signature.byteLength, await subtle.verify(how, signer.publicKey, signature, encoder.encode('text')));
