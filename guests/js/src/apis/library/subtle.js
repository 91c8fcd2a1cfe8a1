// The methods of `crypto.subtle` with keys. HMAC, PBKDF2, HKDF and AES (CBC, CTR, GCM, KW) are here, key
// pairs in `keys/subtle.js`; other algorithms are refused by name.
import { native, internal } from 'host';
import { CryptoKey, HASHES, bare, bytesOf, checkJwk, failed, hashOf, makeKey, materialOf, notAllowed, refused, wrongData, wrongUse } from 'internal/keys/crypto_key';

const { DOMException } = internal;
const AES = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
const USAGES = {
  __proto__: null,
  HMAC: ['sign', 'verify'],
  PBKDF2: ['deriveKey', 'deriveBits'],
  HKDF: ['deriveKey', 'deriveBits'],
  'AES-CBC': AES,
  'AES-CTR': AES,
  'AES-GCM': AES,
  'AES-KW': ['wrapKey', 'unwrapKey'],
};
const [SIGNING, AGREEING] = [['sign', 'verify'], ['deriveKey', 'deriveBits']];
const PAIRS = {
  __proto__: null,
  'RSASSA-PKCS1-v1_5': SIGNING,
  'RSA-PSS': SIGNING,
  'RSA-OAEP': AES,
  ECDSA: SIGNING,
  ECDH: AGREEING,
  Ed25519: SIGNING,
  X25519: AGREEING,
};
const ALL = { ...USAGES, ...PAIRS };
// Loaded with the first key pair.
const pairs = () => internal.openPart('internal/keys/subtle');
const isPair = (name) => name in PAIRS;

// With a usage, the name of an algorithm that has it.
const nameOf = (algorithm, usage = undefined) => {
  const given = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
  if (given === undefined) throw internal.wrongType('algorithm.name', 'of type string', given);
  const wanted = `${given}`.toUpperCase();
  const name = Object.keys(ALL).find((known) => known.toUpperCase() === wanted);
  if (name === undefined || (usage !== undefined && !ALL[name].includes(usage))) throw refused('Unrecognized algorithm name');
  return name;
};

const make = (name, secret, algorithm, extractable, usages) => {
  const list = [...usages].map(String);
  const wrong = list.find((usage) => !USAGES[name].includes(usage));
  if (wrong !== undefined) throw wrongUse(`Unsupported key usage for a ${name} key`);
  if (list.length === 0) throw wrongUse('Usages cannot be empty when importing a secret key.');
  return makeKey(secret, algorithm, extractable, list);
};
// Reads the name of the algorithm, once: a getter may change what is read next. It is that of the key then.
const allow = (key, algorithm, usage) => {
  const material = materialOf(key);
  if (key.algorithm.name !== nameOf(algorithm, usage)) throw notAllowed('Key algorithm mismatch');
  if (!key.usages.includes(usage)) throw notAllowed('Unable to use this key to ' + usage);
  return material;
};
// A member of an algorithm that has to be a number of bits or rounds.
const numberOf = (algorithm, name) => {
  const number = Number(algorithm[name]);
  if (algorithm[name] !== undefined && number >= 0 && number <= 0xffffffff) return Math.trunc(number);
  throw internal.wrongType(`algorithm.${name}`, 'of type number', algorithm[name]);
};
const mac = (hash, secret, data) => {
  const state = native.newHash(HASHES[hash][0], secret);
  native.updateHash(state, data);
  return native.finishHash(state);
};

