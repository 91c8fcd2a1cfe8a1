class DatabaseError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = this.constructor.name;
    Error.captureStackTrace?.(this, this.constructor);
  }
}
class NotFound extends DatabaseError {}

function query(sql) {
  if (!sql.includes('FROM')) throw new NotFound(`bad query: ${sql}`);
  return [];
}
class Repository {
  columns = '*';
  find(id) {
    return query(`SELECT ${this.columns} ${id}`);
  }
  static open() {
    return new this().find(7);
  }
}
const frames = (error) =>
  error.stack
    .split('\n')
    .filter((line) => line.includes('48-stack-lines'))
    .map((line) => line.trim().replace(/\(?[^ (]*48-stack-lines/, '(48-stack-lines'));

try {
  Repository.open();
} catch (error) {
  console.log(error.stack.split('\n')[0]);
  console.log(frames(error).slice(0, 3).join('\n'));
}

const service = {
  items: [1, 2],
  load() {
    return this.items.map(function each(n) {
      return n.value.length;
    });
  },
  start() {
    return this.load();
  },
};
try {
  service.start();
} catch (error) {
  console.log(frames(error).slice(0, 3).join('\n'));
  console.log(error.stack.includes('at Array.map (<anonymous>)'));
}

async function step() {
  await null;
  throw new Error('async failure');
}
async function pipeline() {
  await step();
}
pipeline().catch((error) => {
  console.log(error.stack.split('\n')[0]);
  console.log(frames(error)[0]);
});
const line = new Error('here').stack.split('\n')[1].match(/:(\d+):(\d+)\)?$/);
console.log(line[1], line[2]);
