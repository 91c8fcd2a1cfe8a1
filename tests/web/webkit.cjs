// Drives Debian's WebKitGTK over WebDriver, with those methods of playwright that the tests use.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');

const DRIVER = '/usr/bin/WebKitWebDriver';

/** Milliseconds that one request waits for a script; others have their turn in between. */
const TURN = 200;

/** Milliseconds in which driver and display have to be there. */
const PATIENCE = 30_000;

/** Keys as WebDriver writes them. */
const KEYS = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a display of its own; resolves to the process and the name of the display. */
function openDisplay() {
  const display = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    display.on('error', reject);
    display.on('exit', () => reject(new Error('Xvfb ended')));
    let text = '';
    display.stdio[3].on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) resolve([display, `:${text.trim()}`]);
    });
  });
}

/** Returns a port of this machine that nothing listens on. */
function freePort() {
  const server = require('node:net').createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function request(method, url, body) {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = await response.json();
  if (value?.error) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** A window, as a page of playwright. There is one at a time. */
class Page {
  #session;
  #calls = 0;
  #isClosed = false;
  keyboard = { press: (key) => this.#press(key) };

  constructor(session) {
    this.#session = session;
  }

  /** The driver does not tell what a page prints. */
  on() {}

  async goto(url) {
    await request('POST', `${this.#session}/url`, { url });
  }

  /** Calls a function in the page and waits for its result. */
  async evaluate(run, argument) {
    const call = ++this.#calls;
    // The result is fetched in turns, because the driver does one thing at a time.
    const begin = `const calls = (globalThis.drivenCalls ??= {});
      const call = (calls[arguments[0]] = {});
      call.done = (async () => (${run})(arguments[1]))().then((value) => (call.answer = { value }), (error) => (call.answer = { error: String(error) }))`;
    await this.#script('sync', begin, [call, argument ?? null]);
    const look = `const call = globalThis.drivenCalls?.[arguments[0]], tell = arguments[2];
      if (!call) tell({ error: 'the page was left' });
      else Promise.race([call.done, new Promise((resolve) => setTimeout(resolve, arguments[1]))]).then(() => {
        if (call.answer) delete globalThis.drivenCalls[arguments[0]];
        tell(call.answer ?? null);
      })`;
    while (!this.#isClosed) {
      const answer = await this.#script('async', look, [call, TURN]);
      if (!answer) continue;
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value ?? undefined;
    }
    throw new Error('the page was closed');
  }

  async waitForFunction(test, argument) {
    while (!(await this.evaluate(test, argument))) await sleep(10);
  }

  waitForTimeout(ms) {
    return sleep(ms);
  }

  async screenshot({ path }) {
    fs.writeFileSync(path, Buffer.from(await request('GET', `${this.#session}/screenshot`), 'base64'));
  }

  async close() {
    this.#isClosed = true;
    await this.goto('about:blank');
  }

  async #press(key) {
    const value = KEYS[key] ?? key;
    const actions = [{ type: 'key', id: 'keyboard', actions: [{ type: 'keyDown', value }, { type: 'keyUp', value }] }];
    await request('POST', `${this.#session}/actions`, { actions });
  }

  #script(kind, script, args) {
    return request('POST', `${this.#session}/execute/${kind}`, { script, args });
  }
}

/** Starts the browser on a display of its own. */
exports.launch = async function launch() {
  const [display, name] = await openDisplay();
  const port = await freePort();
  // Safari has shared memory in isolated pages. JavaScriptCore of WebKitGTK has it behind an option.
  const env = { ...process.env, DISPLAY: name, JSC_useSharedArrayBuffer: '1' };
  const driver = spawn(DRIVER, [`--port=${port}`], { stdio: 'ignore', env });
  const origin = `http://127.0.0.1:${port}`;
  for (const began = Date.now(); ; await sleep(20)) {
    const status = await request('GET', `${origin}/status`).catch(() => undefined);
    if (status?.ready) break;
    if (Date.now() - began > PATIENCE) throw new Error('WebKitWebDriver does not start');
  }
  const { sessionId } = await request('POST', `${origin}/session`, { capabilities: {} });
  const session = `${origin}/session/${sessionId}`;
  return {
    newPage: async () => new Page(session),
    async close() {
      await request('DELETE', session).catch(() => {});
      driver.kill();
      display.kill();
    },
  };
};
