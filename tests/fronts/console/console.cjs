// A person in a browser, and an agent whose runs go on in another process on the same store.
'use strict';

const assert = require('node:assert/strict');
const { spawn, execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { chromium, firefox } = require('playwright-core');

const [program, shots] = process.argv.slice(2);

/** Longest time that anything may take, in milliseconds. */
const PATIENCE = 30_000;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'cofferdam-console-'));
const env = { ...process.env, XDG_DATA_HOME: home, USER: 'ann', COFFERDAM_LOG: 'warn', COFFERDAM_SERVE_CELLS: '16' };
const children = [];

/** Starts a server on a free port and returns its address. */
function serve(options = {}) {
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { env: { ...env, ...options }, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', (code) => reject(new Error(`serve ended with ${code}: ${text}`)));
    child.stderr.on('data', (bytes) => {
      text += bytes;
      const found = /listening on (http:\/\/[^;\s]+)/.exec(text);
      if (found) resolve(found[1]);
    });
  });
}

/** Returns a one-time code. `script` provides the terminal that `cofferdam login` requires. */
function code() {
  const out = execFileSync('script', ['-qec', `'${program}' login`, '/dev/null'], { env, encoding: 'utf8' });
  return /code\s+(\S+)/.exec(out)[1];
}

/** Closes a browser or a context of one. What does not end by itself is killed with this process. */
function close(one) {
  const late = new Promise((resolve) => setTimeout(resolve, 10_000).unref());
  return Promise.race([one.close(), late]);
}

