// The public key of an X.509 certificate, whose other parts are not looked at.
import { readWhole, sequence } from 'internal/keys/der';
import { readSpki } from 'internal/keys/formats';

export const publicKeyOf = (bytes) =>
  readWhole(bytes, (inner) => {
    const about = inner.sequence();
    inner.sequence();
    inner.bits();
    if (about.tag === 0xa0) about.take(0xa0);
    about.take(0x02);
    // Signature, issuer, validity, subject.
    for (let at = 0; at < 4; at++) about.sequence();
    return readSpki(sequence(about.take(0x30)));
  });
