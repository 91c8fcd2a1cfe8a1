// Errors and rejections that nobody catches reach the handlers of the process.
process.on('unhandledRejection', (r, p) => {
  console.log('UR', r.message, p instanceof Promise);
});
process.on('uncaughtException', (e, origin) => {
  console.log('UE', e.message, origin);
});
Promise.reject(new Error('rej'));
setTimeout(() => {
  throw new Error('thrown');
}, 1);
queueMicrotask(() => {
  throw new Error('micro');
});
setTimeout(async () => {
  const { EventEmitter } = require('events');
  new EventEmitter().emit('error', new Error('ee'));
}, 2);
process.on('rejectionHandled', () => console.log('handled'));
setTimeout(() => console.log('end'), 20);
