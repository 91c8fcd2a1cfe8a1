// Element.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, tidy, wrap } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';

  const wrongPlace = (place) =>
    new internal.DOMException(`'${place}' is not a place beside or inside an element`, 'SyntaxError');

  const need = (count, name) =>
    internal.requireArguments(count, 1, `Failed to execute '${name}' on 'Element'`);

  class Element extends Node {
    // Local name, namespace, prefix, tag.
    #names;
    #classList;
    #style;
    #dataset;
    // State of a custom element, of a shadow host or of a slot; made when there is any.
    #more;

    static {
      internal.moreOf = (element) => element.#more;
      internal.moreFor = (element) => (element.#more ??= { is: undefined, state: undefined, shadow: undefined });
      internal.tagOf = (element) => element.#names[3];
      internal.localNameOf = (element) => element.#names[0];
      internal.isHtmlElement = (element) => element.#names[1] === HTML;
      internal.styleFor = (element) => (element.#style ??= internal.styleOf(element));
      internal.datasetFor = (element) => (element.#dataset ??= internal.datasetOf(element));
    }

    constructor(given, number, names) {
      super(given, number, 1);
      this.#names = names;
      // The attribute counts only while the element is made.
      if (names.length > 4) internal.moreFor(this).is = names[4];
    }

    get localName() {
      return this.#names[0];
    }
    get namespaceURI() {
      return this.#names[1] || null;
    }
    get prefix() {
      return this.#names[2] || null;
    }
    get tagName() {
      return this.#names[3];
    }
    get attributes() {
      return internal.attributesOf(this);
    }
    get classList() {
      return (this.#classList ??= internal.tokensOf(this, 'class'));
    }
    set classList(value) {
      this.setAttribute('class', value);
    }
    get className() {
      return dom.attribute(idOf(this), 'class') ?? '';
    }
    set className(value) {
      internal.setAttribute(this, 'class', `${value}`);
    }
    get id() {
      return dom.attribute(idOf(this), 'id') ?? '';
    }
    set id(value) {
      internal.setAttribute(this, 'id', `${value}`);
    }
    get slot() {
      return dom.attribute(idOf(this), 'slot') ?? '';
    }
    set slot(value) {
      internal.setAttribute(this, 'slot', `${value}`);
    }
    getAttribute(name) {
      return dom.attribute(idOf(this), `${name}`) ?? null;
    }
    getAttributeNS(namespace, local) {
      return dom.attributeNs(idOf(this), `${namespace ?? ''}`, `${local}`) ?? null;
    }
    hasAttribute(name) {
      return typeof dom.attribute(idOf(this), `${name}`) === 'string';
    }
    hasAttributeNS(namespace, local) {
      return typeof dom.attributeNs(idOf(this), `${namespace ?? ''}`, `${local}`) === 'string';
    }
    hasAttributes() {
      return dom.attributes(idOf(this)).length > 0;
    }
    getAttributeNames() {
      const parts = dom.attributes(idOf(this));
      const names = [];
      for (let at = 0; at < parts.length; at += 4) {
        names.push(parts[at + 1] === '' ? parts[at + 2] : `${parts[at + 1]}:${parts[at + 2]}`);
      }
      return names;
    }
    setAttribute(name, value) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'setAttribute' on 'Element'");
      internal.setAttribute(this, `${name}`, `${value}`);
    }
    setAttributeNS(namespace, name, value) {
      internal.setAttributeNs(this, `${namespace ?? ''}`, `${name}`, `${value}`);
    }
    removeAttribute(name) {
      internal.removeAttribute(this, `${name}`);
    }
    removeAttributeNS(namespace, local) {
      internal.removeAttributeNs(this, `${namespace ?? ''}`, `${local}`);
    }
    toggleAttribute(name, force = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'toggleAttribute' on 'Element'");
      name = internal.attributeName(`${name}`);
      const has = this.hasAttribute(name);
      const wanted = force === undefined ? !has : Boolean(force);
      if (wanted && !has) this.setAttribute(name, '');
      else if (!wanted && has) this.removeAttribute(name);
      return wanted;
    }
    getAttributeNode(name) {
      return internal.attributeNode(this, `${name}`);
    }
    getAttributeNodeNS(namespace, local) {
      return internal.attributeNodeNs(this, `${namespace ?? ''}`, `${local}`);
    }
    setAttributeNode(attribute) {
      if (!internal.isAttr(attribute)) {
        throw internal.wrongType('attribute', 'an instance of Attr', attribute);
      }
      if (attribute.ownerElement !== null && attribute.ownerElement !== this) {
        throw new internal.DOMException('The attribute is in use', 'InUseAttributeError');
      }
      return attribute.ownerElement === this ? attribute : internal.attach(attribute, this);
    }
    setAttributeNodeNS(attribute) {
      return this.setAttributeNode(attribute);
    }
    removeAttributeNode(attribute) {
      if (!internal.isAttr(attribute)) {
        throw internal.wrongType('attribute', 'an instance of Attr', attribute);
      }
      if (attribute.ownerElement !== this) {
        throw new internal.DOMException('The element does not have the attribute', 'NotFoundError');
      }
      internal.removeAttributeNs(this, attribute.namespaceURI ?? '', attribute.localName);
      return attribute;
    }

    matches(selector) {
      need(arguments.length, 'matches');
      return dom.matches(idOf(this), `${selector}`);
    }
    webkitMatchesSelector(selector) {
      need(arguments.length, 'webkitMatchesSelector');
      return dom.matches(idOf(this), `${selector}`);
    }
    closest(selector) {
      need(arguments.length, 'closest');
      return wrap(dom.closest(idOf(this), `${selector}`));
    }
    getElementsByTagName(name) {
      return internal.byTag(this, `${name}`);
    }
    getElementsByTagNameNS(namespace, local) {
      return internal.byTagNs(this, namespace, `${local}`);
    }
    getElementsByClassName(names) {
      return internal.byClass(this, `${names}`);
    }

    get innerHTML() {
      return dom.isHtml(idOf(this)) ? dom.innerHtml(idOf(this)) : innerXml(this);
    }
    set innerHTML(value) {
      const html = value === null ? '' : `${value}`;
      const fragment = wrap(internal.parsed(() => dom.fragment(idOf(this), html)));
      const contents = dom.contents(idOf(this));
      internal.replaceAll(contents === 0 ? this : wrap(contents), fragment);
    }
    get outerHTML() {
      return dom.isHtml(idOf(this)) ? dom.outerHtml(idOf(this)) : dom.outerXml(idOf(this));
    }
    set outerHTML(value) {
      const parent = this.parentNode;
      if (parent === null) return;
      if (internal.typeOf(parent) === 9) {
        throw new internal.DOMException(
          'The parent is a document',
          'NoModificationAllowedError',
        );
      }
      const html = value === null ? '' : `${value}`;
      const fragment = wrap(internal.parsed(() => dom.fragment(idOf(parent), html)));
      internal.replace(parent, fragment, this);
    }
    getHTML() {
      return this.innerHTML;
    }
    setHTMLUnsafe(value) {
      this.innerHTML = value;
    }
    insertAdjacentHTML(place, html) {
      const key = `${place}`.toLowerCase();
      const outside = key === 'beforebegin' || key === 'afterend';
      const context = outside ? this.parentNode : this;
      if (outside && (context === null || internal.typeOf(context) === 9)) {
        throw new internal.DOMException(
          'The element has no parent element',
          'NoModificationAllowedError',
        );
      }
      const text = `${html}`;
      // Markup for the root element is parsed as that of a body.
      const isRoot = context.localName === 'html' && internal.foldsCase(context);
      const number = isRoot ? dom.owner(idOf(context)) : idOf(context);
      insertAdjacent(this, key, () => wrap(internal.parsed(() => dom.fragment(number, text))));
    }
    insertAdjacentElement(place, element) {
      internal.id(element, 'Element');
      return insertAdjacent(this, `${place}`.toLowerCase(), () => element);
    }
    insertAdjacentText(place, text) {
      tidy();
      insertAdjacent(this, `${place}`.toLowerCase(), () => wrap(dom.createText(idOf(this), `${text}`)));
    }

    // Nothing here is laid out: every box is empty and at the origin.
    getClientRects() {
      return [];
    }
    get clientWidth() {
      return 0;
    }
    get clientHeight() {
      return 0;
    }
    get scrollWidth() {
      return 0;
    }
    get scrollHeight() {
      return 0;
    }
    get scrollTop() {
      return 0;
    }
    set scrollTop(value) {
      idOf(this);
    }
    get scrollLeft() {
      return 0;
    }
    set scrollLeft(value) {
      idOf(this);
    }
    scrollIntoView() {}
  }

  const innerXml = (element) => {
    let text = '';
    for (const child of dom.children(idOf(element), false)) text += dom.outerXml(child);
    return text;
  };
  const insertAdjacent = (element, place, make) => {
    const parent = element.parentNode;
    switch (place) {
      case 'beforebegin':
        return parent === null ? null : internal.insert(parent, make(), element);
      case 'afterbegin':
        return internal.insert(element, make(), element.firstChild);
      case 'beforeend':
        return internal.insert(element, make(), null);
      case 'afterend':
        return parent === null ? null : internal.insert(parent, make(), element.nextSibling);
      default:
        throw wrongPlace(place);
    }
  };

  internal.parentNode(Element);
  internal.childNode(Element);
  internal.siblings(Element);
  internal.foldsCase = (element) => internal.isHtmlElement(element) && dom.isHtml(idOf(element));
  internal.byTag = (root, name) =>
    internal.liveByNames(() => dom.byTag(idOf(root), name, dom.isHtml(idOf(root))));
  internal.byTagNs = (root, namespace, local) =>
    internal.liveByNames(() => dom.byTagNs(idOf(root), `${namespace ?? ''}`, local));
  internal.byClass = (root, names) =>
    internal.liveElements(() => dom.byClass(idOf(root), names, dom.isQuirky(idOf(root))));
  internal.innerXml = innerXml;
  internal.exposeClass(Element);
});
