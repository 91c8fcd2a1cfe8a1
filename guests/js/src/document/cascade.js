// getComputedStyle: declarations of sheets and of the element by the rules of the cascade, what
// children inherit, and what HTML shows how. Nothing is laid out, so lengths stay as written.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, isWideKeyword } = internal;
  const [WIDTH, HEIGHT] = [1024, 768];

  const INHERITED = new Set(
    'border-collapse border-spacing caption-side color cursor direction empty-cells font-family font-size font-style font-variant font-weight letter-spacing line-height list-style-image list-style-position list-style-type pointer-events quotes tab-size text-align text-indent text-transform user-select visibility white-space word-break word-spacing word-wrap overflow-wrap writing-mode'.split(
      ' ',
    ),
  );
  const INITIAL = { visibility: 'visible', 'pointer-events': 'auto', 'background-color': 'rgba(0, 0, 0, 0)', 'border-top-color': 'rgb(0, 0, 0)', 'border-right-color': 'rgb(0, 0, 0)', 'border-bottom-color': 'rgb(0, 0, 0)', 'border-left-color': 'rgb(0, 0, 0)', 'outline-color': 'rgb(0, 0, 0)', 'caret-color': 'auto', color: 'rgb(0, 0, 0)', display: 'inline' };
  const DISPLAYS = {
    none: 'area base basefont datalist dialog head link meta noembed noframes param rp script style template title',
    block: 'address article aside blockquote body center dd details dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p plaintext pre search section slot-none summary ul xmp',
    'inline-block': 'button input meter progress select textarea',
    'list-item': 'li',
    table: 'table',
    'table-row': 'tr',
    'table-cell': 'td th',
    'table-row-group': 'tbody',
    'table-header-group': 'thead',
    'table-footer-group': 'tfoot',
    'table-column': 'col',
    'table-column-group': 'colgroup',
    'table-caption': 'caption',
    ruby: 'ruby',
    'ruby-text': 'rt',
    contents: 'slot',
  };
  const displays = new Map();
  for (const [display, tags] of Object.entries(DISPLAYS)) for (const tag of tags.split(' ')) displays.set(tag, display);
  // The rules of HTML for an element, as declarations that every sheet prevails over.
  const byHtml = (element) => {
    if (!internal.isHtmlElement(element)) return undefined;
    const local = internal.localNameOf(element);
    if (element.hasAttribute('hidden')) return 'none';
    if (local === 'input' && internal.inputType(element) === 'hidden') return 'none';
    if (local === 'dialog' && element.hasAttribute('open')) return 'block';
    return displays.get(local);
  };

  const feature = (text) => {
    const [, name, value] = /^\(\s*([\w-]+)\s*(?::\s*([^)]*?))?\s*\)$/.exec(text) ?? [];
    const size = /^(\d+(?:\.\d+)?)(px|em|rem)$/.exec(value ?? '');
    const length = size === null ? NaN : size[1] * (size[2] === 'px' ? 1 : 16);
    switch (name) {
      case 'min-width':
        return WIDTH >= length;
      case 'max-width':
        return WIDTH <= length;
      case 'min-height':
        return HEIGHT >= length;
      case 'max-height':
        return HEIGHT <= length;
      case 'orientation':
        return value === 'landscape';
      default:
        return false;
    }
  };
  const applies = (media) => {
    if (media.length === 0) return true;
    const matches = (query) => {
      const isNot = /^not\s/.test(query);
      const parts = query.replace(/^(?:not|only)\s+/, '').split(/\s+and\s+/);
      const fits = parts.every((part) => part === 'all' || part === 'screen' || (part.startsWith('(') && feature(part)));
      return fits !== isNot;
    };
    for (let at = 0; at < media.length; at++) if (matches(media.item(at))) return true;
    return false;
  };

  // The style rules that hold, in order, for the sheets of a root; kept until something changes.
  const held = new WeakMap();
  const stamp = () => `${dom.version()} ${internal.sheetsVersion}`;
  const rulesOf = (root) => {
    const known = held.get(root);
    if (known !== undefined && known.stamp === stamp()) return known.rules;
    const rules = [];
    const collect = (list) => {
      for (const rule of list) {
        if (rule.type === 1) rules.push({ selector: rule.selectorText, style: rule.style });
        else if (rule instanceof CSSMediaRule ? applies(rule.media) : rule instanceof CSSLayerBlockRule) collect(rule.cssRules);
      }
    };
    for (const sheet of internal.sheetsFor(root)) {
      if (!sheet.disabled && applies(sheet.media)) collect(sheet.cssRules);
    }
    held.set(root, { stamp: stamp(), rules });
    return rules;
  };

  const results = new WeakMap();
  // property → value, without what is inherited.
  const own = (element) => {
    const now = stamp();
    const known = results.get(element);
    if (known !== undefined && known.now === now) return known.values;
    const values = new Map();
    const weights = new Map();
    const display = byHtml(element);
    if (display !== undefined) values.set('display', display);
    const apply = (style, weight) => {
      for (let at = 0; at < style.length; at++) {
        const name = style.item(at);
        const total = weight + (style.getPropertyPriority(name) === 'important' ? 2 ** 40 : 0);
        if ((weights.get(name) ?? -1) > total) continue;
        weights.set(name, total);
        values.set(name, style.getPropertyValue(name));
      }
    };
    for (const { selector, style } of rulesOf(element.getRootNode())) {
      const specificity = dom.specificity(idOf(element), selector);
      if (specificity >= 0) apply(style, specificity);
    }
    if (element.hasAttribute('style') && (internal.isHtmlElement(element) || 'style' in element)) apply(internal.styleFor(element), 2 ** 36);
    results.set(element, { now, values });
    return values;
  };
  const parentOf = (element) => {
    const parent = element.parentNode;
    if (parent === null) return null;
    return internal.typeOf(parent) === 1 ? parent : internal.isShadowRoot(parent) ? internal.hostOf(parent) : null;
  };
  const computed = (element, name) => {
    for (let at = element; at !== null; at = parentOf(at)) {
      let value = own(at).get(name);
      const inherits = INHERITED.has(name) || name.startsWith('--');
      if (value !== undefined && isWideKeyword(value)) {
        if (value === 'inherit' || (value !== 'initial' && inherits)) continue;
        return INITIAL[name] ?? '';
      }
      if (value !== undefined) return resolved(element, name, value);
      if (!inherits) break;
    }
    return INITIAL[name] ?? '';
  };
  // The deepest use of variables in variables.
  const MAX_VARIABLES = 32;
  const resolved = (element, name, value, depth = 0) => {
    if (depth < MAX_VARIABLES && /\bvar\(/i.test(value)) {
      const replaced = value.replace(/\bvar\(\s*(--[\w-]+)\s*(?:,\s*([^()]*(?:\([^()]*\)[^()]*)*))?\)/gi, (_, variable, missing) =>
        computed(element, variable) || (missing ?? ''),
      );
      if (replaced !== value) return resolved(element, name, replaced.trim(), depth + 1);
    }
    if (!internal.isColorProperty(name)) return value;
    if (value.toLowerCase() === 'currentcolor' && name !== 'color') return computed(element, 'color');
    return internal.computedColor(value);
  };

  internal.exposeFunction('getComputedStyle', function getComputedStyle(element, pseudo = null) {
    internal.id(element, 'Element');
    if (internal.typeOf(element) !== 1) throw internal.wrongType('element', 'an instance of Element', element);
    const isPseudo = typeof pseudo === 'string' && pseudo.startsWith(':');
    // The tree can change while a program holds the style.
    let now = '';
    let text = '';
    const read = () => {
      if (isPseudo || now === stamp()) return text;
      now = stamp();
      const names = new Set([...Object.keys(INITIAL), ...own(element).keys()]);
      for (let at = parentOf(element); at !== null; at = parentOf(at)) {
        for (const name of own(at).keys()) if (INHERITED.has(name) || name.startsWith('--')) names.add(name);
      }
      text = [...names].map((name) => `${name}: ${computed(element, name)};`).join(' ');
      return text;
    };
    return internal.styleOver({ read });
  });
});
