process.on('uncaughtException', (error, origin) => {
  console.log('handler:', origin, error.message);
});
process.on('unhandledRejection', (reason, promise) => {
  console.log('rejection:', reason.message, promise instanceof Promise);
});
setTimeout(() => {
  const task = {};
  task.run();
}, 1);
setTimeout(() => Promise.reject(new Error('nobody waits')), 5);
setTimeout(() => console.log('still alive'), 20);
