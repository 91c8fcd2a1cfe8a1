// `KeyObject` of `crypto` and its kinds. What pairs can do is in parts that are loaded on first use.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { validateString } from 'internal/validators';
import { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } from 'internal/errors';

const kKeyType = Symbol('kKeyType');
const kAsymmetricKeyType = Symbol('kAsymmetricKeyType');
const kAsymmetricKeyDetails = Symbol('kAsymmetricKeyDetails');
const late = () => internal.openPart('internal/keys/objects');
const kindOf = (type) => ({ secret: SecretKeyObject, public: PublicKeyObject, private: PrivateKeyObject })[type];

// Bytes of a secret key, or the key of a pair as `formats.js` has it.
export let materialOf;

export class KeyObject {
  #material;
  constructor(type, material) {
    if (kindOf(`${type}`) === undefined) throw new ERR_INVALID_ARG_VALUE('type', type);
    if (material === undefined) throw new ERR_INVALID_ARG_TYPE('handle', 'object', material);
    this[kKeyType] = type;
    this.#material = material;
  }
  static {
    materialOf = (key) => (typeof key === 'object' && key !== null && #material in key ? key.#material : undefined);
    // Without this module there is no such key that `util.types` could be asked about.
    internal.isKeyObject = (value) => materialOf(value) !== undefined;
  }
  static from(key) {
    if (!(key instanceof globalThis.CryptoKey)) throw new ERR_INVALID_ARG_TYPE('key', 'CryptoKey', key);
    return keyObject(internal.openPart('internal/subtle').materialOf(key));
  }
  get type() {
    return this[kKeyType];
  }
  equals(other) {
    if (materialOf(other) === undefined) throw new ERR_INVALID_ARG_TYPE('otherKeyObject', 'KeyObject', other);
    if (this.type !== other.type) return false;
    if (this.type !== 'secret') return late().isSameKey(this.#material, materialOf(other));
    return Buffer.from(this.#material).equals(materialOf(other));
  }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { value: 'KeyObject', configurable: true });

export class SecretKeyObject extends KeyObject {
  get symmetricKeySize() {
    return materialOf(this).length;
  }
  export(options = undefined) {
    if (options !== undefined) {
      if (typeof options !== 'object' || options === null) throw new ERR_INVALID_ARG_TYPE('options', 'object', options);
      if (options.format !== undefined) validateString(options.format, 'options.format');
      if (options.format === 'jwk') return { kty: 'oct', k: Buffer.from(materialOf(this)).toString('base64url') };
      if (options.format !== undefined && options.format !== 'buffer') throw new ERR_INVALID_ARG_VALUE('options.format', options.format);
    }
    return Buffer.from(materialOf(this));
  }
}

class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() {
    return (this[kAsymmetricKeyType] ??= materialOf(this).type);
  }
  get asymmetricKeyDetails() {
    const details = late().detailsOf(materialOf(this));
    return Object.keys(details).length === 0 ? details : (this[kAsymmetricKeyDetails] ??= details);
  }
}

// As in Node, a form that depends on the type of the key notes it, and inspection shows it.
const exported = (key, options) => {
  if (options?.format !== 'jwk') key.asymmetricKeyType;
  return late().exported(materialOf(key), options);
};

export class PublicKeyObject extends AsymmetricKeyObject {
  export(options) {
    return exported(this, options);
  }
}

export class PrivateKeyObject extends AsymmetricKeyObject {
  export(options) {
    return exported(this, options);
  }
}

export const keyObject = (material) =>
  material instanceof Uint8Array
    ? new SecretKeyObject('secret', material)
    : material.isPrivate
      ? new PrivateKeyObject('private', material)
      : new PublicKeyObject('public', material);
