// Events that only documents have, as data: no device is behind them. Also `createEvent`.
(function (native, internal) {
  'use strict';

  const { mix } = internal;
  const BOOLEAN = (value) => Boolean(value);
  const LONG = (value) => value | 0;
  const UNSIGNED = (value) => value >>> 0;
  const SHORT = (value) => (value << 16) >> 16;
  const DOUBLE = (value) => {
    const number = +value;
    if (!Number.isFinite(number)) throw new TypeError('The number is not finite');
    return number;
  };
  const TEXT = (value) => `${value}`;
  const TEXT_OR_NULL = (value) => (value === null ? null : `${value}`);
  const ANY = (value) => value;
  const TARGET = (value) => {
    if (value !== null && !(value instanceof EventTarget) && value !== globalThis) {
      throw internal.wrongType('options.relatedTarget', 'an instance of EventTarget', value);
    }
    return value;
  };
  const VIEW = (value) => {
    if (value !== null && value !== globalThis) {
      throw internal.wrongType('options.view', 'an instance of Window', value);
    }
    return value;
  };

  // event → the values of its fields, in the order of its classes
  const kept = new WeakMap();
  const classes = new Map();
  const tables = new Map();

  // `fields`: name → [conversion, default]; the values come from the options of that name.
  const define = (name, Parent, fields) => {
    const Class = {
      [name]: class extends Parent {
        constructor(type, options = undefined) {
          internal.requireArguments(arguments.length, 1, `Failed to construct '${name}'`);
          super(type, options);
          let values = kept.get(this);
          if (values === undefined) kept.set(this, (values = {}));
          for (const [key, [convert, missing]] of Object.entries(fields)) {
            const given = options?.[key];
            values[key] = given === undefined ? missing : convert(given);
          }
        }
      },
    }[name];
    Object.defineProperty(Class, 'length', { value: 1, configurable: true });
    for (const key of Object.keys(fields)) {
      if (key.startsWith('modifier')) continue;
      const { get } = Object.getOwnPropertyDescriptor(
        {
          get [key]() {
            const values = kept.get(this);
            if (values === undefined || !(key in values)) throw new TypeError('Illegal invocation');
            return values[key];
          },
        },
        key,
      );
      Object.defineProperty(Class.prototype, key, { get, set: undefined, enumerable: true, configurable: true });
    }
    internal.exposeClass(Class);
    classes.set(name.toLowerCase(), Class);
    tables.set(Class, fields);
    return Class;
  };
  internal.relatedOf = (event) => kept.get(event)?.relatedTarget ?? null;
  internal.setRelated = (event, related) => {
    const values = kept.get(event);
    if (values !== undefined && 'relatedTarget' in values) values.relatedTarget = related;
  };
  // Fields that an old `init…Event` sets, unless the event is on its way.
  const initialise = (event, type, bubbles, cancelable, values) => {
    if (!internal.initialiseEvent(event, type, bubbles, cancelable)) return;
    Object.assign(kept.get(event), values);
  };

  const UIEvent = define('UIEvent', Event, { view: [VIEW, null], detail: [LONG, 0], which: [UNSIGNED, 0] });
  mix(UIEvent, {
    initUIEvent(type, bubbles = false, cancelable = false, view = null, detail = 0) {
      initialise(this, type, bubbles, cancelable, { view: VIEW(view), detail: LONG(detail) });
    },
  });

  const modifiers = {};
  for (const key of ['ctrlKey', 'shiftKey', 'altKey', 'metaKey']) modifiers[key] = [BOOLEAN, false];
  const LOCKS = ['AltGraph', 'CapsLock', 'Fn', 'FnLock', 'Hyper', 'NumLock', 'ScrollLock', 'Super', 'Symbol', 'SymbolLock'];
  for (const lock of LOCKS) modifiers[`modifier${lock}`] = [BOOLEAN, false];
  const OWN_KEYS = { Control: 'ctrlKey', Shift: 'shiftKey', Alt: 'altKey', Meta: 'metaKey' };
  const withModifiers = (Class) =>
    mix(Class, {
      getModifierState(key) {
        return kept.get(this)[OWN_KEYS[`${key}`] ?? `modifier${key}`] ?? false;
      },
    });

  const MouseEvent = define('MouseEvent', UIEvent, {
    screenX: [DOUBLE, 0], screenY: [DOUBLE, 0], clientX: [DOUBLE, 0], clientY: [DOUBLE, 0],
    movementX: [DOUBLE, 0], movementY: [DOUBLE, 0],
    button: [SHORT, 0], buttons: [(value) => value & 0xffff, 0], relatedTarget: [TARGET, null], ...modifiers,
  });
  withModifiers(MouseEvent);
  mix(MouseEvent, {
    initMouseEvent(
      type, bubbles = false, cancelable = false, view = null, detail = 0, screenX = 0, screenY = 0, clientX = 0,
      clientY = 0, ctrlKey = false, altKey = false, shiftKey = false, metaKey = false, button = 0, relatedTarget = null,
    ) {
      initialise(this, type, bubbles, cancelable, {
        view: VIEW(view), detail: LONG(detail), screenX: LONG(screenX), screenY: LONG(screenY), clientX: LONG(clientX),
        clientY: LONG(clientY), ctrlKey: Boolean(ctrlKey), altKey: Boolean(altKey), shiftKey: Boolean(shiftKey),
        metaKey: Boolean(metaKey), button: SHORT(button), relatedTarget: TARGET(relatedTarget),
      });
    },
  });
  // Nothing scrolls and nothing has a box, so all positions are those in the window.
  for (const [key, same] of Object.entries({
    x: 'clientX', y: 'clientY', pageX: 'clientX', pageY: 'clientY', offsetX: 'clientX', offsetY: 'clientY',
  })) {
    const { get } = Object.getOwnPropertyDescriptor(MouseEvent.prototype, same);
    Object.defineProperty(MouseEvent.prototype, key, { get, set: undefined, enumerable: true, configurable: true });
  }
  define('DragEvent', MouseEvent, { dataTransfer: [ANY, null] });
  const PointerEvent = define('PointerEvent', MouseEvent, {
    pointerId: [LONG, 0], width: [DOUBLE, 1], height: [DOUBLE, 1], pressure: [DOUBLE, 0],
    tangentialPressure: [DOUBLE, 0], tiltX: [LONG, 0], tiltY: [LONG, 0], twist: [LONG, 0],
    pointerType: [TEXT, ''], isPrimary: [BOOLEAN, false],
  });
  mix(PointerEvent, {
    getCoalescedEvents() {
      return [];
    },
    getPredictedEvents() {
      return [];
    },
  });
  const WheelEvent = define('WheelEvent', MouseEvent, {
    deltaX: [DOUBLE, 0], deltaY: [DOUBLE, 0], deltaZ: [DOUBLE, 0], deltaMode: [UNSIGNED, 0],
  });
  internal.constants(WheelEvent, { DOM_DELTA_PIXEL: 0, DOM_DELTA_LINE: 1, DOM_DELTA_PAGE: 2 });
  const KeyboardEvent = define('KeyboardEvent', UIEvent, {
    key: [TEXT, ''], code: [TEXT, ''], location: [UNSIGNED, 0], repeat: [BOOLEAN, false],
    isComposing: [BOOLEAN, false], charCode: [UNSIGNED, 0], keyCode: [UNSIGNED, 0], ...modifiers,
  });
  withModifiers(KeyboardEvent);
  mix(KeyboardEvent, {
    initKeyboardEvent(
      type, bubbles = false, cancelable = false, view = null, key = '', location = 0, ctrlKey = false,
      altKey = false, shiftKey = false, metaKey = false,
    ) {
      initialise(this, type, bubbles, cancelable, {
        view: VIEW(view), key: `${key}`, location: UNSIGNED(location), ctrlKey: Boolean(ctrlKey),
        altKey: Boolean(altKey), shiftKey: Boolean(shiftKey), metaKey: Boolean(metaKey),
      });
    },
  });
  internal.constants(KeyboardEvent, {
    DOM_KEY_LOCATION_STANDARD: 0, DOM_KEY_LOCATION_LEFT: 1, DOM_KEY_LOCATION_RIGHT: 2, DOM_KEY_LOCATION_NUMPAD: 3,
  });
  const CompositionEvent = define('CompositionEvent', UIEvent, { data: [TEXT, ''] });
  const withData = (Class, name) =>
    mix(Class, {
      [name](type, bubbles = false, cancelable = false, view = null, data = '') {
        initialise(this, type, bubbles, cancelable, { view: VIEW(view), data: `${data}` });
      },
    });
  withData(CompositionEvent, 'initCompositionEvent');
  withData(define('TextEvent', UIEvent, { data: [TEXT, ''] }), 'initTextEvent');
  const InputEvent = define('InputEvent', UIEvent, {
    data: [TEXT_OR_NULL, null], isComposing: [BOOLEAN, false], inputType: [TEXT, ''], dataTransfer: [ANY, null],
  });
  mix(InputEvent, {
    getTargetRanges() {
      return [];
    },
  });
  define('FocusEvent', UIEvent, { relatedTarget: [TARGET, null] });
  define('TouchEvent', UIEvent, {
    touches: [Array.from, []], targetTouches: [Array.from, []], changedTouches: [Array.from, []], ...modifiers,
  });

  define('AnimationEvent', Event, { animationName: [TEXT, ''], elapsedTime: [DOUBLE, 0], pseudoElement: [TEXT, ''] });
  define('BeforeUnloadEvent', Event, {});
  define('ClipboardEvent', Event, { clipboardData: [ANY, null] });
  define('CloseEvent', Event, { wasClean: [BOOLEAN, false], code: [(value) => value & 0xffff, 0], reason: [TEXT, ''] });
  define('DeviceMotionEvent', Event, { acceleration: [ANY, null], accelerationIncludingGravity: [ANY, null], rotationRate: [ANY, null], interval: [DOUBLE, 0] });
  define('DeviceOrientationEvent', Event, { alpha: [ANY, null], beta: [ANY, null], gamma: [ANY, null], absolute: [BOOLEAN, false] });
  define('FormDataEvent', Event, { formData: [ANY, null] });
  define('HashChangeEvent', Event, { oldURL: [TEXT, ''], newURL: [TEXT, ''] });
  define('PageTransitionEvent', Event, { persisted: [BOOLEAN, false] });
  define('PopStateEvent', Event, { state: [ANY, null], hasUAVisualTransition: [BOOLEAN, false] });
  define('ProgressEvent', Event, { lengthComputable: [BOOLEAN, false], loaded: [DOUBLE, 0], total: [DOUBLE, 0] });
  define('PromiseRejectionEvent', Event, { promise: [ANY, undefined], reason: [ANY, undefined] });
  const StorageEvent = define('StorageEvent', Event, {
    key: [TEXT_OR_NULL, null], oldValue: [TEXT_OR_NULL, null], newValue: [TEXT_OR_NULL, null], url: [TEXT, ''],
    storageArea: [ANY, null],
  });
  mix(StorageEvent, {
    initStorageEvent(
      type, bubbles = false, cancelable = false, key = null, oldValue = null, newValue = null, url = '', storageArea = null,
    ) {
      initialise(this, type, bubbles, cancelable, {
        key: TEXT_OR_NULL(key), oldValue: TEXT_OR_NULL(oldValue), newValue: TEXT_OR_NULL(newValue), url: `${url}`, storageArea,
      });
    },
  });
  define('SubmitEvent', Event, { submitter: [ANY, null] });
  define('ToggleEvent', Event, { oldState: [TEXT, ''], newState: [TEXT, ''] });
  define('TransitionEvent', Event, { propertyName: [TEXT, ''], elapsedTime: [DOUBLE, 0], pseudoElement: [TEXT, ''] });
  mix(CustomEvent, {
    initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'initCustomEvent' on 'CustomEvent'");
      if (internal.initialiseEvent(this, type, bubbles, cancelable)) internal.setDetail(this, detail);
    },
  });

  const KINDS = new Map();
  for (const name of [
    'beforeunloadevent', 'compositionevent', 'devicemotionevent', 'deviceorientationevent', 'dragevent', 'focusevent',
    'hashchangeevent', 'keyboardevent', 'mouseevent', 'storageevent', 'textevent', 'uievent',
  ]) {
    KINDS.set(name, classes.get(name));
  }
  KINDS.set('mouseevents', MouseEvent).set('uievents', UIEvent).set('customevent', CustomEvent);
  KINDS.set('messageevent', MessageEvent);
  for (const name of ['event', 'events', 'htmlevents', 'svgevents']) KINDS.set(name, Event);
  mix(Document, {
    createEvent(kind) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'createEvent' on 'Document'");
      const Class = KINDS.get(internal.lower(`${kind}`));
      if (Class === undefined) {
        throw new internal.DOMException(`There are no events of the kind '${kind}'`, 'NotSupportedError');
      }
      return internal.uninitialised(new Class(''));
    },
  });
});
