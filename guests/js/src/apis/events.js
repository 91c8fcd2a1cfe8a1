// Event and EventTarget. There is no tree here: an event is at its target or nowhere.
(function (native, internal) {
  'use strict';

  const { customInspect } = internal;
  const { monotonicNow, reportError } = native;
  // Set by friend functions of the classes, which alone can reach the private fields.
  let begin, end, isStopped, setPassive, isDispatching;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #canceled = false;
    #stopped = false;
    #target = null;
    #current = null;
    #phase = 0;
    #timeStamp;
    #dispatching = false;
    #passive = false;

    static {
      begin = (event, target) => {
        event.#dispatching = true;
        event.#target = event.#current = target;
        event.#phase = 2;
      };
      end = (event) => {
        event.#dispatching = event.#stopped = false;
        event.#current = null;
        event.#phase = 0;
      };
      isStopped = (event) => event.#stopped;
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
    get timeStamp() {
      return this.#timeStamp;
    }
    get isTrusted() {
      return false;
    }
    get cancelBubble() {
      return this.#stopped;
    }
    set cancelBubble(value) {
      if (value) this.#stopped = true;
    }

    composedPath() {
      return this.#dispatching ? [this.#current] : [];
    }

    preventDefault() {
      if (this.#cancelable && !this.#passive) this.#canceled = true;
    }

    stopPropagation() {
      this.#type;
    }

    stopImmediatePropagation() {
      this.#stopped = true;
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

    constructor(type, options = undefined) {
      super(type, options);
      this.#message = `${options?.message ?? ''}`;
      this.#error = options?.error;
    }

    get message() {
      return this.#message;
    }
    get error() {
      return this.#error;
    }
  }

  class MessageEvent extends Event {
    #data;
    #origin;
    #lastEventId;

    constructor(type, options = undefined) {
      super(type, options);
      this.#data = options?.data ?? null;
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
  }

  const isCallback = (value) =>
    typeof value === 'function' || (typeof value === 'object' && value !== null);
  const captureOf = (options) =>
    Boolean(options !== null && typeof options === 'object' ? options.capture : options);

  class EventTarget {
    // type → listeners in the order they were added
    #listeners = new Map();

    addEventListener(type, callback, options = undefined) {
      internal.requireArguments(
        arguments.length,
        2,
        "Failed to execute 'addEventListener' on 'EventTarget'",
      );
      const details = options !== null && typeof options === 'object' ? options : {};
      const { signal } = details;
      const entry = {
        callback,
        capture: captureOf(options),
        once: Boolean(details.once),
        passive: Boolean(details.passive),
        removed: false,
      };
      type = `${type}`;
      if (signal !== undefined && !(signal instanceof AbortSignal)) {
        throw internal.wrongType('options.signal', 'an instance of AbortSignal', signal);
      }
      if (signal?.aborted) return;
      if (callback === null || callback === undefined) return;
      if (!isCallback(callback)) {
        throw internal.wrongType('listener', 'an instance of EventListener', callback);
      }
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
        .get(type)
        ?.find((other) => other.callback === callback && other.capture === capture);
      if (entry !== undefined) this.#remove(type, entry);
    }

    #remove(type, entry) {
      entry.removed = true;
      const list = this.#listeners.get(type)?.filter((other) => other !== entry) ?? [];
      if (list.length === 0) this.#listeners.delete(type);
      else this.#listeners.set(type, list);
    }

    dispatchEvent(event) {
      this.#listeners;
      if (!(event instanceof Event)) {
        throw internal.wrongType('event', 'an instance of Event', event);
      }
      if (isDispatching(event)) {
        throw new internal.DOMException(
          'The event is already being dispatched',
          'InvalidStateError',
        );
      }
      begin(event, this);
      const list = this.#listeners.get(event.type);
      if (list !== undefined) {
        for (const entry of list.slice()) {
          if (isStopped(event)) break;
          if (!entry.removed) this.#call(entry, event);
        }
      }
      end(event);
      return !event.defaultPrevented;
    }

    #call(entry, event) {
      if (entry.once) this.#remove(event.type, entry);
      setPassive(event, entry.passive);
      const { callback } = entry;
      try {
        if (typeof callback === 'function') Reflect.apply(callback, this, [event]);
        else callback.handleEvent(event);
      } catch (error) {
        // One listener that throws does not keep the others from hearing the event.
        reportError(error);
      }
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
          if (typeof handler.value === 'function') Reflect.apply(handler.value, this, [event]);
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
