// UTF-8 for Buffer.
import { native } from 'host';

export const encode = native.encode;
export const utf8_byte_length = native.utf8Length;
export const encode_into = (text, target) => {
  const [read, written] = native.encodeInto(text, target);
  return { read, written };
};
