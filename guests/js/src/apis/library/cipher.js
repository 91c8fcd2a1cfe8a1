// `createCipheriv` and `createDecipheriv` of `crypto`: AES in four modes, and as a key wrap.
import { native, internal } from 'host';
import { Buffer } from 'buffer';
import { Transform } from 'stream';
import { validateString } from 'internal/validators';

const { coded } = internal;
const MODES = ['cbc', 'ctr', 'ecb', 'gcm'];
export const CIPHERS = [128, 192, 256].flatMap((bits) => [...MODES.map((mode) => `aes-${bits}-${mode}`), `aes${bits}-wrap`, `id-aes${bits}-wrap`]);

const state = (message) => coded(new Error(message), 'ERR_CRYPTO_INVALID_STATE');
const ossl = (number, text, code) => {
  const error = coded(new Error(`error:${number}:Provider routines::${text}`), code);
  return Object.assign(error, { library: 'Provider routines', reason: text });
};

class Ciphering extends Transform {
  #cipher;
  #wrap;
  #mode;
  #isEncrypting;
  #tag;
  #tagLength = 16;
  #hasPadding = true;
  #isFinished = false;
  #bytesOf;
  constructor(bytesOf, name, key, iv, options, isEncrypting) {
    validateString(name, 'cipher');
    super(options);
    // Without a mode, it is CBC.
    const [, bits, mode = 'cbc'] = /^(?:id-)?aes-?(128|192|256)(?:-(\w+))?$/.exec(name.toLowerCase()) ?? [];
    if (bits === undefined || (!MODES.includes(mode) && mode !== 'wrap')) throw coded(new Error('Unknown cipher'), 'ERR_CRYPTO_UNKNOWN_CIPHER');
    const secret = bytesOf(key, 'key');
    const vector = iv === null ? new Uint8Array(0) : bytesOf(iv, 'iv');
    if (secret.length * 8 !== Number(bits)) throw coded(new RangeError('Invalid key length'), 'ERR_CRYPTO_INVALID_KEYLEN');
    const isRight = mode === 'gcm' ? vector.length > 0 : vector.length === ({ ecb: 0, wrap: 8 }[mode] ?? 16);
    if (!isRight) throw coded(new TypeError('Invalid initialization vector'), 'ERR_CRYPTO_INVALID_IV');
    const [plain, mark] = [Uint8Array.from(secret), Uint8Array.from(vector)];
    // A key is wrapped whole.
    if (mode === 'wrap') this.#wrap = (bytes) => internal.openPart('internal/keys/key_wrap')(plain, bytes, isEncrypting, mark);
    else this.#cipher = native.newCipher(mode, plain, mark, isEncrypting);
    this.#tagLength = options?.authTagLength ?? 16;
    this.#mode = mode;
    this.#isEncrypting = isEncrypting;
    this.#bytesOf = bytesOf;
  }
  #shown(bytes, encoding) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
  }
  update(data, inputEncoding, outputEncoding) {
    if (this.#isFinished) throw state('Unsupported state');
    const bytes = Uint8Array.from(this.#bytesOf(data, 'data', inputEncoding));
    if (this.#wrap === undefined) return this.#shown(native.updateCipher(this.#cipher, bytes), outputEncoding);
    const wrapped = this.#wrap(bytes);
    if (wrapped === undefined) throw new Error('Trying to add data in unsupported state');
    return this.#shown(wrapped, outputEncoding);
  }
  final(encoding) {
    if (this.#isFinished) throw state('Unsupported state');
    this.#isFinished = true;
    if (this.#wrap !== undefined) return this.#shown(new Uint8Array(0), encoding);
    const last = native.finishCipher(this.#cipher, this.#hasPadding);
    if (last === 'length') {
      throw this.#isEncrypting
        ? ossl('1C80006A', 'data not multiple of block length', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH')
        : ossl('1C80006B', 'wrong final block length', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH');
    }
    if (last === 'padding') throw ossl('1C800064', 'bad decrypt', 'ERR_OSSL_BAD_DECRYPT');
    if (this.#mode === 'gcm') {
      const tag = native.cipherTag(this.#cipher);
      if (this.#isEncrypting) this.#tag = tag.slice(0, this.#tagLength);
      else if (!this.#isTag(tag)) throw new Error('Unsupported state or unable to authenticate data');
    }
    return this.#shown(last, encoding);
  }
  #isTag(tag) {
    if (this.#tag === undefined) return false;
    let differs = 0;
    this.#tag.forEach((byte, at) => (differs |= byte ^ tag[at]));
    return differs === 0;
  }
  getAuthTag() {
    if (this.#mode !== 'gcm' || !this.#isEncrypting || !this.#isFinished) throw state('Invalid state for operation getAuthTag');
    return this.#shown(this.#tag);
  }
  setAuthTag(tag, encoding) {
    const bytes = Uint8Array.from(this.#bytesOf(tag, 'buffer', encoding));
    if (this.#mode !== 'gcm' || this.#isEncrypting || this.#isFinished) throw state('Invalid state for operation setAuthTag');
    if (![4, 8, 12, 13, 14, 15, 16].includes(bytes.length)) {
      throw coded(new TypeError(`Invalid authentication tag length: ${bytes.length}`), 'ERR_CRYPTO_INVALID_AUTH_TAG');
    }
    this.#tag = bytes;
    return this;
  }
  setAAD(data, options) {
    if (this.#mode !== 'gcm') throw state('Invalid state for operation setAAD');
    native.authenticateCipher(this.#cipher, Uint8Array.from(this.#bytesOf(data, 'buffer', options?.encoding)));
    return this;
  }
  setAutoPadding(hasPadding = true) {
    if (this.#isFinished) throw state('Invalid state for operation setAutoPadding');
    this.#hasPadding = Boolean(hasPadding);
    return this;
  }
  _transform(chunk, encoding, done) {
    try {
      this.push(this.update(chunk, encoding));
      done();
    } catch (error) {
      done(error);
    }
  }
  _flush(done) {
    try {
      this.push(this.final());
      done();
    } catch (error) {
      done(error);
    }
  }
}

export class Cipheriv extends Ciphering {}
export class Decipheriv extends Ciphering {}
