const fs = require('fs');
const { Transform, pipeline } = require('stream');

const upper = new Transform({
  transform(chunk, encoding, callback) {
    callback(null, chunk.toString().toUpperCase());
  },
});
pipeline(fs.createReadStream('access.log'), upper, fs.createWriteStream('upper.log'), (error) => {
  if (error) throw error;
  console.log(fs.readFileSync('upper.log', 'utf8'));
});
