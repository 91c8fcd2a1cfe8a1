const EventEmitter = require('events');

class Job extends EventEmitter {
  run(steps) {
    this.emit('start', steps);
    for (let i = 1; i <= steps; i++) this.emit('progress', i / steps);
    setImmediate(() => this.emit('done'));
    return this;
  }
}

const job = new Job();
job.once('start', (n) => console.log('start', n));
job.on('progress', (p) => console.log(`${Math.round(p * 100)}%`));
job.on('done', () => console.log('done', job.listenerCount('progress')));
job.run(2);
try {
  new EventEmitter().emit('error', new Error('unheard'));
} catch (error) {
  console.log(error.message);
}
