async function load() {
  throw new Error('not available');
}
console.log('before');
load();
setTimeout(() => console.log('must not print'), 10);
