const { EventEmitter, once } = require('node:events');

class Bus extends EventEmitter {
  publish(topic, payload) {
    if (!this.emit(topic, payload)) console.log(`nobody listens to ${topic}`);
  }
}

const bus = new Bus();
bus.on('order', (order) => console.log('order', order.id));
bus.once('order', () => console.log('first order only'));
bus.publish('order', { id: 1 });
bus.publish('order', { id: 2 });
bus.publish('refund', {});
try {
  bus.emit('error', new Error('unhandled failure'));
} catch (error) {
  console.log('caught', error.message);
}
try {
  bus.emit('error', { code: 42 });
} catch (error) {
  console.log(error.code, error.message);
}
try {
  bus.on('x', 'not a function');
} catch (error) {
  console.log(error.code, error.message);
}
bus.on('order', (order) => order.items.length);
try {
  bus.publish('order', { id: 3 });
} catch (error) {
  console.log(error.message);
}
bus.removeAllListeners();
console.log(bus.eventNames(), bus.listenerCount('order'));
(async () => {
  setTimeout(() => bus.emit('ready', 'a', 2), 1);
  console.log(await once(bus, 'ready'));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1);
  try {
    await once(bus, 'never', { signal: controller.signal });
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
  setTimeout(() => bus.emit('error', new TypeError('late')), 1);
  await once(bus, 'other').catch((error) => console.log(String(error)));
})();
