// `constants`: those of `fs` and `os` in one object.
import fs from 'fs';
import os from 'os';

export default { ...os.constants.errno, ...os.constants.signals, ...fs.constants };
