// Wraps code of a user for `bun --preload preload.cjs run FILE`, or Node: a time limit, captured
// console output, and errors as one line of JSON on standard error. Comfort, not a wall.

/** Returns the source of a module that runs `code` as the body of an async function. */
export function wrapUserCode(code, options = {}) {
  const { timeout = 30000, proxyUrl, captureConsole = true } = options;
  const settings = JSON.stringify({ timeout, proxyUrl, captureConsole });
  return `(async () => {
const settings = ${settings};
if (settings.proxyUrl) process.env.PROXY_URL = settings.proxyUrl;
const lines = [];
const show = (value) => typeof value === 'string' ? value : JSON.stringify(value) ?? String(value);
const plain = { ...console };
if (settings.captureConsole) {
  for (const name of ['log', 'info', 'debug', 'warn', 'error']) {
    console[name] = (...values) => lines.push({ level: name, text: values.map(show).join(' ') });
  }
}
const finish = (fields, status) => {
  Object.assign(console, plain);
  if (settings.captureConsole) for (const { level, text } of lines) {
    (level === 'warn' || level === 'error' ? process.stderr : process.stdout).write(text + '\\n');
  }
  if (fields) process.stderr.write(JSON.stringify(fields) + '\\n');
  process.exitCode = status;
};
const late = setTimeout(() => {
  finish({ code: 'TIMEOUT', name: 'TimeoutError', message: 'time limit of ' + settings.timeout + ' ms reached' }, 124);
  process.exit(124);
}, settings.timeout);
try {
  await (async () => {
${code}
  })();
  finish(null, 0);
} catch (error) {
  const denied = error && error.name === 'PermissionError' && error.requestId;
  finish(denied ? error.toJSON() : {
    code: 'EXECUTION_ERROR',
    name: String(error && error.name || 'Error'),
    message: String(error && error.message || error),
    stack: String(error && error.stack || ''),
  }, 1);
} finally {
  clearTimeout(late);
}
})();
`;
}

/** Returns the last permission error in the standard error of a run, or null. */
export function extractPermissionError(stderr) {
  const lines = String(stderr).split('\n').reverse();
  for (const line of lines) {
    if (!line.startsWith('{"code":"PERMISSION_DENIED"')) continue;
    try {
      const found = JSON.parse(line);
      if (found.requiredPermission && found.requestId) return found;
    } catch {
      // A line that only looks like one.
    }
  }
  return null;
}
