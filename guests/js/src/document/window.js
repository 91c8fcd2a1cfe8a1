// The window is the global object; its document is the main one.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { exposeFunction, exposeObject, hidden, wrap } = internal;

  const document = wrap(dom.main);
  const html = document.implementation.createHTMLDocument('');
  for (const node of [...html.childNodes]) document.appendChild(document.adoptNode(node));
  document.querySelector('title').remove();

  exposeObject('document', document);
  for (const name of ['window', 'parent', 'top', 'frames']) hidden(globalThis, name, globalThis);
  class Window {
    constructor() {
      throw internal.illegal();
    }
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  }
  hidden(globalThis, 'Window', Window);
  hidden(globalThis, 'constructor', Window);

  // Elements are variables by their ids; forms, images and objects also by their names. The names
  // are kept for one version of the tree.
  const NAMED = 'embed[name], form[name], iframe[name], img[name], object[name]';
  let names = new Map();
  let namesVersion = -1;
  const inherited = Object.getPrototypeOf(globalThis);
  dom.nameElements((name) => {
    if (name in inherited) return undefined;
    const id = dom.byId(dom.main, name);
    if (id !== 0) return wrap(id);
    const version = dom.version();
    if (version !== namesVersion) {
      names = new Map();
      for (const named of dom.queryAll(dom.main, NAMED)) {
        const key = dom.attribute(named, 'name');
        if (key !== '' && !names.has(key)) names.set(key, named);
      }
      namesVersion = version;
    }
    const named = names.get(name);
    return named === undefined ? undefined : wrap(named);
  });

  // Listeners of the window hear events that bubble out of its document. The global object cannot
  // hold them, so another one does; listeners see the global object.
  class WindowEvents extends EventTarget {}
  const target = new WindowEvents();
  internal.windowTarget = target;
  const OWN_TYPES = 'beforeunload hashchange message messageerror offline online pagehide pageshow popstate storage unload';
  for (const type of [...internal.handlerTypes, ...OWN_TYPES.split(' ')]) {
    const name = `on${type}`;
    if (type !== 'error') internal.defineHandler(WindowEvents, type);
    Object.defineProperty(globalThis, name, {
      get: () => target[name],
      set(value) {
        target[name] = value;
      },
      enumerable: true,
      configurable: true,
    });
  }
  // This handler alone receives the parts of its event, and cancels it by returning true.
  let onError = null;
  Object.defineProperty(WindowEvents.prototype, 'onerror', {
    get: () => onError,
    set(value) {
      if (onError === null) target.addEventListener('error', hearError);
      onError = typeof value === 'function' ? value : null;
      if (onError === null) target.removeEventListener('error', hearError);
    },
  });
  const hearError = (event) => {
    const { message, filename, lineno, colno, error } = event;
    const parts = event instanceof ErrorEvent ? [message, filename, lineno, colno, error] : [event];
    if (Reflect.apply(onError, globalThis, parts) === true) event.preventDefault();
  };
  // An error of a callback belongs to the listeners of the window; without any it fails the run.
  let isReporting = false;
  internal.report = (error) => {
    if (isReporting || !internal.isHeard(target, 'error')) {
      native.reportError(error);
      return;
    }
    isReporting = true;
    try {
      const message = error instanceof Error ? `Uncaught ${error}` : 'Uncaught exception';
      internal.fire(target, internal.trusted(new ErrorEvent('error', { cancelable: true, message, error })));
    } finally {
      isReporting = false;
    }
  };
  exposeFunction('reportError', (error) => internal.report(error));
  // Listeners of these types do not prevent scrolling unless they say that they may.
  const SCROLLS = new Set(['touchstart', 'touchmove', 'wheel', 'mousewheel']);
  internal.isPassive = (listened, type) =>
    SCROLLS.has(type) &&
    (listened === target ||
      listened === document ||
      listened === document.documentElement ||
      listened === document.body);
  exposeFunction('requestAnimationFrame', function requestAnimationFrame(callback) {
    if (typeof callback !== 'function') throw internal.wrongType('callback', 'of type function', callback);
    // The number of a frame, as in a browser, and not the object that Node's timers are.
    return Number(setTimeout(() => callback(performance.now()), 16));
  });
  exposeFunction('cancelAnimationFrame', (frame) => clearTimeout(Number(frame)));
  exposeFunction('addEventListener', (...all) => target.addEventListener(...all));
  exposeFunction('removeEventListener', (...all) => target.removeEventListener(...all));
  exposeFunction('dispatchEvent', (event) => target.dispatchEvent(event));

  Object.defineProperty(globalThis, 'event', {
    get: () => internal.currentEvent,
    set(value) {
      exposeFunction('event', value);
    },
    enumerable: true,
    configurable: true,
  });

  // Only the fragment can change: nothing navigates.
  let hash = '';
  const addressOf = () => `about:blank${hash}`;
  const setHash = (value) => {
    const url = new URL(addressOf());
    url.hash = `${value}`;
    if (url.hash === hash) return;
    const oldURL = addressOf();
    hash = url.hash;
    const newURL = addressOf();
    internal.setAddress(document, newURL);
    setTimeout(() => internal.fire(target, internal.trusted(new HashChangeEvent('hashchange', { oldURL, newURL }))));
  };
  const follow = (value) => {
    const text = `${value}`;
    if (text.startsWith('#')) setHash(text);
    else if (text.startsWith('about:blank#')) setHash(text.slice(11));
  };
  const location = Object.freeze({
    get href() {
      return addressOf();
    },
    set href(value) {
      follow(value);
    },
    protocol: 'about:',
    host: '',
    hostname: '',
    port: '',
    pathname: 'blank',
    search: '',
    get hash() {
      return hash;
    },
    set hash(value) {
      setHash(value);
    },
    origin: 'null',
    toString() {
      return this.href;
    },
    assign: follow,
    replace: follow,
    reload() {},
  });
  exposeObject('location', location);
  if (globalThis.navigator === undefined) {
    exposeObject(
      'navigator',
      // Programs add to it.
      { userAgent: 'Cofferdam', language: 'en', languages: Object.freeze(['en']), platform: '', onLine: false },
    );
  }

  const matchMedia = (media) => ({
    media: `${media}`,
    matches: false,
    onchange: null,
    addListener() {},
    removeListener() {},
    addEventListener() {},
    removeEventListener() {},
  });
  exposeFunction('matchMedia', matchMedia);
  exposeObject(
    'screen',
    Object.freeze({ width: 1024, height: 768, availWidth: 1024, availHeight: 768, availLeft: 0, availTop: 0, colorDepth: 24, pixelDepth: 24 }),
  );
  exposeFunction('scrollTo', () => {});
  exposeFunction('getSelection', () => internal.selection);
  for (const [name, value] of Object.entries({ innerWidth: 1024, innerHeight: 768, devicePixelRatio: 1, pageXOffset: 0, pageYOffset: 0, scrollX: 0, scrollY: 0 })) {
    exposeObject(name, value);
  }

  const escape = (text) => {
    let out = '';
    const units = `${text}`;
    for (let at = 0; at < units.length; at++) {
      const c = units[at];
      const code = units.charCodeAt(at);
      const leads = at === 0 || (at === 1 && units[0] === '-');
      if (code === 0) out += '\ufffd';
      else if (code < 0x20 || code === 0x7f || (leads && /[0-9]/.test(c))) out += `\\${code.toString(16)} `;
      else if (code >= 0x80 || /[\w]/.test(c) || (c === '-' && units.length > 1)) out += c;
      else out += `\\${c}`;
    }
    return out;
  };
  hidden(globalThis, 'CSS', Object.freeze({ escape, supports: () => false }));
});
