// DOMParser, XMLSerializer and events that only documents have.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { wrap } = internal;
  const XML = ['text/xml', 'application/xml', 'application/xhtml+xml', 'image/svg+xml'];
  const ERRORS = 'http://www.mozilla.org/newlayout/xml/parsererror.xml';

  class DOMParser {
    parseFromString(source, type) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'parseFromString' on 'DOMParser'");
      [source, type] = [`${source}`, `${type}`];
      if (type === 'text/html') return wrap(internal.parsed(() => dom.parseHtml(source)));
      if (!XML.includes(type)) throw internal.wrongValue('type', type);
      const [number, wrong] = internal.parsed(() => dom.parseXml(source));
      const parsed = wrap(number);
      internal.setContentType(parsed, type);
      if (typeof wrong === 'string') {
        const error = parsed.createElementNS(ERRORS, 'parsererror');
        error.textContent = wrong;
        internal.replaceAll(parsed, null);
        parsed.appendChild(error);
      }
      return parsed;
    }
  }

  class XMLSerializer {
    serializeToString(node) {
      return dom.outerXml(internal.id(node));
    }
  }

  // Pointing and typing: data without a device behind it.
  class UIEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
      super(type, options);
      this.#detail = options?.detail ?? 0;
    }
    get detail() {
      return this.#detail;
    }
    get view() {
      return null;
    }
  }
  const withFields = (Class, defaults) => {
    const kept = new WeakMap();
    const keys = Object.keys(defaults);
    for (const key of keys) {
      const accessors = {
        get [key]() {
          return kept.get(this)[key];
        },
      };
      Object.defineProperty(Class.prototype, key, {
        ...Object.getOwnPropertyDescriptor(accessors, key),
        enumerable: true,
      });
    }
    return (event, options) => {
      const fields = {};
      for (const key of keys) fields[key] = options?.[key] ?? defaults[key];
      kept.set(event, fields);
    };
  };
  let keepMouse, keepKeyboard, keepInput, keepFocus;
  const modifiers = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  class MouseEvent extends UIEvent {
    constructor(type, options = undefined) {
      super(type, options);
      keepMouse(this, options);
    }
  }
  keepMouse = withFields(MouseEvent, {
    clientX: 0, clientY: 0, screenX: 0, screenY: 0, pageX: 0, pageY: 0,
    button: 0, buttons: 0, relatedTarget: null, ...modifiers,
  });
  class KeyboardEvent extends UIEvent {
    constructor(type, options = undefined) {
      super(type, options);
      keepKeyboard(this, options);
    }
  }
  keepKeyboard = withFields(KeyboardEvent, {
    key: '', code: '', location: 0, repeat: false, isComposing: false, keyCode: 0, ...modifiers,
  });
  class InputEvent extends UIEvent {
    constructor(type, options = undefined) {
      super(type, options);
      keepInput(this, options);
    }
  }
  keepInput = withFields(InputEvent, { data: null, inputType: '', isComposing: false });
  class FocusEvent extends UIEvent {
    constructor(type, options = undefined) {
      super(type, options);
      keepFocus(this, options);
    }
  }
  keepFocus = withFields(FocusEvent, { relatedTarget: null });

  for (const Class of [DOMParser, XMLSerializer, UIEvent, MouseEvent, KeyboardEvent, InputEvent, FocusEvent]) {
    internal.exposeClass(Class);
  }
});
