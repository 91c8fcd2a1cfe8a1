// Errors of key operations, with the words and codes of OpenSSL as Node shows them.
import { internal } from 'host';

const { coded } = internal;

const LIBRARIES = { '02': 'rsa routines', '03': 'digital envelope routines', '06': 'asn1 encoding routines', '07': 'common libcrypto routines', '08': 'elliptic curve routines', '1C': 'Provider routines', '1E': 'DECODER routines' };
const TEXTS = {
  __proto__: null,
  '1E08010C': 'unsupported',
  '0680007B': 'header too long',
  '068000A8': 'wrong tag',
  '0200006E': 'data too large for key size',
  '02000070': 'digest too big for rsa key',
  '02000079': 'oaep decoding error',
  '0200007A': 'data too large for modulus',
  '0200008A': 'invalid padding',
  '03000096': 'operation not supported for this keytype',
  '07880109': 'interrupted or cancelled',
  '0800009E': 'invalid digest',
  '1C800064': 'bad decrypt',
  '1C80007A': 'invalid digest',
  '1C80007D': 'invalid key',
  '1C8000AE': 'digest not allowed',
};
// Libraries that stand in the code of an error.
const PREFIXES = { '02': 'RSA_', '03': 'EVP_', '06': 'ASN1_', '07': 'CRYPTO_', '08': 'EC_' };

// Errors that OpenSSL notes before the one that is thrown.
const RSA_LIB = 'error:1C880004:Provider routines::RSA lib';
const CANCELLED = 'error:07880109:common libcrypto routines::interrupted or cancelled';
const CIPHER_FINAL = 'error:11800074:PKCS12 routines::pkcs12 cipherfinal error';
const EARLIER = {
  __proto__: null,
  '0200006E': [RSA_LIB],
  '0200008A': [RSA_LIB, 'error:02000072:rsa routines::padding check failed'],
  '07880109': ['error:04800068:PEM routines::bad password read', CANCELLED, 'error:1C80009F:Provider routines::unable to get passphrase', CANCELLED],
  '1C800064': [CIPHER_FINAL, 'error:1C800064:Provider routines::bad decrypt', CIPHER_FINAL],
};

// An error of OpenSSL by its number; with `isStacked`, those that it follows.
export const openssl = (number, isStacked = false) => {
  const place = number.slice(0, 2);
  const reason = TEXTS[number];
  const error = new Error(`error:${number}:${LIBRARIES[place]}::${reason}`);
  if (isStacked) error.opensslErrorStack = [...EARLIER[number]];
  Object.assign(error, { library: LIBRARIES[place], reason });
  return coded(error, `ERR_OSSL_${PREFIXES[place] ?? ''}${reason.toUpperCase().replaceAll(' ', '_')}`);
};

export const unsupported = () => openssl('1E08010C');
export const failure = (code, message, Kind = Error) => coded(new Kind(message), code);
export const invalidDigest = (name) =>
  failure('ERR_CRYPTO_INVALID_DIGEST', name === undefined ? 'Invalid digest' : `Invalid digest: ${name}`, TypeError);
