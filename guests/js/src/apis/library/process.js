// `process`, for the modules that import it by name.
import { internal } from 'host';

const process = internal.part('process');
export default process;
// Only NODE_DEBUG is read through this name. Reading the real variables would need a grant.
export const env = {};
export const nextTick = (...args) => process.nextTick(...args);
