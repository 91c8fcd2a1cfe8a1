// Keeps the pages of the console up to date. Everything works without this script; it adds live
// updates, times that advance, keyboard shortcuts and desktop notifications.
//
// Pages are fetched again from the server, which has escaped them. No text from an event becomes
// markup: what this script writes itself is set as text.
'use strict';

const page = document.body.dataset.page;
const main = document.getElementById('main');
const opened = Date.now();

// Times

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  const days = Math.floor(seconds / 86400);
  return days === 1 ? '1 day' : `${days} days`;
}

function advance() {
  for (const time of document.querySelectorAll('time[data-ago]')) {
    const passed = Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000));
    const text = duration(passed);
    if (time.textContent !== text) time.textContent = text;
  }
}

// Live updates: on an event the page is fetched again and merged by its items, so that a choice
// that was made, a reason that was typed and the focus stay.

let pending = false;
let again = false;

async function refresh() {
  if (pending) { again = true; return; }
  pending = true;
  try {
    const answer = await fetch(location.href, { redirect: 'manual', headers: { accept: 'text/html' } });
    if (answer.type === 'opaqueredirect') { location.reload(); return; }
    if (answer.ok) merge(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  } catch {
    // The next event, or the next connection, tries again.
  } finally {
    setTimeout(() => {
      pending = false;
      if (again) { again = false; refresh(); }
    }, 250);
  }
}

function merge(fresh) {
  const list = document.getElementById('list');
  const next = fresh.getElementById('list');
  if (!list || !next) return;
  const old = new Map([...list.children].map((item) => [item.dataset.item, item]));
  let place = list.firstElementChild;
  for (const item of [...next.children]) {
    const known = old.get(item.dataset.item);
    old.delete(item.dataset.item);
    if (known && (known.matches('article') || plain(known) === plain(item))) {
      if (known === place) place = place.nextElementSibling;
      else list.insertBefore(known, place);
      continue;
    }
    const added = document.importNode(item, true);
    if (known) {
      if (known === place) place = place.nextElementSibling;
      const end = scrolledToEnd(known);
      known.replaceWith(added);
      if (end) scrollToEnd(added);
    } else {
      added.classList.add('new');
      list.insertBefore(added, place);
    }
  }
  for (const item of old.values()) item.remove();
  const focused = document.activeElement;
  if (focused === document.body) main.focus({ preventScroll: true });
  advance();
}

function plain(item) {
  const copy = item.cloneNode(true);
  copy.classList.remove('new');
  for (const time of copy.querySelectorAll('time[data-ago]')) time.textContent = '';
  return copy.outerHTML;
}

function scrolledToEnd(item) {
  const box = item.querySelector('pre.source');
  return !box || box.scrollHeight - box.scrollTop - box.clientHeight < 8;
}

function scrollToEnd(item) {
  const box = item.querySelector('pre.source');
  if (box) box.scrollTop = box.scrollHeight;
}

// Questions that wait, on every page: the number in the navigation and the title.

const waiting = new Set();
const counter = document.getElementById('waiting');
const title = document.title.replace(/^\(\d+\) /, '');

function count() {
  if (!counter) return;
  counter.hidden = waiting.size === 0;
  counter.firstChild.data = String(waiting.size);
  document.title = waiting.size === 0 ? title : `(${waiting.size}) ${title}`;
}

function say(text) {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}

function notify(question) {
  const who = question.agentName || question.tool;
  const what = question.wishes.length === 1 ? question.wishes[0].words : `${question.wishes.length} things`;
  say(`${who} asks: ${what}`);
  if (!('Notification' in window) || Notification.permission !== 'granted' || !document.hidden) return;
  const shown = new Notification(`${who} asks`, { body: what, tag: question.question, icon: '/assets/icon.svg' });
  shown.addEventListener('click', () => {
    window.focus();
    location.assign(`/requests/${encodeURIComponent(question.question)}`);
  });
}

function live(isOn) {
  const sign = document.getElementById('live');
  if (!sign) return;
  sign.hidden = false;
  sign.classList.toggle('off', !isOn);
  sign.textContent = isOn ? 'live' : 'not connected';
}

// Streams that are open. Browsers allow six connections to one server, so a hidden tab closes its
// streams; of the hidden tabs, one stays connected to notify.

let streams = [];
let isNotifier = false;

function connect() {
  const isWanted = !document.hidden || isNotifier;
  if (isWanted && streams.length === 0) {
    streams = [follow(), followMore()].filter(Boolean);
  } else if (!isWanted) {
    disconnect();
  }
}

function disconnect() {
  for (const stream of streams) stream.close();
  streams = [];
}

function becomeNotifier() {
  if (!('Notification' in window) || Notification.permission !== 'granted' || !navigator.locks) return;
  navigator.locks.request('cofferdam-notifier', () => {
    isNotifier = true;
    connect();
    // The lock is held until the tab is closed.
    return new Promise(() => {});
  });
}

function follow() {
  const events = new EventSource('/v1/events');
  const wanted = (main.dataset.follow === '/v1/events' ? main.dataset.events : '').split(' ');
  const changed = (name) => { if (wanted.includes(name)) refresh(); };
  events.addEventListener('open', () => {
    // The stream begins with every question that waits.
    waiting.clear();
    live(true);
    setTimeout(() => { count(); if (main.dataset.follow && !main.dataset.question) refresh(); }, 300);
  });
  events.addEventListener('error', () => {
    live(false);
    if (events.readyState === EventSource.CLOSED) setTimeout(signedOut, 1000);
  });
  events.addEventListener('asked', (event) => {
    const question = JSON.parse(event.data);
    const isNew = !waiting.has(question.question) && question.asked / 1000 > opened;
    waiting.add(question.question);
    count();
    if (isNew) notify(question);
    if (isNew || !document.querySelector(`[data-item~="${CSS.escape(question.question)}"]`)) changed('asked');
  });
  events.addEventListener('closed', (event) => {
    const { question } = JSON.parse(event.data);
    waiting.delete(question);
    count();
    if (main.dataset.question === question) {
      document.getElementById('gone').hidden = false;
      for (const control of main.querySelectorAll('form button, form input')) control.disabled = true;
      return;
    }
    if (!main.dataset.question) changed('closed');
  });
  events.addEventListener('run', () => changed('run'));
  events.addEventListener('again', () => { location.reload(); });
  return events;
}

async function signedOut() {
  try {
    const answer = await fetch('/v1/me');
    if (answer.status === 401) { location.reload(); return; }
  } catch {
    // The server is away.
  }
  disconnect();
  setTimeout(connect, 2000);
}

function followMore() {
  const address = main.dataset.follow;
  if (!address || address === '/v1/events') return null;
  const events = new EventSource(address);
  for (const name of main.dataset.events.split(' ')) {
    events.addEventListener(name, () => {
      if (name === 'result') events.close();
      refresh();
    });
  }
  // A stream that ended has said everything; the browser would ask for it again.
  events.addEventListener('error', () => { if (page === 'run') events.close(); });
  return events;
}

// Keys move the focus; Enter then does what the focused control says. No single key decides.

function cards() {
  return [...document.querySelectorAll('article.card')];
}

function current() {
  const all = cards();
  return document.activeElement.closest('article.card') || all[0];
}

function move(step) {
  const all = cards();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement.closest('article.card'));
  const next = at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step));
  all[next].focus();
  all[next].scrollIntoView({ block: 'nearest' });
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.matches('input:not([type="radio"]), select, textarea');
  if (event.key === 'Escape' && inField) { event.target.blur(); return; }
  if (inField || document.querySelector('dialog[open]')) return;
  const focus = (selector) => {
    const control = current()?.querySelector(selector);
    if (!control) return;
    control.focus();
    control.scrollIntoView({ block: 'nearest' });
  };
  switch (event.key) {
    case 'j': move(1); break;
    case 'k': move(-1); break;
    case 'a': case 's': case 'd': focus(`[data-key="${event.key}"]`); break;
    case 'w': {
      const wider = current()?.querySelector('details.wider');
      if (wider) { wider.open = true; wider.querySelector('input').focus(); }
      break;
    }
    case 'o': current()?.querySelector('[data-key="o"]')?.click(); break;
    case 'i': location.assign('/'); break;
    case '?': document.getElementById('keys')?.showModal(); break;
    default: return;
  }
  event.preventDefault();
}