// AES-CTR whose counter has `length` bits and begins again at zero, where that of the cipher goes on.
const counted = (secret, counter, length, data) => {
  if (counter.length !== 16 || length < 1 || length > 128) throw failed('algorithm.counter must be 16 bytes, of which 1 to 128 bits count');
  const size = 1n << BigInt(length);
  const start = BigInt(`0x${Array.from(counter, (byte) => (byte + 256).toString(16).slice(1)).join('')}`);
  const blocks = BigInt(Math.ceil(data.length / 16));
  if (blocks > size) throw failed();
  const stream = (from, piece) => {
    const iv = Uint8Array.from(from.toString(16).padStart(32, '0').match(/../g), (byte) => Number.parseInt(byte, 16));
    return native.updateCipher(native.newCipher('ctr', secret, iv, true), Uint8Array.from(piece));
  };
  const left = size - (start % size);
  if (blocks <= left) return bare(stream(start, data));
  const cut = Number(left) * 16;
  const whole = new Uint8Array(data.length);
  whole.set(stream(start, data.subarray(0, cut)));
  whole.set(stream(start - (start % size), data.subarray(cut)), cut);
  return whole.buffer;
};

const aes = (name, algorithm, secret, data, isEncrypting) => {
  const mode = name.slice(4).toLowerCase();
  if (mode === 'kw') {
    const done = internal.openPart('internal/keys/key_wrap')(secret, data, isEncrypting);
    if (done === undefined) throw failed();
    return done.buffer;
  }
  if (mode === 'ctr') return counted(secret, bytesOf(algorithm.counter, 'algorithm.counter'), numberOf(algorithm, 'length'), data);
  const iv = bytesOf(algorithm.iv, 'algorithm.iv');
  if (mode === 'cbc' && iv.length !== 16) throw failed('algorithm.iv must contain exactly 16 bytes');
  const length = mode === 'gcm' ? (algorithm.tagLength ?? 128) / 8 : 0;
  if (mode === 'gcm' && ![4, 8, 12, 13, 14, 15, 16].includes(length)) throw failed(`${algorithm.tagLength} is not a valid AES-GCM tag length`);
  const cipher = native.newCipher(mode, secret, iv, isEncrypting);
  if (mode === 'gcm' && algorithm.additionalData !== undefined) native.authenticateCipher(cipher, bytesOf(algorithm.additionalData, 'algorithm.additionalData'));
  if (!isEncrypting && data.length < length) throw failed('The provided data is too small.');
  const body = isEncrypting ? data : data.subarray(0, data.length - length);
  const first = native.updateCipher(cipher, Uint8Array.from(body));
  const last = native.finishCipher(cipher, true);
  if (typeof last === 'string') throw failed();
  let tag = new Uint8Array(0);
  if (mode === 'gcm') {
    tag = native.cipherTag(cipher).slice(0, length);
    if (!isEncrypting) {
      const given = data.subarray(data.length - length);
      let differs = 0;
      for (let at = 0; at < length; at++) differs |= given[at] ^ tag[at];
      if (differs !== 0) throw failed();
      tag = new Uint8Array(0);
    }
  }
  const whole = new Uint8Array(first.length + last.length + tag.length);
  whole.set(first);
  whole.set(last, first.length);
  whole.set(tag, first.length + last.length);
  return whole.buffer;
};

// The data is copied once the algorithm was read, which may run a getter that changes or takes it.
const crypt = async (algorithm, key, usage, given, named = 'data') => {
  const secret = allow(key, algorithm, usage);
  const data = bytesOf(given, named);
  const isEncrypting = usage === 'encrypt' || usage === 'wrapKey';
  const { name } = key.algorithm;
  return isPair(name) ? pairs().crypt(algorithm, key, data, isEncrypting) : aes(name, algorithm, secret, data, isEncrypting);
};

