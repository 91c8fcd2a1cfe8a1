// The global encoders, under the name that `util` imports.
export const { TextDecoder, TextDecoderStream, TextEncoder, TextEncoderStream } = globalThis;
