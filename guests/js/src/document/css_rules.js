// Rules of style sheets, and what they are parsed from.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, illegal, token } = internal;

  // Counts changes of sheets that are not changes of the tree.
  internal.sheetsVersion = 0;

  // Splits text into rules, as [prelude, block or null] with the comments of preludes taken out.
  const split = (text) => {
    const rules = [];
    let start = 0;
    let open = -1;
    let depth = 0;
    for (let at = 0; at < text.length; at++) {
      const c = text[at];
      if (c === '/' && text[at + 1] === '*') {
        const end = text.indexOf('*/', at + 2);
        at = end < 0 ? text.length : end + 1;
      } else if (c === '\\') at++;
      else if (c === '"' || c === "'") {
        for (at++; at < text.length && text[at] !== c && text[at] !== '\n'; at++) if (text[at] === '\\') at++;
      } else if (c === '{') {
        if (depth++ === 0) open = at;
      } else if (c === '}') {
        // One too many spoils the rule that it begins.
        if (depth > 0 && --depth === 0) {
          rules.push([prelude(text.slice(start, open)), text.slice(open + 1, at)]);
          start = at + 1;
        }
      } else if (c === ';' && depth === 0) {
        rules.push([prelude(text.slice(start, at)), null]);
        start = at + 1;
      }
    }
    // Blocks that are open at the end are closed there.
    if (depth > 0) rules.push([prelude(text.slice(start, open)), text.slice(open + 1)]);
    else rules.push([prelude(text.slice(start)), null]);
    return rules;
  };
  const prelude = (text) => text.replace(/\/\*[^]*?(?:\*\/|$)/g, '').replace(/<!--|-->/g, '').trim().replace(/\s+/g, ' ');

  let makeRule;
  const lists = new WeakMap();
  class CSSRuleList {
    constructor(given, rules) {
      if (given !== token) throw illegal();
      lists.set(this, rules);
    }
    get length() {
      return lists.get(this).length;
    }
    item(index) {
      return lists.get(this)[index >>> 0] ?? null;
    }
    [Symbol.iterator]() {
      return lists.get(this)[Symbol.iterator]();
    }
  }
  // Lists are read by index.
  const indexedList = (list) =>
    new Proxy(list, {
      get(target, key) {
        if (typeof key === 'string' && internal.isIndex(key)) return target.item(+key) ?? undefined;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
      },
      has: (target, key) => (typeof key === 'string' && internal.isIndex(key) ? +key < target.length : key in target),
    });

  class MediaList {
    #queries;
    constructor(given, text) {
      if (given !== token) throw illegal();
      this.mediaText = text;
    }
    get mediaText() {
      return this.#queries.join(', ');
    }
    set mediaText(text) {
      this.#queries = `${text ?? ''}`.split(',').map((query) => query.trim().toLowerCase()).filter(Boolean);
    }
    get length() {
      return this.#queries.length;
    }
    item(index) {
      return this.#queries[index >>> 0] ?? null;
    }
    appendMedium(query) {
      this.#queries.push(`${query}`.trim().toLowerCase());
    }
    deleteMedium(query) {
      const at = this.#queries.indexOf(`${query}`.trim().toLowerCase());
      if (at < 0) throw new internal.DOMException('The list does not have this medium', 'NotFoundError');
      this.#queries.splice(at, 1);
    }
    toString() {
      return this.mediaText;
    }
  }

  const TYPES = { STYLE_RULE: 1, CHARSET_RULE: 2, IMPORT_RULE: 3, MEDIA_RULE: 4, FONT_FACE_RULE: 5, PAGE_RULE: 6, KEYFRAMES_RULE: 7, KEYFRAME_RULE: 8, MARGIN_RULE: 9, NAMESPACE_RULE: 10, SUPPORTS_RULE: 12 };
  class CSSRule {
    #sheet;
    #parent;
    static {
      internal.detachRule = (rule) => {
        rule.#sheet = rule.#parent = null;
      };
    }
    constructor(given, sheet, parent) {
      if (given !== token) throw illegal();
      this.#sheet = sheet;
      this.#parent = parent;
    }
    get type() {
      return 0;
    }
    get cssText() {
      return '';
    }
    set cssText(_) {
      this.#sheet;
    }
    get parentStyleSheet() {
      return this.#sheet;
    }
    get parentRule() {
      return this.#parent;
    }
  }
  internal.constants(CSSRule, TYPES);

  // Declarations that a rule holds.
  const withStyle = (Base, type, head) => {
    const Class = class extends Base {
      #text;
      #style;
      constructor(given, sheet, parent, name, block) {
        super(given, sheet, parent, name);
        this.#text = block;
      }
      get type() {
        return type;
      }
      get style() {
        return (this.#style ??= internal.styleOver({
          read: () => this.#text,
          write: (text) => {
            this.#text = text;
            internal.sheetsVersion++;
          },
          rule: this,
        }));
      }
      set style(text) {
        this.style.cssText = text;
      }
      get cssText() {
        const text = this.style.cssText;
        return `${head(this)} { ${text}${text && ' '}}`;
      }
    };
    return Class;
  };
  const isSelector = (text) => {
    try {
      dom.matches(idOf(document.documentElement ?? document.createElement('p')), text);
      return true;
    } catch {
      return false;
    }
  };
  class SelectorRule extends CSSRule {
    #selector;
    constructor(given, sheet, parent, selector) {
      super(given, sheet, parent);
      this.#selector = selector;
    }
    get selectorText() {
      return this.#selector;
    }
    set selectorText(text) {
      text = prelude(`${text}`);
      if (!isSelector(text)) return;
      this.#selector = text;
      internal.sheetsVersion++;
    }
  }
  class CSSStyleRule extends withStyle(SelectorRule, 1, (rule) => rule.selectorText) {}
  class CSSFontFaceRule extends withStyle(CSSRule, 5, () => '@font-face') {}
  class NamedRule extends CSSRule {
    #name;
    constructor(given, sheet, parent, name) {
      super(given, sheet, parent);
      this.#name = name;
    }
    static {
      internal.ruleName = (rule) => rule.#name;
    }
  }
  class CSSKeyframeRule extends withStyle(NamedRule, 8, internal.ruleName) {
    get keyText() {
      return internal.ruleName(this);
    }
  }
  class CSSPageRule extends withStyle(NamedRule, 6, (rule) => `@page ${internal.ruleName(rule)}`.trim()) {
    get selectorText() {
      return internal.ruleName(this);
    }
  }

  // Rules in a sheet or in another rule.
  const parse = (text, sheet, parent) => {
    const rules = [];
    for (const [head, block] of split(text)) {
      const rule = head === '' && block === null ? null : makeRule(head, block, sheet, parent);
      if (rule !== null) rules.push(rule);
    }
    return rules;
  };
  const insertInto = (rules, text, index, sheet, parent) => {
    index >>>= 0;
    if (index > rules.length) throw new internal.DOMException(`There are ${rules.length} rules`, 'IndexSizeError');
    const made = parse(`${text}`, sheet, parent);
    if (made.length !== 1) throw new internal.DOMException('The text is not one rule', 'SyntaxError');
    rules.splice(index, 0, made[0]);
    internal.sheetsVersion++;
    return index;
  };
  const deleteFrom = (rules, index) => {
    index >>>= 0;
    if (index >= rules.length) throw new internal.DOMException(`There are ${rules.length} rules`, 'IndexSizeError');
    internal.detachRule(rules[index]);
    rules.splice(index, 1);
    internal.sheetsVersion++;
  };
  class CSSGroupingRule extends NamedRule {
    #rules;
    #list;
    constructor(given, sheet, parent, name, block) {
      super(given, sheet, parent, name);
      this.#rules = parse(block, sheet, this);
      this.#list = indexedList(new CSSRuleList(token, this.#rules));
    }
    get cssRules() {
      return this.#list;
    }
    insertRule(text, index = 0) {
      return insertInto(this.#rules, text, index, this.parentStyleSheet, this);
    }
    deleteRule(index) {
      deleteFrom(this.#rules, index);
    }
    get cssText() {
      const inside = this.#rules.map((rule) => `\n  ${rule.cssText}`).join('');
      return `${this.head} {${inside}\n}`;
    }
  }
  const grouping = (type, at) =>
    class extends CSSGroupingRule {
      get type() {
        return type;
      }
      get conditionText() {
        return internal.ruleName(this);
      }
      get head() {
        return `@${at} ${internal.ruleName(this)}`.trim();
      }
    };
  class CSSMediaRule extends grouping(4, 'media') {
    #media;
    get media() {
      return (this.#media ??= new MediaList(token, internal.ruleName(this)));
    }
  }
  class CSSSupportsRule extends grouping(12, 'supports') {}
  class CSSLayerBlockRule extends grouping(0, 'layer') {
    get name() {
      return internal.ruleName(this);
    }
  }
  class CSSContainerRule extends grouping(0, 'container') {}
  class CSSKeyframesRule extends CSSGroupingRule {
    get type() {
      return 7;
    }
    get name() {
      return internal.ruleName(this);
    }
    get head() {
      return `@keyframes ${internal.ruleName(this)}`;
    }
    appendRule(text) {
      this.insertRule(text, this.cssRules.length);
    }
    findRule(key) {
      return [...this.cssRules].find((rule) => rule.keyText === `${key}`.trim()) ?? null;
    }
  }
  class CSSImportRule extends NamedRule {
    get type() {
      return 3;
    }
    get href() {
      return /^(?:url\(\s*)?["']?([^"')]*)/.exec(internal.ruleName(this))[1];
    }
    get styleSheet() {
      return null;
    }
    get cssText() {
      return `@import ${internal.ruleName(this)};`;
    }
  }
  class CSSNamespaceRule extends NamedRule {
    get type() {
      return 10;
    }
    get cssText() {
      return `@namespace ${internal.ruleName(this)};`;
    }
  }
  const BLOCKS = {
    media: CSSMediaRule, supports: CSSSupportsRule, layer: CSSLayerBlockRule, container: CSSContainerRule,
    keyframes: CSSKeyframesRule, '-webkit-keyframes': CSSKeyframesRule, page: CSSPageRule,
  };
  makeRule = (head, block, sheet, parent) => {
    if (!head.startsWith('@')) {
      if (block === null) return null;
      if (parent instanceof CSSKeyframesRule) return new CSSKeyframeRule(token, sheet, parent, head.toLowerCase(), block);
      return isSelector(head) ? new CSSStyleRule(token, sheet, parent, head, block) : null;
    }
    const [, at, rest] = /^@(-?[\w-]*)\s*([^]*)$/.exec(head);
    const name = at.toLowerCase();
    if (block === null) {
      if (name === 'import' && parent === null) return new CSSImportRule(token, sheet, parent, rest);
      return name === 'namespace' ? new CSSNamespaceRule(token, sheet, parent, rest) : null;
    }
    if (name === 'font-face') return new CSSFontFaceRule(token, sheet, parent, '', block);
    return Object.hasOwn(BLOCKS, name) ? new BLOCKS[name](token, sheet, parent, rest, block) : null;
  };

  for (const Class of [CSSRuleList, MediaList, CSSRule, CSSStyleRule, CSSFontFaceRule, CSSKeyframeRule, CSSPageRule, CSSGroupingRule, CSSMediaRule, CSSSupportsRule, CSSLayerBlockRule, CSSContainerRule, CSSKeyframesRule, CSSImportRule, CSSNamespaceRule]) {
    internal.exposeClass(Class);
  }
  const listOf = (rules) => indexedList(new CSSRuleList(token, rules));
  internal.cssRules = { deleteFrom, indexedList, insertInto, listOf, parse };
});
