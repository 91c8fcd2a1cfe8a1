// Members that programs expect of a window on a screen: boxes without a size, dialogs that nobody
// answers, media that do not play, and a history of one page.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { exposeFunction, exposeObject, htmlClass: N, idOf, mix } = internal;

  class DOMRectReadOnly {
    #box;
    constructor(x = 0, y = 0, width = 0, height = 0) {
      this.#box = { x: +x, y: +y, width: +width, height: +height };
    }
    static {
      internal.boxOf = (rect) => rect.#box;
    }
    static fromRect(other = {}) {
      return new this(other.x, other.y, other.width, other.height);
    }
    get x() {
      return this.#box.x;
    }
    get y() {
      return this.#box.y;
    }
    get width() {
      return this.#box.width;
    }
    get height() {
      return this.#box.height;
    }
    get top() {
      return Math.min(this.#box.y, this.#box.y + this.#box.height);
    }
    get right() {
      return Math.max(this.#box.x, this.#box.x + this.#box.width);
    }
    get bottom() {
      return Math.max(this.#box.y, this.#box.y + this.#box.height);
    }
    get left() {
      return Math.min(this.#box.x, this.#box.x + this.#box.width);
    }
    toJSON() {
      const { x, y, width, height, top, right, bottom, left } = this;
      return { x, y, width, height, top, right, bottom, left };
    }
  }
  class DOMRect extends DOMRectReadOnly {}
  for (const key of ['x', 'y', 'width', 'height']) {
    internal.defineAccessor(DOMRect, key, (rect) => internal.boxOf(rect)[key], (rect, value) => {
      internal.boxOf(rect)[key] = +value;
    });
  }
  internal.exposeClass(DOMRectReadOnly);
  internal.exposeClass(DOMRect);
  mix(Element, {
    getBoundingClientRect() {
      idOf(this);
      return new DOMRect();
    },
    get clientTop() {
      return 0;
    },
    get clientLeft() {
      return 0;
    },
    scroll() {},
    scrollTo() {},
    scrollBy() {},
  });
  mix(Range, {
    getBoundingClientRect() {
      return new DOMRect();
    },
    getClientRects() {
      return [];
    },
  });

  // Nobody answers: a dialog is closed at once.
  for (const name of ['alert', 'blur', 'close', 'focus', 'moveBy', 'moveTo', 'print', 'resizeBy', 'resizeTo', 'scroll', 'scrollBy', 'stop']) {
    exposeFunction(name, () => {});
  }
  exposeFunction('confirm', () => false);
  exposeFunction('prompt', () => null);
  exposeFunction('open', () => null);
  for (const [name, value] of Object.entries({ length: 0, origin: 'null', opener: null, frameElement: null, closed: false, name: '', status: '', outerWidth: 1024, outerHeight: 768, screenX: 0, screenY: 0, screenLeft: 0, screenTop: 0 })) {
    exposeObject(name, value);
  }

  let state = null;
  const setState = (value) => {
    state = structuredClone(value);
  };
  exposeObject('history', {
    get length() {
      return 1;
    },
    get state() {
      return state;
    },
    scrollRestoration: 'auto',
    pushState: setState,
    replaceState: setState,
    back() {},
    forward() {},
    go() {},
  });

  // media element → what a program has set
  const settings = new WeakMap();
  const settingsOf = (media) => {
    let own = settings.get(media);
    if (own === undefined) settings.set(media, (own = { volume: 1, playbackRate: 1, defaultPlaybackRate: 1, currentTime: 0 }));
    return own;
  };
  const Media = N('Media');
  for (const key of ['volume', 'playbackRate', 'defaultPlaybackRate', 'currentTime']) {
    internal.defineAccessor(Media, key, (media) => settingsOf(media)[key], (media, value) => {
      value = +value;
      if (!Number.isFinite(value)) throw internal.wrongType(key, 'a finite number', value);
      if (key === 'volume' && (value < 0 || value > 1)) throw new internal.DOMException('The volume is not from 0 to 1', 'IndexSizeError');
      settingsOf(media)[key] = value;
    });
  }
  internal.defineAccessor(Media, 'muted', (media) => settingsOf(media).muted ?? media.defaultMuted, (media, value) => {
    settingsOf(media).muted = Boolean(value);
  });
  for (const [key, value] of Object.entries({ paused: true, ended: false, seeking: false, duration: NaN, readyState: 0, networkState: 0, error: null, currentSrc: '' })) {
    internal.defineAccessor(Media, key, () => value);
  }
  mix(Media, {
    async play() {},
    pause() {},
    load() {},
    canPlayType() {
      return '';
    },
  });
  internal.constants(Media, { NETWORK_EMPTY: 0, NETWORK_IDLE: 1, NETWORK_LOADING: 2, NETWORK_NO_SOURCE: 3, HAVE_NOTHING: 0, HAVE_METADATA: 1, HAVE_CURRENT_DATA: 2, HAVE_FUTURE_DATA: 3, HAVE_ENOUGH_DATA: 4 });
  mix(N('Map'), {
    get areas() {
      return internal.keptList(this, 'areas', () => internal.liveByNames(() => dom.queryAll(idOf(this), 'area')));
    },
  });
});
