// JSON Web Tokens by hand, in the four signature families, and keys published as a JWKS.
import { createPublicKey, generateKeyPairSync, createSign, createVerify, sign, verify, constants, createHash } from 'node:crypto';

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ALGORITHMS = {
  RS256: { type: 'rsa', options: { modulusLength: 2048 } },
  PS256: { type: 'rsa', options: { modulusLength: 2048 }, extra: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  ES256: { type: 'ec', options: { namedCurve: 'P-256' }, extra: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { type: 'ed25519', hash: null },
};
const jwks = { keys: [] };
const tokens = [];
for (const [alg, { type, options, extra, hash = 'sha256' }] of Object.entries(ALGORITHMS)) {
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url').slice(0, 8);
  jwks.keys.push({ ...jwk, kid, alg, use: 'sig' });
  const head = `${encode({ alg, typ: 'JWT', kid })}.${encode({ sub: 'ada', alg })}`;
  const signature = sign(hash, Buffer.from(head), { key: privateKey, ...extra });
  tokens.push(`${head}.${signature.toString('base64url')}`);
}
const decode = (token) => {
  const [head, body, signature] = token.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url'));
  const jwk = jwks.keys.find((key) => key.kid === kid);
  if (jwk === undefined || jwk.alg !== alg) throw new Error(`no key ${kid === undefined ? 'named' : 'of that name'}`);
  const { extra, hash = 'sha256' } = ALGORITHMS[alg];
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), ...extra };
  if (!verify(hash, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) throw new Error('bad signature');
  return JSON.parse(Buffer.from(body, 'base64url'));
};
for (const token of tokens) {
  console.log(decode(token));
  const [head, , signature] = token.split('.');
  try {
    decode(`${head}.${encode({ sub: 'eve' })}.${signature}`);
  } catch (error) {
    console.log(error.message);
  }
}
console.log(jwks.keys.map(({ kty, crv, alg, use }) => ({ kty, crv, alg, use })));
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'top secret' },
});
const signature = createSign('RSA-SHA256').update('some ').update('data').sign({ key: privateKey, passphrase: 'top secret' }, 'base64');
console.log(publicKey.split('\n')[0], privateKey.split('\n')[0], createVerify('RSA-SHA256').update('some data').verify(publicKey, signature, 'base64'));
