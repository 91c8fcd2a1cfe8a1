const settings = { database: undefined };
function connect() {
  console.log('connecting');
  return settings.database.host;
}
process.on('exit', (code) => console.log('exit', code));
connect();
console.log('never');
