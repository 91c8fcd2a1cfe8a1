// The global classes, under the name that `buffer` imports.
export const { Blob, File } = globalThis;
