// The global classes, and host names in both spellings.
import { native } from 'host';

export const { URL, URLSearchParams } = globalThis;
export const { domainToASCII, domainToUnicode } = native;
export const domainToASCIILegacy = native.domainToASCII;
