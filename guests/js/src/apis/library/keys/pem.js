// Keys as text (PEM), and private keys under a passphrase: PKCS #8 with PBES2, and the older form
// with `DEK-Info`. AES-CBC only.
import { native, internal } from 'host';
import { integer, nothing, octets, oid, readWhole, sequence } from 'internal/keys/der';
import { digest } from 'internal/keys/digests';
import { failure, openssl } from 'internal/keys/failures';
import { concat, randomBytes } from 'internal/keys/numbers';

const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
const CODES = {
  __proto__: null,
  sha1: '1.2.840.113549.2.7',
  sha224: '1.2.840.113549.2.8',
  sha256: '1.2.840.113549.2.9',
  sha384: '1.2.840.113549.2.10',
  sha512: '1.2.840.113549.2.11',
};
const AES = { __proto__: null, 128: '2.16.840.1.101.3.4.1.2', 192: '2.16.840.1.101.3.4.1.22', 256: '2.16.840.1.101.3.4.1.42' };
const ROUNDS = 2048;
// Most rounds that a key can ask for before its passphrase is known to be right.
const MAX_ROUNDS = 10_000_000;

const bufferOf = (bytes) => internal.library('buffer').Buffer.from(bytes);

export const toPem = (label, bytes, headers = []) => {
  const lines = bufferOf(bytes).toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${headers.map((line) => `${line}\n`).join('')}${headers.length > 0 ? '\n' : ''}${lines.join('\n')}\n-----END ${label}-----\n`;
};

// Every block of the text: label, headers, bytes.
export const readPem = (text) => {
  const blocks = [];
  for (const [, label, body] of text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^]*?)-----END \1-----/g)) {
    const [, head = '', data] = /^\s*((?:[\w-]+: .*\r?\n)+\r?\n)?([^]*)$/.exec(body);
    if (/[^\sA-Za-z0-9+/=]/.test(data)) continue;
    blocks.push({ label, headers: head, bytes: Uint8Array.from(bufferOf(internal.library('buffer').Buffer.from(data, 'base64'))) });
  }
  return blocks;
};

const cbc = (key, iv, data, isEncrypting) => {
  const cipher = native.newCipher('cbc', Uint8Array.from(key), Uint8Array.from(iv), isEncrypting);
  const first = native.updateCipher(cipher, Uint8Array.from(data));
  const last = native.finishCipher(cipher, true);
  if (typeof last === 'string') throw openssl('1C800064', true);
  return concat(first, last);
};
const bitsOf = (cipher) => {
  const bits = /^aes-?(128|192|256)-cbc$/i.exec(cipher)?.[1];
  if (bits === undefined) throw failure('ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
  return Number(bits);
};

// The content of an ENCRYPTED PRIVATE KEY.
export const encryptPkcs8 = (bytes, cipher, passphrase) => {
  const bits = bitsOf(cipher);
  const [salt, iv] = [randomBytes(8), randomBytes(16)];
  const key = native.pbkdf2(passphrase, salt, ROUNDS, bits / 8, 'sha256');
  const derived = sequence(oid(PBKDF2), sequence(octets(salt), integer(ROUNDS), sequence(oid(CODES.sha256), nothing)));
  const scheme = sequence(oid(PBES2), sequence(derived, sequence(oid(AES[bits]), octets(iv))));
  return sequence(scheme, octets(cbc(key, iv, bytes, true)));
};

export const decryptPkcs8 = (bytes, passphrase) =>
  readWhole(bytes, (inner) => {
    const scheme = inner.sequence();
    const data = inner.octets();
    if (scheme.oid() !== PBES2) throw openssl('1E08010C');
    const parts = scheme.sequence();
    const derived = parts.sequence();
    if (derived.oid() !== PBKDF2) throw openssl('1E08010C');
    const about = derived.sequence();
    const salt = about.octets();
    const rounds = Number(about.integer());
    if (about.tag === 0x02) about.integer();
    const code = about.tag === undefined ? CODES.sha1 : about.sequence().oid();
    const hash = Object.keys(CODES).find((name) => CODES[name] === code);
    const cipher = parts.sequence();
    const id = cipher.oid();
    const bits = Object.keys(AES).find((size) => AES[size] === id);
    if (hash === undefined || bits === undefined || rounds < 1 || rounds > MAX_ROUNDS) throw openssl('1E08010C');
    const iv = cipher.octets();
    if (iv.length !== 16) throw openssl('1E08010C');
    return cbc(native.pbkdf2(passphrase, Uint8Array.from(salt), rounds, Number(bits) / 8, hash), iv, data, false);
  });

// The key of the older form: MD5 over and over, with eight bytes of the vector as salt.
const oldKey = (passphrase, iv, size) => {
  let [key, last] = [new Uint8Array(0), new Uint8Array(0)];
  while (key.length < size) {
    last = digest('md5', last, passphrase, iv.slice(0, 8));
    key = concat(key, last);
  }
  return key.slice(0, size);
};
export const toOldPem = (label, bytes, cipher, passphrase) => {
  const bits = bitsOf(cipher);
  const iv = randomBytes(16);
  const headers = ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-${bits}-CBC,${bufferOf(iv).toString('hex').toUpperCase()}`];
  return toPem(label, cbc(oldKey(passphrase, iv, bits / 8), iv, bytes, true), headers);
};
export const decryptOld = ({ headers, bytes }, passphrase) => {
  const [, cipher, vector] = /^DEK-Info: ([\w-]+),([0-9A-Fa-f]{32})\r?$/m.exec(headers) ?? [];
  if (cipher === undefined) throw openssl('1E08010C');
  const iv = Uint8Array.from(internal.library('buffer').Buffer.from(vector, 'hex'));
  return cbc(oldKey(passphrase, iv, bitsOf(cipher) / 8), iv, bytes, false);
};