const derive = async (algorithm, key, usage, bits) => {
  const secret = allow(key, algorithm, usage);
  const { name } = key.algorithm;
  return isPair(name) ? pairs().deriveBits(name, algorithm, key, bits) : bare(deriveSecret(name, algorithm, secret, bits));
};
const deriveSecret = (name, algorithm, secret, bits) => {
  const [hash] = HASHES[hashOf(algorithm.hash)];
  const salt = bytesOf(algorithm.salt, 'algorithm.salt');
  if (bits === null || bits === undefined || bits % 8 !== 0) throw failed('length must be a multiple of 8');
  if (name === 'PBKDF2') {
    const iterations = numberOf(algorithm, 'iterations');
    if (iterations === 0) throw failed('iterations cannot be zero');
    return native.pbkdf2(secret, salt, iterations, bits / 8, hash);
  }
  return new Uint8Array(internal.library('crypto').hkdfSync(hash, secret, salt, bytesOf(algorithm.info, 'algorithm.info'), bits / 8));
};

const nameInJwk = (name, hash, bits) => (name === 'HMAC' ? `HS${hash.slice(4)}` : `A${bits}${name.slice(4)}`);

// The bytes of a JSON Web Key, once its other members agree with what the key is for.
const fromJwk = (jwk, name, hash, extractable, usages) => {
  if (typeof jwk !== 'object' || jwk === null) throw internal.wrongType('keyData', 'an instance of Object', jwk);
  if (jwk.kty !== 'oct' || typeof jwk.k !== 'string') throw wrongData('Invalid JWK keyData');
  const use = name === 'HMAC' ? 'sig' : 'enc';
  checkJwk(jwk, use, extractable, usages);
  const secret = Uint8Array.from(internal.library('buffer').Buffer.from(jwk.k, 'base64url'));
  if (jwk.alg !== undefined && jwk.alg !== nameInJwk(name, hash, secret.length * 8)) throw wrongData('JWK "alg" does not match the requested algorithm');
  return secret;
};

