// UTF-8 for Buffer and StringDecoder.
import { native } from 'host';

export const utf8_decode = native.utf8Slice;
