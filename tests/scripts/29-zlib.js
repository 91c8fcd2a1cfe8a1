const zlib = require('zlib');
const text = 'repeat '.repeat(200);
const packed = zlib.gzipSync(text);
console.log(packed.length < 100, zlib.gunzipSync(packed).toString() === text);
zlib.deflate(Buffer.from('abc'), (error, buffer) => {
  console.log(error, zlib.inflateSync(buffer).toString());
});
