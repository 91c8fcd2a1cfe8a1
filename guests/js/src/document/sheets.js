// Style sheets: those of `style` elements and those that scripts make; none is fetched.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, illegal, mix, readAttribute: read, token, wrap } = internal;
  const { deleteFrom, indexedList, insertInto, listOf, parse } = internal.cssRules;

  let sheetOf;
  // list → a function that returns its sheets
  const lists = new WeakMap();
  class StyleSheetList {
    constructor(given, sheets) {
      if (given !== token) throw illegal();
      lists.set(this, sheets);
    }
    get length() {
      return lists.get(this)().length;
    }
    item(index) {
      return lists.get(this)()[index >>> 0] ?? null;
    }
    [Symbol.iterator]() {
      return lists.get(this)()[Symbol.iterator]();
    }
  }
  class StyleSheet {
    constructor() {
      throw illegal();
    }
  }
  class CSSStyleSheet {
    #rules = [];
    #list = listOf(this.#rules);
    #owner = null;
    #media;
    #title = null;
    #disabled = false;
    static {
      sheetOf = (element, text) => {
        const sheet = new CSSStyleSheet({ media: read(element, 'media') ?? '' });
        sheet.#owner = element;
        sheet.#title = read(element, 'title') || null;
        sheet.#fill(text);
        return sheet;
      };
      internal.disownSheet = (sheet) => {
        sheet.#owner = null;
      };
      internal.isSheet = (value) => typeof value === 'object' && value !== null && #rules in value;
    }
    constructor(options = undefined) {
      const media = options?.media ?? '';
      this.#media = media instanceof MediaList ? media : new MediaList(token, media);
      this.#disabled = Boolean(options?.disabled);
    }
    #fill(text) {
      const made = parse(text, this, null);
      this.#rules.forEach(internal.detachRule);
      this.#rules.length = 0;
      for (const rule of made) this.#rules.push(rule);
      internal.sheetsVersion++;
    }
    #check() {
      if (this.#owner !== null) {
        throw new internal.DOMException('The sheet was not made by a constructor', 'NotAllowedError');
      }
    }
    get cssRules() {
      return this.#list;
    }
    get rules() {
      return this.#list;
    }
    get ownerNode() {
      return this.#owner;
    }
    get ownerRule() {
      return null;
    }
    get parentStyleSheet() {
      return null;
    }
    get href() {
      return null;
    }
    get title() {
      return this.#title;
    }
    get type() {
      return 'text/css';
    }
    get media() {
      return this.#media;
    }
    set media(text) {
      this.#media.mediaText = text;
    }
    get disabled() {
      return this.#disabled;
    }
    set disabled(value) {
      this.#disabled = Boolean(value);
      internal.sheetsVersion++;
    }
    insertRule(text, index = 0) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'insertRule' on 'CSSStyleSheet'");
      return insertInto(this.#rules, text, index, this, null);
    }
    deleteRule(index) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'deleteRule' on 'CSSStyleSheet'");
      deleteFrom(this.#rules, index);
    }
    addRule(selector = 'undefined', style = 'undefined', index = this.#rules.length) {
      this.insertRule(`${selector} { ${style} }`, index);
      return -1;
    }
    removeRule(index = 0) {
      this.deleteRule(index);
    }
    replaceSync(text) {
      this.#check();
      this.#fill(`${text}`);
    }
    async replace(text) {
      this.replaceSync(text);
      return this;
    }
  }
  Object.setPrototypeOf(CSSStyleSheet, StyleSheet);
  Object.setPrototypeOf(CSSStyleSheet.prototype, StyleSheet.prototype);

  // style element → { text, media, sheet }: the sheet of this content
  const sheets = new WeakMap();
  const sheetFor = (element) => {
    const type = read(element, 'type') ?? '';
    if (!element.isConnected || (type !== '' && type.toLowerCase() !== 'text/css')) return null;
    const text = dom.text(idOf(element));
    const media = read(element, 'media');
    const known = sheets.get(element);
    if (known !== undefined && known.text === text && known.media === media) return known.sheet;
    if (known !== undefined) internal.disownSheet(known.sheet);
    const sheet = sheetOf(element, text);
    sheets.set(element, { text, media, sheet });
    return sheet;
  };
  mix(N('Style'), {
    get sheet() {
      idOf(this);
      return sheetFor(this);
    },
    get disabled() {
      return sheetFor(this)?.disabled ?? false;
    },
    set disabled(value) {
      const sheet = sheetFor(this);
      if (sheet !== null) sheet.disabled = value;
    },
  });
  mix(N('Link'), {
    get sheet() {
      return null;
    },
  });
  const sheetsIn = (root) =>
    dom
      .queryAll(idOf(root), 'style')
      .map((id) => sheetFor(wrap(id)))
      .filter((sheet) => sheet !== null);
  const adopted = new WeakMap();
  internal.sheetsFor = (root) => [...sheetsIn(root), ...(adopted.get(root) ?? [])];
  const styled = new WeakMap();
  const withSheets = {
    get styleSheets() {
      let list = styled.get(this);
      if (list === undefined) {
        idOf(this);
        styled.set(this, (list = indexedList(new StyleSheetList(token, () => sheetsIn(this)))));
      }
      return list;
    },
    get adoptedStyleSheets() {
      let list = adopted.get(this);
      if (list === undefined) adopted.set(this, (list = []));
      return list;
    },
    set adoptedStyleSheets(list) {
      const all = [...list];
      if (!all.every(internal.isSheet)) throw new TypeError('Not every item is a CSSStyleSheet');
      if (all.some((sheet) => sheet.ownerNode !== null)) {
        throw new internal.DOMException('A sheet was not made by a constructor', 'NotAllowedError');
      }
      adopted.set(this, all);
      internal.sheetsVersion++;
    },
  };
  mix(Document, withSheets);
  mix(ShadowRoot, withSheets);
  for (const Class of [StyleSheetList, StyleSheet, CSSStyleSheet]) internal.exposeClass(Class);
});
