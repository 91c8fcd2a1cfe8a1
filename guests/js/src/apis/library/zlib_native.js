// Deflate for `zlib`, over the coders of CompressionStream. Brotli throws by its name.
import { native, internal } from 'host';

const { feedCoder, newCompressor, newDecompressor, stepCoder } = native;
const FINISH = 4;
const SYNC_FLUSH = 2;
const BUFFER_ERROR = -5;
const DATA_ERROR = -3;

const joined = (pieces) => {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
};

// Every piece that the coder has; undefined when its input is malformed.
const drain = (coder, last) => {
  const pieces = [];
  for (;;) {
    const piece = stepCoder(coder, last);
    if (piece === undefined || piece === null) return undefined;
    if (piece.length === 0) return joined(pieces);
    pieces.push(piece);
  }
};

const packFormat = (bits) => (bits < 0 ? 'deflate-raw' : bits >= 16 ? 'gzip' : 'deflate');
const unpackFormat = (bits, data) => {
  // 0 stands for `unzip`, which looks at the data.
  if (bits !== 0 && bits < 32) return packFormat(bits);
  return data[0] === 0x1f && data[1] === 0x8b ? 'gzip' : 'deflate';
};
const hasHeader = (format, data) => {
  if (format === 'gzip') return data[0] === 0x1f && (data.length < 2 || data[1] === 0x8b);
  if (format === 'deflate') return (data[0] & 15) === 8 && (data.length < 2 || (data[0] * 256 + data[1]) % 31 === 0);
  return true;
};
const unexpectedEnd = () => Object.assign(new Error('unexpected end of file'), { code: 'Z_BUF_ERROR', errno: BUFFER_ERROR });
const malformed = (format, data) =>
  Object.assign(new Error(hasHeader(format, data) ? 'invalid stored block lengths' : 'incorrect header check'), {
    code: 'Z_DATA_ERROR',
    errno: DATA_ERROR,
  });

export const zlib_compress_sync = (data, level, bits) => {
  const coder = newCompressor(packFormat(bits), level);
  feedCoder(coder, data);
  return joined([drain(coder, false), drain(coder, true)]);
};

export const zlib_decompress_sync = (data, bits, flush) => {
  if (data.length === 0) return [undefined, 'unexpected end of file', BUFFER_ERROR];
  const format = unpackFormat(bits, data);
  const coder = newDecompressor(format, true);
  feedCoder(coder, data);
  const first = hasHeader(format, data) ? drain(coder, false) : undefined;
  if (first === undefined) return [undefined, malformed(format, data).message, DATA_ERROR];
  const rest = drain(coder, true);
  if (rest !== undefined) return [joined([first, rest]), undefined, 0];
  return flush === SYNC_FLUSH ? [first, undefined, 0] : [undefined, 'unexpected end of file', BUFFER_ERROR];
};

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});
export const crc32_compute = (data, initial) => {
  let crc = ~initial;
  for (let at = 0; at < data.length; at++) crc = TABLE[(crc ^ data[at]) & 255] ^ (crc >>> 8);
  return ~crc;
};

// Modes of `zlib`: deflate, inflate, gzip, gunzip, deflateRaw, inflateRaw, unzip.
const MODES = ['deflate', 'deflate', 'gzip', 'gzip', 'deflate-raw', 'deflate-raw', undefined];
export const zlib_stream_new = (mode, level) => ({ mode, level, packs: mode % 2 === 0 && mode < 6, coder: undefined, format: MODES[mode], head: [] });
const begin = (stream, data) => {
  stream.format ??= unpackFormat(32, data);
  stream.coder = stream.packs ? newCompressor(stream.format, stream.level) : newDecompressor(stream.format, true);
};
export const zlib_stream_push = (stream, data, flush) => {
  if (stream.coder === undefined) {
    if (data.length === 0 && stream.head.length === 0 && !stream.packs) return data;
    // The first two bytes tell the format.
    if (!stream.packs) {
      data = joined([...stream.head, data]);
      if (data.length < 2 && flush !== FINISH) {
        stream.head = [data];
        return new Uint8Array(0);
      }
    }
    begin(stream, data);
    if (!stream.packs && !hasHeader(stream.format, data)) throw malformed(stream.format, data);
  }
  feedCoder(stream.coder, data);
  const first = drain(stream.coder, false);
  if (first === undefined) throw malformed('deflate-raw', data);
  if (flush !== FINISH) return first;
  const rest = drain(stream.coder, true);
  if (rest === undefined) throw unexpectedEnd();
  return joined([first, rest]);
};
export const zlib_stream_params = (stream, level) => {
  stream.level = level;
  return true;
};
export const zlib_stream_reset = (stream) => {
  stream.coder = undefined;
  stream.head = [];
  return true;
};
export const zlib_stream_close = () => true;

const brotli = () => {
  throw internal.notAvailable('zlib brotli', 'use gzip or deflate');
};
export const brotli_compress_sync = brotli;
export const brotli_decompress_sync = brotli;
export const brotli_stream_new = brotli;
export const brotli_stream_push = brotli;
export const brotli_stream_pull = brotli;
export const brotli_stream_close = () => true;