// A form is sent once. A second press of the button would answer something that is gone.

function sendOnce(event) {
  const form = event.target;
  if (form.method !== 'post' || event.submitter?.formMethod === 'dialog') return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = 'yes';
}

function offerNotifications() {
  const button = document.getElementById('notify');
  if (!button || !('Notification' in window) || !window.isSecureContext) return;
  button.hidden = Notification.permission !== 'default';
  button.addEventListener('click', async () => {
    await Notification.requestPermission();
    button.hidden = Notification.permission !== 'default';
    becomeNotifier();
  });
}

async function goOn() {
  // A link of another site hides the cookie; from here it is sent.
  const answer = await fetch('/v1/me').catch(() => null);
  if (answer?.ok) location.replace(document.querySelector('input[name="to"]').value);
}

document.addEventListener('keydown', keys);
document.addEventListener('submit', sendOnce);
window.addEventListener('pageshow', (event) => {
  // A page from the browser's cache may show what is decided already.
  if (event.persisted) location.reload();
});
setInterval(advance, 1000);
if (page === 'login') {
  if (!document.querySelector('.error') && !document.getElementById('code').value) goOn();
} else if (page !== 'refused') {
  const help = document.getElementById('help');
  if (help) {
    help.hidden = false;
    help.addEventListener('click', () => document.getElementById('keys').showModal());
  }
  // The result of a form is shown once.
  if (location.search.startsWith('?said=')) history.replaceState(null, '', location.pathname);
  offerNotifications();
  becomeNotifier();
  document.addEventListener('visibilitychange', connect);
  connect();
}