async function until(what, check) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`too late: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An agent of a server. */
class Agent {
  constructor(url, token) {
    this.url = url;
    this.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'browser-test 1.0' };
  }

  /** Starts a run that reads files and prints while it waits. */
  async read(paths, why) {
    const files = Object.fromEntries(paths.map((name) => [name, `content of ${name}`]));
    const source = `const fs = require('fs').promises;
      console.log('begins');
      const texts = await Promise.all(args.map((name) => fs.readFile(name, 'utf8')));
      console.log('goes on');
      return texts`;
    const body = JSON.stringify({ kind: 'js', code: source, args: paths, files, why });
    const headers = { ...this.headers, prefer: 'respond-async' };
    const answer = await fetch(`${this.url}/v1/exec`, { method: 'POST', headers, body });
    assert.equal(answer.status, 202, await answer.clone().text());
    return (await answer.json()).run;
  }

  outcome(run) {
    return until(`the end of ${run}`, async () => {
      const answer = await fetch(`${this.url}/v1/runs/${run}`, { headers: this.headers });
      return (await answer.json()).outcome;
    });
  }
}

/** A person who is signed in. Fails the test on a violation of the content policy or a script error. */
async function person(browser, url, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('console', (message) => {
    if (/content.security.policy|csp/i.test(message.text())) faults.push(message.text());
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.log(`CSP: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await page.goto(`${url}/login?code=${code()}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return { page, context, faults };
}

async function card(page, text) {
  const found = page.locator('article.card', { hasText: text });
  await found.waitFor();
  return found;
}

/** Takes a screenshot if they are wanted. In Firefox the driver adds a style, which the policy refuses. */
async function shot(page, name) {
  if (shots && !name.startsWith('firefox')) await page.screenshot({ caret: 'initial', path: path.join(shots, `${name}.png`) });
}

/** Deciding, with live updates. */
async function decides(browser, near, far, name) {
  const { page, context, faults } = await person(browser, near, { viewport: { width: 1280, height: 800 } });

  // Allowed once, by a run in another process; the card appears without a reload.
  let run = await far.read(['/data/prices.csv'], 'Add up the prices for the monthly report.');
  let one = await card(page, '/data/prices.csv');
  await page.getByText('live', { exact: true }).waitFor();
  await shot(page, `${name}-inbox`);
  await one.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.deepEqual((await far.outcome(run)).result, ['content of /data/prices.csv']);

  // Denied with a reason, by keyboard: a letter moves the focus and decides nothing.
  run = await far.read(['/data/b'], '<img src=x onerror=alert(1)>\u202e');
  one = await card(page, '/data/b');
  await one.getByText('<img src=x onerror=alert(1)>\\u{202e}').waitFor();
  await page.keyboard.press('a');
  assert.equal(await page.evaluate(() => document.activeElement.value), 'once');
  await page.keyboard.press('w');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'radio');
  await page.keyboard.press('Enter');
  await page.keyboard.press('d');
  await page.keyboard.type('use /data/c instead');
  await page.keyboard.press('Enter');
  await page.getByText('Denied. The agent was told.').waitFor();
  const denied = await far.outcome(run);
  assert.equal(denied.errorClass, 'CAPABILITY_DENIED');
  assert.match(denied.error.message, /: use \/data\/c instead$/);

  // A wider scope for the session, on the page of the request, then revoked.
  run = await far.read(['/data/d'], 'Look once more.');
  one = await card(page, '/data/d');
  await one.getByRole('link', { name: /\/data\/d/ }).click();
  await page.getByRole('heading', { name: 'Earlier decisions' }).waitFor();
  await page.getByRole('radio', { name: /fs:read:\/data\/\*\*/ }).check();
  await page.getByRole('button', { name: 'Allow for session' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.deepEqual((await far.outcome(run)).result, ['content of /data/d']);
  await page.getByRole('link', { name: 'Grants' }).click();
  await page.getByRole('cell', { name: /fs:read:\/data\/\*\*/ }).waitFor();
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText('Nothing is granted').waitFor();

  // Several requests of one run, answered with one folder.
  await page.goto(near);
  run = await far.read(['/notes/1', '/notes/2', '/notes/3'], 'Count the notes.');
  one = await card(page, '3 things in one run');
  await one.getByText('or one that covers them all').click();
  await one.getByRole('radio', { name: /fs:read:\/notes\/\*\*/ }).check();
  await one.getByRole('button', { name: 'Allow all 3 once' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.equal((await far.outcome(run)).result.length, 3);

  // A card of another tab's decision goes away by itself, and what was typed into others stays.
  const first = await far.read(['/x/1'], 'first');
  await card(page, '/x/1');
  const second = await far.read(['/x/2'], 'second');
  one = await card(page, '/x/2');
  await one.getByRole('textbox').fill('half a reason');
  const other = await context.newPage();
  await other.goto(near);
  await (await card(other, '/x/1')).getByRole('button', { name: 'Allow once' }).click();
  await other.getByText('Allowed. The run goes on.').waitFor();
  await page.bringToFront();
  await page.locator('article.card', { hasText: '/x/1' }).waitFor({ state: 'detached' });
  assert.equal(await one.getByRole('textbox').inputValue(), 'half a reason');
  await one.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Denied. The agent was told.').waitFor();
  assert.equal((await far.outcome(first)).errorClass ?? null, null);
  assert.match((await far.outcome(second)).error.message, /half a reason$/);

  // The log has it all.
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByLabel('Text').fill('half a reason');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('cell', { name: /half a reason/ }).first().waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  assert.deepEqual(faults, []);
  await close(context);
}

/** Output of a run appears while the run goes on. */
async function watches(browser, near, agent, name) {
  const { page, context, faults } = await person(browser, near, { viewport: { width: 1280, height: 800 } });
  const run = await agent.read(['/data/e'], 'Show output.');
  await page.goto(`${near}/runs/${run}`);
  const output = page.locator('[data-item="output"]');
  await output.getByText('begins').waitFor();
  await page.getByRole('link', { name: 'see the request' }).click();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  await page.goto(`${near}/runs/${run}`);
  await output.getByText('goes on').waitFor();
  await page.getByText('ended', { exact: true }).waitFor();
  await shot(page, `${name}-run`);
  assert.deepEqual(faults, []);
  await close(context);
}

/** Every page fits a phone, and every control has a name. */
async function fits(browser, near, far, name, colorScheme) {
  const viewport = { width: 360, height: 780 };
  const { page, context, faults } = await person(browser, near, { viewport, ...colorScheme });
  const long = `/data/${'a-long-name-'.repeat(12)}.txt`;
  const run = await far.read([long], 'W'.repeat(300));
  const one = await card(page, long);
  const request = await one.getByRole('link', { name: new RegExp('a-long-name') }).getAttribute('href');
  for (const place of ['/', request, '/runs', '/sandboxes', '/tools', '/grants', '/audit', '/requests/none']) {
    await page.goto(near + place);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(over <= 0, `${place} is ${over} pixels too wide`);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button:not([hidden]), input:not([type="hidden"]), select')]
      .filter((control) => !control.textContent.trim() && !control.labels?.length && !control.getAttribute('aria-label'))
      .map((control) => control.outerHTML));
    assert.deepEqual(nameless, [], place);
    await shot(page, `${name}-phone${place.replaceAll('/', '-')}`);
  }
  await page.goto(near);
  await (await card(page, long)).getByRole('button', { name: 'Deny' }).click();
  await far.outcome(run);
  // The page that was not found is a console message of its own in some browsers.
  assert.deepEqual(faults, []);
  await close(context);
}

/** A grave decision needs a passkey, of an authenticator that the browser simulates. */
async function signs(browser, token) {
  const url = await serve({ COFFERDAM_SERVE_PASSKEYS: 'true' });
  assert.match(url, /^http:\/\/localhost:/);
  const agent = new Agent(url, token);
  const { page, context, faults } = await person(browser, url, { viewport: { width: 1280, height: 800 } });
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options });

  const run = await agent.read(['/data/grave'], 'Keep it.');
  await (await card(page, '/data/grave')).getByRole('button', { name: 'Always' }).click();
  await page.getByText('needs a passkey').waitFor();
  await page.goto(`${url}/passkeys`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('added').waitFor();
  await page.goto(url);
  await (await card(page, '/data/grave')).getByRole('button', { name: 'Always' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.deepEqual((await agent.outcome(run)).result, ['content of /data/grave']);

  // A decision that is not grave needs none, and nobody at the authenticator means no.
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.goto(url); // Without what the last decision said.
  const next = await agent.read(['/data/more'], 'Again.');
  const one = await card(page, '/data/more');
  await one.getByRole('button', { name: 'Always' }).click();
  await page.getByRole('alert').waitFor();
  await one.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.deepEqual((await agent.outcome(next)).result, ['content of /data/more']);
  assert.deepEqual(faults, []);
  await close(context);
}

/** Deciding without JavaScript. */
async function withoutScripts(browser, near, far) {
  const { page, context, faults } = await person(browser, near, { javaScriptEnabled: false });
  const run = await far.read(['/data/f'], 'No script.');
  const one = page.locator('article.card', { hasText: '/data/f' });
  await until('the request', async () => { await page.reload(); return await one.count() === 1; });
  await one.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Allowed. The run goes on.').waitFor();
  assert.deepEqual((await far.outcome(run)).result, ['content of /data/f']);
  assert.deepEqual(faults, []);
  await close(context);
}

/** Draws the picture of the README: two requests in the inbox. */
async function picture(browser, url, token) {
  const { page, context } = await person(browser, url, { viewport: { width: 1180, height: 760 }, reducedMotion: 'reduce' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'claude-code/2.1', prefer: 'respond-async' };
  const start = async (body) => {
    const answer = await fetch(`${url}/v1/exec`, { method: 'POST', headers, body: JSON.stringify({ kind: 'js', name: 'report.js', ...body }) });
    return (await answer.json()).run;
  };
  const runs = [
    await start({
      why: 'Post the weekly totals to the team channel.',
      code: `return (await fetch('https://hooks.example.com/T042/weekly', { method: 'POST', body: '{"total":1204}', headers: { 'content-type': 'application/json' } })).status`,
    }),
  ];
  await card(page, 'hooks.example.com');
  runs.push(await start({
    why: 'Add up the prices for the monthly report.',
    code: `return await require('fs').promises.readFile('/data/prices.csv', 'utf8')`,
    files: { '/data/prices.csv': 'a,1' },
  }));
  await card(page, '/data/prices.csv');
  await page.getByText('live', { exact: true }).waitFor();
  await shot(page, 'console');
  for (const run of runs) await fetch(`${url}/v1/runs/${run}`, { method: 'DELETE', headers });
  await close(context);
}

/** Longest time of everything, in milliseconds, so that a browser that hangs is named and not waited for. */
const LONGEST = 5 * 60_000;

async function main() {
  setTimeout(() => { console.error(`the browsers did not end within ${LONGEST / 60_000} minutes`); process.exit(1); }, LONGEST).unref();
  const near = await serve();
  const other = await serve();
  const token = execFileSync(program, ['token', 'create', '--name', 'claude'], { env, encoding: 'utf8' }).trim().split(/\s+/).at(-1);
  const far = new Agent(other, token);
  const here = new Agent(near, token);
  const browsers = [
    ['chromium', () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })],
    ['firefox', () => firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' })],
  ];
  for (const [name, launch] of browsers) {
    const browser = await launch();
    if (shots && name === 'chromium') await picture(browser, near, token);
    const began = Date.now();
    await decides(browser, near, far, name);
    await watches(browser, near, here, name);
    await fits(browser, near, far, name, name === 'chromium' ? { colorScheme: 'dark' } : {});
    if (name === 'chromium') await withoutScripts(browser, near, far);
    await close(browser);
    console.log(`console in ${name}: good, ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
  // Last, because it leaves a grant.
  const browser = await browsers[0][1]();
  await signs(browser, token);
  await close(browser);
  console.log('passkey in chromium: good');
}

main().then(() => 0, (error) => { console.error(error); return 1; }).then((status) => {
  for (const child of children) { child.removeAllListeners('exit'); child.kill('SIGKILL'); }
  fs.rmSync(home, { recursive: true, force: true });
  process.exit(status);
});
