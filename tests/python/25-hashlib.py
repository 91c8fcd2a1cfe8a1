import base64, binascii, hashlib, hmac, secrets, zlib
for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"):
    print(name, hashlib.new(name, b"data").hexdigest()[:16])
print(hmac.new(b"key", b"message", "sha256").hexdigest()[:16])
print(hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1000).hex()[:16])
print(base64.b64encode(b"\x00\xff data"), base64.urlsafe_b64decode("_-8="), binascii.crc32(b"x"), zlib.adler32(b"x"))
print(len(secrets.token_hex(8)), hmac.compare_digest("a", "a"))
