// CSSStyleDeclaration: declarations of an element or of a rule, kept as text by their owner.
(function (native, internal) {
  'use strict';

  const { token, illegal } = internal;

  // Calls `take` with each part between semicolons that are in no string or bracket.
  const eachPart = (text, take) => {
    text = text.replace(/\/\*[^]*?(?:\*\/|$)/g, '');
    let start = 0;
    let quote = '';
    let depth = 0;
    for (let at = 0; at < text.length; at++) {
      const c = text[at];
      if (c === '\\') at++;
      else if (quote !== '') {
        if (c === quote) quote = '';
      } else if (c === '"' || c === "'") quote = c;
      else if (c === '(' || c === '{' || c === '[') depth++;
      else if (c === ')' || c === '}' || c === ']') depth = Math.max(0, depth - 1);
      else if (c === ';' && depth === 0) {
        take(text.slice(start, at));
        start = at + 1;
      }
    }
    take(text.slice(start));
  };
  const NAME = /^-?-?[a-zA-Z_][\w-]*$|^--/;
  const keyOf = (name) => (name.startsWith('--') ? name : name.toLowerCase());

  // Puts `name: value` into the map; false if the value is none of the property's.
  const put = (declarations, name, value, priority) => {
    if (!name.startsWith('--')) value = value.replace(/\burl\(\s*([^\s"')][^"')]*?)\s*\)/gi, 'url("$1")');
    const longs = internal.longhandsOf(name);
    const isOpen = longs !== undefined && /\bvar\(/i.test(value);
    if (longs === undefined || isOpen) {
      const kept = isOpen ? value : internal.cssValue(name, value);
      if (kept === undefined) return false;
      longs?.forEach((long) => declarations.delete(long));
      declarations.delete(name);
      declarations.set(name, { value: kept, priority });
      return true;
    }
    const pairs = internal.expanded(name, value);
    if (pairs === undefined) {
      // Values of several layers are kept as they are.
      if (name !== 'background' || !value.includes(',')) return false;
      longs.forEach((long) => declarations.delete(long));
      declarations.set(name, { value, priority });
      return true;
    }
    declarations.delete(name);
    for (const [long, part] of pairs) {
      declarations.delete(long);
      declarations.set(long, { value: part, priority });
    }
    return true;
  };
  const parse = (text) => {
    const declarations = new Map();
    eachPart(text, (part) => {
      const colon = part.indexOf(':');
      if (colon < 0) return;
      const name = keyOf(part.slice(0, colon).trim());
      let value = part.slice(colon + 1).trim();
      if (!NAME.test(name) || (value === '' && !name.startsWith('--')) || (/[{}]/.test(value) && !name.startsWith('--'))) return;
      const important = /\s*!\s*important$/i.exec(value);
      if (important !== null) value = value.slice(0, important.index);
      const old = declarations.get(name);
      if (old?.priority === 'important' && important === null) return;
      put(declarations, name, value, important === null ? '' : 'important');
    });
    return declarations;
  };
  // The declaration of a shorthand that all its parts make up, or undefined.
  const together = (declarations, name) => {
    const longs = internal.longhandsOf(name);
    const parts = longs?.map((long) => declarations.get(long));
    if (parts === undefined || parts.some((part) => part === undefined || part.priority !== parts[0].priority)) return undefined;
    const value = internal.collapsed(name, parts.map((part) => part.value));
    return value === undefined ? undefined : { value, priority: parts[0].priority };
  };
  const find = (declarations, name) => declarations.get(name) ?? together(declarations, name);
  const write = (declarations) => {
    const texts = [];
    const done = new Set();
    const add = (name, { value, priority }) => texts.push(`${name}: ${value}${priority && ' !important'};`);
    for (const [name, declaration] of declarations) {
      if (done.has(name)) continue;
      const whole = internal.shorthandsOf(name).find((short) => {
        const longs = internal.longhandsOf(short);
        return !longs.some((long) => done.has(long)) && together(declarations, short) !== undefined;
      });
      if (whole === undefined) add(name, declaration);
      else {
        add(whole, together(declarations, whole));
        internal.longhandsOf(whole).forEach((long) => done.add(long));
      }
    }
    return texts.join(' ');
  };
  internal.parseDeclarations = parse;
  internal.findDeclaration = find;
  const toName = (key) =>
    key === 'cssFloat'
      ? 'float'
      : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^(webkit|moz|ms)-/, '-$1-');

  class CSSStyleDeclaration {
    // { read(): text, write(text), rule }; without `write` nothing can be changed.
    #owner;
    #source = null;
    #declarations = new Map();

    constructor(given, owner) {
      if (given !== token) throw illegal();
      this.#owner = owner;
    }
    #read() {
      const source = this.#owner.read();
      if (source !== this.#source) {
        this.#source = source;
        this.#declarations = source === '' ? new Map() : parse(source);
      }
      return this.#declarations;
    }
    #store(declarations) {
      if (this.#owner.write === undefined) {
        throw new internal.DOMException('Computed styles cannot be changed', 'NoModificationAllowedError');
      }
      this.#owner.write(write(declarations));
    }

    get cssText() {
      return write(this.#read());
    }
    set cssText(text) {
      this.#store(parse(`${text}`));
    }
    get length() {
      return this.#read().size;
    }
    get parentRule() {
      return this.#owner.rule ?? null;
    }
    item(index) {
      return [...this.#read().keys()][index >>> 0] ?? '';
    }
    getPropertyValue(name) {
      return find(this.#read(), keyOf(`${name}`))?.value ?? '';
    }
    getPropertyPriority(name) {
      return find(this.#read(), keyOf(`${name}`))?.priority ?? '';
    }
    setProperty(name, value, priority = '') {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'setProperty' on 'CSSStyleDeclaration'");
      name = keyOf(`${name}`);
      value = value === null ? '' : `${value}`.trim();
      if (value === '') {
        this.removeProperty(name);
        return;
      }
      priority = priority === null ? '' : `${priority}`;
      if (!NAME.test(name) || !/^(?:important)?$/i.test(priority)) return;
      // A value must not begin another declaration.
      let parts = 0;
      eachPart(value, () => parts++);
      if (parts !== 1 || /!\s*important$/i.test(value)) return;
      const declarations = new Map(this.#read());
      const known = declarations.get(name);
      const kept = known !== undefined && internal.longhandsOf(name) === undefined ? internal.cssValue(name, value) : undefined;
      if (kept !== undefined) declarations.set(name, { value: kept, priority: priority && 'important' });
      else if (!put(declarations, name, value, priority && 'important')) return;
      this.#store(declarations);
    }
    removeProperty(name) {
      name = keyOf(`${name}`);
      const declarations = new Map(this.#read());
      const old = find(declarations, name)?.value ?? '';
      const { size } = declarations;
      for (const one of [name, ...(internal.longhandsOf(name) ?? [])]) declarations.delete(one);
      if (declarations.size !== size) this.#store(declarations);
      return old;
    }
    *[Symbol.iterator]() {
      yield* this.#read().keys();
    }
  }
  internal.exposeClass(CSSStyleDeclaration);

  // Names of properties: a program asks by them what it can use. Others can be declared all the same.
  const KNOWN = new Set(
    'accent-color align-content align-items align-self alignment-baseline all anchor-name animation animation-composition animation-delay animation-direction animation-duration animation-fill-mode animation-iteration-count animation-name animation-play-state animation-timeline animation-timing-function appearance aspect-ratio backdrop-filter backface-visibility background background-attachment background-blend-mode background-clip background-color background-image background-origin background-position background-position-x background-position-y background-repeat background-size baseline-shift block-size border border-block border-block-color border-block-end border-block-start border-block-style border-block-width border-bottom border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style border-bottom-width border-collapse border-color border-end-end-radius border-end-start-radius border-image border-image-outset border-image-repeat border-image-slice border-image-source border-image-width border-inline border-inline-color border-inline-end border-inline-start border-inline-style border-inline-width border-left border-left-color border-left-style border-left-width border-radius border-right border-right-color border-right-style border-right-width border-spacing border-start-end-radius border-start-start-radius border-style border-top border-top-color border-top-left-radius border-top-right-radius border-top-style border-top-width border-width bottom box-decoration-break box-shadow box-sizing break-after break-before break-inside caption-side caret-color clear clip clip-path clip-rule color color-interpolation color-interpolation-filters color-scheme column-count column-fill column-gap column-rule column-rule-color column-rule-style column-rule-width column-span column-width columns contain contain-intrinsic-size container container-name container-type content content-visibility counter-increment counter-reset counter-set cursor cx cy d direction display dominant-baseline empty-cells fill fill-opacity fill-rule filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap float flood-color flood-opacity font font-display font-family font-feature-settings font-kerning font-language-override font-optical-sizing font-palette font-size font-size-adjust font-stretch font-style font-synthesis font-variant font-variant-caps font-variant-ligatures font-variant-numeric font-variation-settings font-weight forced-color-adjust gap grid grid-area grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-column-end grid-column-gap grid-column-start grid-gap grid-row grid-row-end grid-row-gap grid-row-start grid-template grid-template-areas grid-template-columns grid-template-rows hanging-punctuation height hyphenate-character hyphens image-orientation image-rendering inline-size inset inset-block inset-block-end inset-block-start inset-inline inset-inline-end inset-inline-start isolation justify-content justify-items justify-self left letter-spacing lighting-color line-break line-height list-style list-style-image list-style-position list-style-type margin margin-block margin-block-end margin-block-start margin-bottom margin-inline margin-inline-end margin-inline-start margin-left margin-right margin-top marker marker-end marker-mid marker-start mask mask-clip mask-composite mask-image mask-mode mask-origin mask-position mask-repeat mask-size mask-type max-block-size max-height max-inline-size max-width min-block-size min-height min-inline-size min-width mix-blend-mode object-fit object-position offset offset-distance offset-path offset-rotate opacity order orphans outline outline-color outline-offset outline-style outline-width overflow overflow-anchor overflow-wrap overflow-x overflow-y overscroll-behavior overscroll-behavior-x overscroll-behavior-y padding padding-block padding-block-end padding-block-start padding-bottom padding-inline padding-inline-end padding-inline-start padding-left padding-right padding-top page page-break-after page-break-before page-break-inside paint-order perspective perspective-origin place-content place-items place-self pointer-events position print-color-adjust quotes r resize right rotate row-gap ruby-align ruby-position rx ry scale scroll-behavior scroll-margin scroll-padding scroll-snap-align scroll-snap-stop scroll-snap-type scrollbar-color scrollbar-gutter scrollbar-width shape-image-threshold shape-margin shape-outside shape-rendering size src stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width tab-size table-layout text-align text-align-last text-anchor text-combine-upright text-decoration text-decoration-color text-decoration-line text-decoration-skip-ink text-decoration-style text-decoration-thickness text-emphasis text-indent text-justify text-orientation text-overflow text-rendering text-shadow text-size-adjust text-transform text-underline-offset text-underline-position text-wrap top touch-action transform transform-box transform-origin transform-style transition transition-behavior transition-delay transition-duration transition-property transition-timing-function translate unicode-bidi unicode-range user-select vector-effect vertical-align view-transition-name visibility white-space widows width will-change word-break word-spacing word-wrap writing-mode x y z-index zoom'.split(
      ' ',
    ),
  );
  const PREFIXED =
    /^-webkit-(?:align|animation|appearance|backdrop-filter|backface|background|border|box-|clip-path|column|filter|flex|font-smoothing|hyphens|justify|line-clamp|margin|mask|order|padding|perspective|print-color|tap-highlight|text-|transform|transition|user-|writing)/;
  const isKnown = (name) => KNOWN.has(name) || PREFIXED.test(name);

  const PROPERTY = /^-?[a-zA-Z][\w-]*$/;
  internal.styleOver = (owner) => {
    const target = new CSSStyleDeclaration(token, owner);
    return new Proxy(target, {
      get(_, key) {
        if (key in target) {
          const value = Reflect.get(target, key, target);
          return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
        }
        if (typeof key !== 'string') return undefined;
        if (/^\d+$/.test(key)) return target.item(+key) || undefined;
        if (!PROPERTY.test(key)) return undefined;
        const name = toName(key);
        return target.getPropertyValue(name) || (isKnown(name) ? '' : undefined);
      },
      has: (_, key) => key in target || (typeof key === 'string' && PROPERTY.test(key) && isKnown(toName(key))),
      set(_, key, value) {
        if (key in target) return Reflect.set(target, key, value, target);
        if (typeof key === 'string' && PROPERTY.test(key)) target.setProperty(toName(key), value);
        return true;
      },
    });
  };
  const { dom } = native;
  internal.styleOf = (element) =>
    internal.styleOver({
      read: () => dom.attribute(internal.idOf(element), 'style') ?? '',
      write: (text) => internal.setAttribute(element, 'style', text),
    });
});
