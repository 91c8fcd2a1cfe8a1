"""Parts of the standard library that the network of a cell replaces."""

import hashlib
import hmac


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """`hashlib.pbkdf2_hmac`, which comes with OpenSSL elsewhere."""
    size = hashlib.new(hash_name).digest_size
    dklen = size if dklen is None else dklen
    if iterations < 1 or dklen < 1:
        raise ValueError("iterations and dklen must be at least 1")
    keyed = hmac.new(bytes(password), None, hash_name)
    derived, number = b"", 0
    while len(derived) < dklen:
        number += 1
        step = keyed.copy()
        step.update(bytes(salt) + number.to_bytes(4, "big"))
        last = step.digest()
        total = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            step = keyed.copy()
            step.update(last)
            last = step.digest()
            total ^= int.from_bytes(last, "big")
        derived += total.to_bytes(size, "big")
    return derived[:dklen]


def install():
    hashlib.pbkdf2_hmac = pbkdf2_hmac
