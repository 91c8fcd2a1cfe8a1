// `timers`: the global functions.
import promises from 'timers/promises';

const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;
export default { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
