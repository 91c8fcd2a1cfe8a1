const buf = Buffer.from('héllo', 'utf8');
console.log(buf.length, buf.toString('hex'), buf.toString('base64'));
console.log(Buffer.concat([buf.subarray(0, 3), Buffer.from([33])]).toString());
console.log(Buffer.from('aGk=', 'base64').toString(), Buffer.byteLength('€'), Buffer.isBuffer(buf));
const out = Buffer.alloc(8);
out.writeUInt32BE(0xdeadbeef, 0);
out.writeInt16LE(-2, 4);
console.log(out, out.readUInt32BE(0).toString(16), out.readInt16LE(4), out.equals(Buffer.from(out)));
