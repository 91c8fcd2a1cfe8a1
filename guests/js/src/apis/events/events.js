// Event and EventTarget. What an event passes on its way is for `internal.eventPath` to say, which
// the document sets; without one an event is at its target or nowhere.
(function (native, internal) {
  'use strict';

  const { customInspect } = internal;
  const { monotonicNow } = native;
  // Set by friend functions of the classes, which alone can reach the private fields.
  let begin, visit, end, setTarget, isStopped, isHalted, setPassive, isDispatching, initialise;
  let isTrusted, distrust, isInitialised;
  const { defineProperty } = Object;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #canceled = false;
    #stopped = false;
    #halted = false;
    #path = [];
    #target = null;
    #current = null;
    #phase = 0;
    #timeStamp;
    #dispatching = false;
    #passive = false;
    #trusted = false;
    #initialised = true;

    static {
      // An event that the surface itself fires.
      internal.trustedEvent = (type) => {
        const event = new Event(type);
        return internal.trusted(event);
      };
      internal.trusted = (event) => {
        event.#trusted = true;
        return event;
      };
      const { get } = Object.getOwnPropertyDescriptor(
        {
          get isTrusted() {
            return this.#trusted;
          },
        },
        'isTrusted',
      );
      isTrusted = { __proto__: null, get, set: undefined, enumerable: true, configurable: false };
      distrust = (event) => {
        event.#trusted = false;
      };
      begin = (event, target, path) => {
        event.#dispatching = true;
        event.#target = event.#current = target;
        event.#path = path;
        event.#phase = 2;
      };
      visit = (event, current, phase) => {
        event.#current = current;
        event.#phase = phase;
      };
      end = (event) => {
        event.#dispatching = event.#stopped = event.#halted = false;
        event.#current = null;
        event.#path = [];
        event.#phase = 0;
      };
      setTarget = (event, target) => {
        event.#target = target;
      };
      isStopped = (event) => event.#stopped;
      isHalted = (event) => event.#halted;
      initialise = (event, type, bubbles, cancelable) => {
        if (event.#dispatching) return false;
        event.#initialised = true;
        event.#stopped = event.#halted = event.#trusted = false;
        event.#target = null;
        event.#type = `${type}`;
        event.#bubbles = Boolean(bubbles);
        event.#cancelable = Boolean(cancelable);
        event.#canceled = false;
        return true;
      };
      internal.initialiseEvent = (event, type, bubbles, cancelable) =>
        initialise(event, type, bubbles, cancelable);
      internal.uninitialised = (event) => {
        event.#initialised = false;
        return event;
      };
      isInitialised = (event) => event.#initialised;
      isDispatching = (event) => event.#dispatching;
      setPassive = (event, passive) => {
        event.#passive = passive;
      };
    }

    constructor(type, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'Event'");
      if (
        options !== undefined &&
        options !== null &&
        typeof options !== 'object' &&
        typeof options !== 'function'
      ) {
        throw internal.wrongType('options', 'of type object', options);
      }
      this.#type = `${type}`;
      this.#bubbles = Boolean(options?.bubbles);
      this.#cancelable = Boolean(options?.cancelable);
      this.#composed = Boolean(options?.composed);
      this.#timeStamp = monotonicNow();
      defineProperty(this, 'isTrusted', isTrusted);
    }

    get type() {
      return this.#type;
    }
    get target() {
      return this.#target;
    }
    get srcElement() {
      return this.#target;
    }
    get currentTarget() {
      return this.#current;
    }
    get eventPhase() {
      return this.#phase;
    }
    get bubbles() {
      return this.#bubbles;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get composed() {
      return this.#composed;
    }
    get defaultPrevented() {
      return this.#canceled;
    }
    get returnValue() {
      return !this.#canceled;
    }
    set returnValue(value) {
      if (!value) this.preventDefault();
    }
    get timeStamp() {
      return this.#timeStamp;
    }
    get cancelBubble() {
      return this.#halted;
    }
    set cancelBubble(value) {
      if (value) this.#halted = true;
    }

    initEvent(type, bubbles = false, cancelable = false) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'initEvent' on 'Event'");
      initialise(this, type, bubbles, cancelable);
    }

    composedPath() {
      const path = this.#path;
      // Closed shadow trees hide a part of it.
      if (path.stops === undefined || this.#current === null) return path.map(faceOf);
      const current = this.#current === globalThis ? internal.windowTarget : this.#current;
      return internal.visiblePath(path, current).map(faceOf);
    }

    preventDefault() {
      if (this.#cancelable && !this.#passive) this.#canceled = true;
    }

    stopPropagation() {
      this.#halted = true;
    }

    stopImmediatePropagation() {
      this.#halted = this.#stopped = true;
    }

    [customInspect](depth, options, inspect) {
      const name = this.constructor.name;
      if (depth < 0) return name;
      const { type, defaultPrevented, cancelable, timeStamp } = this;
      return `${name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
    }
  }
  internal.constants(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });

  class CustomEvent extends Event {
    #detail;

    static {
      internal.setDetail = (event, detail) => {
        event.#detail = detail;
      };
    }

    constructor(type, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'CustomEvent'");
      super(type, options);
      this.#detail = options?.detail ?? null;
    }

    get detail() {
      return this.#detail;
    }
  }

  class ErrorEvent extends Event {
    #message;
    #error;
    #filename;
    #line;
    #column;

    constructor(type, options = undefined) {
      super(type, options);
      this.#filename = `${options?.filename ?? ''}`;
      this.#line = options?.lineno >>> 0;
      this.#column = options?.colno >>> 0;
      this.#message = `${options?.message ?? ''}`;
      this.#error = options?.error;
    }

    get message() {
      return this.#message;
    }
    get error() {
      return this.#error;
    }
    get filename() {
      return this.#filename;
    }
    get lineno() {
      return this.#line;
    }
    get colno() {
      return this.#column;
    }
  }

  class MessageEvent extends Event {
    #data;
    #origin;
    #lastEventId;
    #source;
    #ports;

    constructor(type, options = undefined) {
      super(type, options);
      this.#data = options?.data ?? null;
      this.#source = options?.source ?? null;
      this.#ports = Object.freeze([...(options?.ports ?? [])]);
      this.#origin = `${options?.origin ?? ''}`;
      this.#lastEventId = `${options?.lastEventId ?? ''}`;
    }

    get data() {
      return this.#data;
    }
    get origin() {
      return this.#origin;
    }
    get lastEventId() {
      return this.#lastEventId;
    }
    get source() {
      return this.#source;
    }
    get ports() {
      return this.#ports;
    }
  }

  // The window is the global object, and its listeners are those of another one.
  const faceOf = (target) => (target === internal.windowTarget ? globalThis : target);
  const isCallback = (value) =>
    typeof value === 'function' || (typeof value === 'object' && value !== null);
  const captureOf = (options) =>
    Boolean(options !== null && typeof options === 'object' ? options.capture : options);

  class EventTarget {
    // type → listeners in the order they were added; made for the first one
    #listeners;

    static {
      // Dispatches an event made by a prelude, which stays trusted.
      internal.fire = (target, event) => target.#dispatch(event);
      internal.isHeard = (target, type) => target.#listeners?.has(type) ?? false;
    }

    addEventListener(type, callback, options = undefined) {
      internal.requireArguments(
        arguments.length,
        2,
        "Failed to execute 'addEventListener' on 'EventTarget'",
      );
      const details = options !== null && typeof options === 'object' ? options : {};
      const { signal } = details;
      type = `${type}`;
      const entry = {
        callback,
        capture: captureOf(options),
        once: Boolean(details.once),
        passive: Boolean(details.passive ?? internal.isPassive?.(this, type)),
        removed: false,
      };
      if (signal !== undefined && !(signal instanceof AbortSignal)) {
        throw internal.wrongType('options.signal', 'an instance of AbortSignal', signal);
      }
      if (signal?.aborted) return;
      if (callback === null || callback === undefined) return;
      if (!isCallback(callback)) {
        throw internal.wrongType('listener', 'an instance of EventListener', callback);
      }
      this.#listeners ??= new Map();
      let list = this.#listeners.get(type);
      if (list === undefined) this.#listeners.set(type, (list = []));
      if (list.some((other) => other.callback === callback && other.capture === entry.capture))
        return;
      list.push(entry);
      signal?.addEventListener('abort', () => this.#remove(type, entry), { once: true });
    }

    removeEventListener(type, callback, options = undefined) {
      internal.requireArguments(
        arguments.length,
        2,
        "Failed to execute 'removeEventListener' on 'EventTarget'",
      );
      type = `${type}`;
      const capture = captureOf(options);
      const entry = this.#listeners
        ?.get(type)
        ?.find((other) => other.callback === callback && other.capture === capture);
      if (entry !== undefined) this.#remove(type, entry);
    }

    #remove(type, entry) {
      entry.removed = true;
      const list = this.#listeners?.get(type)?.filter((other) => other !== entry) ?? [];
      if (this.#listeners === undefined) return;
      if (list.length === 0) this.#listeners.delete(type);
      else this.#listeners.set(type, list);
    }

    dispatchEvent(event) {
      this.#listeners;
      if (!(event instanceof Event)) {
        throw internal.wrongType('event', 'an instance of Event', event);
      }
      if (isDispatching(event) || !isInitialised(event)) {
        throw new internal.DOMException(
          isDispatching(event) ? 'The event is already being dispatched' : 'The event has no type yet',
          'InvalidStateError',
        );
      }
      distrust(event);
      return this.#dispatch(event);
    }

    #dispatch(event) {
      const path = internal.eventPath === undefined ? [this] : internal.eventPath(this, event);
      begin(event, faceOf(this), path);
      // The element that a click activates, which the document knows.
      const finish = internal.activate === undefined ? undefined : internal.activate(event, path);
      if (path.stops !== undefined) {
        EventTarget.#passShadows(event, path);
        if (finish !== undefined) finish(event);
        return !event.defaultPrevented;
      }
      for (let at = path.length - 1; at > 0 && !isHalted(event); at--) {
        path[at].#hear(event, 1, true);
      }
      // In a document, those that capture come first at the target as well.
      const isTree = internal.eventPath !== undefined;
      if (isTree && !isHalted(event)) this.#hear(event, 2, true);
      if (!isHalted(event)) this.#hear(event, 2, isTree ? false : undefined);
      for (let at = 1; at < path.length && event.bubbles && !isHalted(event); at++) {
        path[at].#hear(event, 3, false);
      }
      end(event);
      if (finish !== undefined) finish(event);
      return !event.defaultPrevented;
    }

    // The way through shadow trees: hosts are targets too, and the target differs from tree to tree.
    static #passShadows(event, path) {
      const entries = path.stops;
      const seen = [];
      for (let at = 0; at < entries.length; at++) seen.push(entries[at].target ?? seen[at - 1]);
      const turnTo = (at) => {
        setTarget(event, faceOf(seen[at]));
        internal.setRelated(event, entries[at].related);
      };
      for (let at = path.length - 1; at >= 0 && !isHalted(event); at--) {
        turnTo(at);
        path[at].#hear(event, entries[at].target === null ? 1 : 2, true);
      }
      for (let at = 0; at < path.length && !isHalted(event); at++) {
        if (entries[at].target === null && !event.bubbles) continue;
        turnTo(at);
        path[at].#hear(event, entries[at].target === null ? 3 : 2, false);
      }
      if (path.isCleared) {
        setTarget(event, null);
        internal.setRelated(event, null);
      }
      end(event);
    }

    // `capture` undefined: all of them, in the order they were added.
    #hear(event, phase, capture) {
      const list = this.#listeners?.get(event.type);
      if (list === undefined) return;
      visit(event, faceOf(this), phase);
      for (const entry of list.slice()) {
        if (isStopped(event)) break;
        if (entry.removed || (capture !== undefined && entry.capture !== capture)) continue;
        this.#call(entry, event);
      }
    }

    #call(entry, event) {
      if (entry.once) this.#remove(event.type, entry);
      setPassive(event, entry.passive);
      const { callback } = entry;
      const outer = internal.currentEvent;
      internal.currentEvent = internal.isInShadow?.(this) ? undefined : event;
      try {
        if (typeof callback === 'function') Reflect.apply(callback, faceOf(this), [event]);
        else callback.handleEvent(event);
      } catch (error) {
        // One listener that throws does not keep the others from hearing the event.
        internal.report(error);
      }
      internal.currentEvent = outer;
      setPassive(event, false);
    }
  }

  // An `on…` attribute: one listener that keeps its place when it is replaced.
  internal.defineHandler = (Class, type) => {
    const handlers = new WeakMap();
    const name = `on${type}`;
    const accessors = {
      get [name]() {
        return handlers.get(this)?.value ?? null;
      },
      set [name](value) {
        const next = isCallback(value) ? value : null;
        const known = handlers.get(this);
        if (known !== undefined) {
          known.value = next;
          return;
        }
        const handler = { value: next };
        handlers.set(this, handler);
        this.addEventListener(type, function (event) {
          if (typeof handler.value !== 'function') return;
          if (Reflect.apply(handler.value, this, [event]) === false) event.preventDefault();
        });
      },
    };
    Object.defineProperty(Class.prototype, name, {
      ...Object.getOwnPropertyDescriptor(accessors, name),
      enumerable: true,
    });
  };

  for (const Class of [Event, CustomEvent, ErrorEvent, MessageEvent, EventTarget]) {
    internal.exposeClass(Class);
  }
  internal.Event = Event;
  internal.EventTarget = EventTarget;
});