const methods = {
  async importKey(format, data, algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    const list = [...usages].map(String);
    if (isPair(name)) return pairs().importKey(name, format, data, algorithm, extractable, list);
    const isSecret = name === 'HMAC' || name.startsWith('AES-');
    const hash = name === 'HMAC' ? hashOf(algorithm.hash) : undefined;
    let secret;
    if (format === 'raw') secret = bytesOf(data, 'keyData');
    else if (format === 'jwk' && isSecret) secret = fromJwk(data, name, hash, extractable, list);
    else throw refused(`Unable to import ${name} key with format ${format}`);
    if (name === 'HMAC') {
      const bits = secret.length * 8;
      const length = algorithm.length === undefined ? bits : numberOf(algorithm, 'length');
      if (bits === 0 || length > bits || length <= bits - 8) throw wrongData('Invalid key length');
      return make(name, secret, { name, hash: { name: hash }, length }, extractable, list);
    }
    if (isSecret) {
      if (![16, 24, 32].includes(secret.length)) throw wrongData('Invalid key length');
      return make(name, secret, { name, length: secret.length * 8 }, extractable, list);
    }
    if (extractable) throw wrongUse(`${name} keys are not extractable`);
    return make(name, secret, { name }, false, list);
  },
  async exportKey(format, key) {
    const secret = materialOf(key);
    if (!['raw', 'pkcs8', 'spki', 'jwk'].includes(`${format}`)) {
      const message = `Failed to execute 'exportKey' on 'SubtleCrypto': 1st argument value '${format}' is not a valid enum value of type KeyFormat.`;
      throw internal.coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE');
    }
    if (!key.extractable) throw new DOMException('key is not extractable', 'InvalidAccessException');
    if (isPair(key.algorithm.name)) return pairs().exportKey(format, key);
    if (format === 'raw') return bare(secret.slice());
    if (format !== 'jwk') throw refused(`Unable to export a secret key with format ${format}`);
    const k = internal.library('buffer').Buffer.from(secret).toString('base64url');
    const { name, length, hash } = key.algorithm;
    return { key_ops: [...key.usages], ext: true, kty: 'oct', k, alg: nameInJwk(name, hash?.name, length) };
  },
  async generateKey(algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (isPair(name)) return pairs().generateKey(name, algorithm, extractable, [...usages].map(String));
    if (name !== 'HMAC' && !name.startsWith('AES-')) throw refused(`${name} keys cannot be generated`);
    const hash = name === 'HMAC' ? hashOf(algorithm.hash) : undefined;
    const bits = hash === undefined || algorithm.length !== undefined ? numberOf(algorithm, 'length') : HASHES[hash][1] * 8;
    const list = [...usages].map(String);
    // Before the length: a wrong use is told first.
    if (list.some((usage) => !USAGES[name].includes(usage))) make(name, undefined, undefined, false, list);
    if (hash === undefined ? ![128, 192, 256].includes(bits) : bits === 0) throw failed('Invalid key length');
    const secret = globalThis.crypto.getRandomValues(new Uint8Array(Math.ceil(bits / 8)));
    return make(name, secret, hash === undefined ? { name, length: bits } : { name, hash: { name: hash }, length: bits }, extractable, list);
  },
  async sign(algorithm, key, data) {
    const secret = allow(key, algorithm, 'sign');
    const { name } = key.algorithm;
    if (isPair(name)) return pairs().sign(name, algorithm, key, bytesOf(data, 'data'));
    return bare(mac(key.algorithm.hash.name, secret, bytesOf(data, 'data')));
  },
  async verify(algorithm, key, signature, data) {
    const secret = allow(key, algorithm, 'verify');
    const { name } = key.algorithm;
    if (isPair(name)) return pairs().verify(name, algorithm, key, bytesOf(signature, 'signature'), bytesOf(data, 'data'));
    const right = mac(key.algorithm.hash.name, secret, bytesOf(data, 'data'));
    const given = bytesOf(signature, 'signature');
    if (given.length !== right.length) return false;
    let differs = 0;
    for (let at = 0; at < right.length; at++) differs |= right[at] ^ given[at];
    return differs === 0;
  },
  async encrypt(algorithm, key, data) {
    return crypt(algorithm, key, 'encrypt', data, 'data');
  },
  async decrypt(algorithm, key, data) {
    return crypt(algorithm, key, 'decrypt', data, 'data');
  },
  async deriveBits(algorithm, key, length) {
    return derive(algorithm, key, 'deriveBits', length);
  },
  async deriveKey(algorithm, key, wanted, extractable, usages) {
    const name = nameOf(wanted);
    // A key from which others are derived takes all bits there are.
    const isSource = name === 'HKDF' || name === 'PBKDF2';
    const isOpen = name === 'HMAC' && wanted.length === undefined;
    const bits = isSource ? null : isOpen ? HASHES[hashOf(wanted.hash)][1] * 8 : numberOf(wanted, 'length');
    if (name.startsWith('AES-') && ![128, 192, 256].includes(bits)) throw failed('Invalid key length');
    return methods.importKey('raw', await derive(algorithm, key, 'deriveKey', bits), wanted, extractable, usages);
  },
  async wrapKey(format, key, wrapping, algorithm) {
    allow(wrapping, algorithm, 'wrapKey');
    const exported = await methods.exportKey(format, key);
    const bytes = format === 'jwk' ? new TextEncoder().encode(JSON.stringify(exported)) : new Uint8Array(exported);
    return crypt(algorithm, wrapping, 'wrapKey', bytes);
  },
  async unwrapKey(format, wrapped, key, algorithm, wanted, extractable, usages) {
    const bytes = new Uint8Array(await crypt(algorithm, key, 'unwrapKey', wrapped, 'wrappedKey'));
    let data = bytes;
    if (format === 'jwk') {
      try {
        data = JSON.parse(new TextDecoder().decode(bytes));
      } catch {
        throw wrongData('Invalid wrapped JWK');
      }
    }
    return methods.importKey(format, data, wanted, extractable, usages);
  },
};
internal.hidden(methods, 'CryptoKey', CryptoKey);
internal.hidden(methods, 'materialOf', materialOf);
export default methods;
