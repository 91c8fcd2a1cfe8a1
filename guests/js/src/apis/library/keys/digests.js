// Digests as signatures and paddings use them: by the names of OpenSSL, with their identifiers.
import { native } from 'host';
import { concat } from 'internal/keys/numbers';

const NIST = '2.16.840.1.101.3.4.2.';
const OIDS = {
  __proto__: null,
  md5: '1.2.840.113549.2.5',
  sha1: '1.3.14.3.2.26',
  sha256: `${NIST}1`,
  sha384: `${NIST}2`,
  sha512: `${NIST}3`,
  sha224: `${NIST}4`,
  'sha512-224': `${NIST}5`,
  'sha512-256': `${NIST}6`,
  'sha3-224': `${NIST}7`,
  'sha3-256': `${NIST}8`,
  'sha3-384': `${NIST}9`,
  'sha3-512': `${NIST}10`,
};

// Names that OpenSSL accepts for one algorithm: `RSA-SHA256`, `SHA-256`, `sha512/256`. Returns
// undefined for an unknown one.
export const digestNamed = (name) => {
  const plain = `${name}`.toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha').replace(/^(sha512)\//, '$1-').replace(/withrsaencryption$/, '');
  return OIDS[plain] === undefined ? undefined : plain;
};

export const oidOfDigest = (name) => OIDS[name];
export const digestOfOid = (oid) => Object.keys(OIDS).find((name) => OIDS[name] === oid);

export const digest = (name, ...pieces) => {
  const state = native.newHash(name);
  for (const piece of pieces) native.updateHash(state, piece);
  return native.finishHash(state);
};

const sizes = new Map();
export const digestSize = (name) => {
  if (!sizes.has(name)) sizes.set(name, digest(name).length);
  return sizes.get(name);
};

// The mask of PSS and OAEP (MGF1).
export const mask = (name, seed, length) => {
  const blocks = [];
  for (let at = 0; at * digestSize(name) < length; at++) {
    blocks.push(digest(name, seed, Uint8Array.of(at >>> 24, at >>> 16, at >>> 8, at)));
  }
  return concat(...blocks).slice(0, length);
};
