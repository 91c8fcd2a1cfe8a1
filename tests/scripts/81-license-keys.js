// License keys: signed with Ed25519, checked offline, refused when changed or out of date.
const crypto = require('node:crypto');

class LicenseError extends Error {
  constructor(reason, options) {
    super(`license refused: ${reason}`, options);
    this.name = 'LicenseError';
    this.reason = reason;
  }
}

class LicenseAuthority {
  #privateKey;
  constructor() {
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
    this.#privateKey = privateKey;
    this.publicPem = publicKey.export({ type: 'spki', format: 'pem' });
  }
  issue(claims) {
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const signature = crypto.sign(null, Buffer.from(body), this.#privateKey).toString('base64url');
    return `${body}.${signature}`;
  }
}

const check = (license, pem, now) => {
  const [body, signature] = license.split('.');
  const isSigned = crypto.verify(null, Buffer.from(body), pem, Buffer.from(signature ?? '', 'base64url'));
  if (!isSigned) throw new LicenseError('signature');
  const claims = JSON.parse(Buffer.from(body, 'base64url'));
  if (claims.until < now) throw new LicenseError('expired', { cause: new Date(claims.until) });
  return claims;
};

const authority = new LicenseAuthority();
const license = authority.issue({ user: 'ada', plan: 'pro', until: Date.UTC(2030, 0) });
console.log(authority.publicPem.split('\n').length, license.split('.').length);
console.log(check(license, authority.publicPem, Date.UTC(2025, 0)));
const other = new LicenseAuthority();
const attempts = {
  changed: [license.replace(/^../, 'ey'), authority.publicPem, 0],
  forged: [other.issue({ user: 'eve', until: Infinity }), authority.publicPem, 0],
  late: [license, authority.publicPem, Date.UTC(2031, 0)],
  cut: [license.slice(0, -2), authority.publicPem, 0],
};
for (const [name, given] of Object.entries(attempts)) {
  try {
    console.log(name, check(...given));
  } catch (error) {
    console.log(name, error.name, error.reason ?? error.message, error.cause);
  }
}
