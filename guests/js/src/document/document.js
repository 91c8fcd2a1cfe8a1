// Document, DOMImplementation.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, tidy, token, wrap, wrapAll } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const TYPES = new Map([
    [HTML, 'application/xhtml+xml'],
    ['http://www.w3.org/2000/svg', 'image/svg+xml'],
  ]);
  const invalid = (text) => new internal.DOMException(text, 'InvalidCharacterError');
  const NAME =
    /^[:A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}][-.\d:A-Z_a-z\u00B7\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u200C\u200D\u203F\u2040\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}]*$/u;
  internal.attributeName = (name) => {
    if (name === '' || /[\t\n\f\r \0/=>]/.test(name)) throw invalid(`'${name}' is not a valid attribute name`);
    return name;
  };
  let setAddress;
  // Letters beyond ASCII keep their case.
  const lower = (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  internal.lower = lower;

  class DOMImplementation {
    #document;
    constructor(given, document) {
      if (given !== token) throw internal.illegal();
      this.#document = document;
    }
    hasFeature() {
      return true;
    }
    createDocumentType(name, publicId, systemId) {
      internal.requireArguments(arguments.length, 3, "Failed to execute 'createDocumentType' on 'DOMImplementation'");
      name = `${name}`;
      if (/[\t\n\f\r \0>]/.test(name)) throw invalid(`'${name}' is not a valid name`);
      return wrap(dom.createDoctype(idOf(this.#document), name, `${publicId}`, `${systemId}`));
    }
    createHTMLDocument(title = undefined) {
      tidy();
      const made = wrap(dom.createDocument(true));
      made.appendChild(wrap(dom.createDoctype(idOf(made), 'html', '', '')));
      const html = made.appendChild(made.createElement('html'));
      const head = html.appendChild(made.createElement('head'));
      if (title !== undefined) {
        head.appendChild(made.createElement('title')).appendChild(made.createTextNode(title));
      }
      html.appendChild(made.createElement('body'));
      return made;
    }
    createDocument(namespace, name, doctype = null) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'createDocument' on 'DOMImplementation'");
      tidy();
      const made = wrap(dom.createDocument(false));
      if (doctype !== null) made.appendChild(doctype);
      if (name !== null && `${name}` !== '') made.appendChild(made.createElementNS(namespace, name));
      internal.setContentType(made, TYPES.get(namespace) ?? 'application/xml');
      return made;
    }
  }

  class Document extends Node {
    #implementation;
    #address = 'about:blank';
    #type;
    #cookie = '';

    static {
      setAddress = (document, address) => {
        document.#address = address;
      };
      internal.setContentType = (document, type) => {
        document.#type = type;
      };
    }

    constructor(given = undefined, number = undefined) {
      if (given === token) super(given, number, 9);
      else super(token, dom.createDocument(false), 9);
    }

    get implementation() {
      return (this.#implementation ??= new DOMImplementation(token, this));
    }
    get documentElement() {
      return wrap(dom.element(idOf(this), 0));
    }
    get doctype() {
      for (let node = this.firstChild; node !== null; node = node.nextSibling) {
        if (internal.typeOf(node) === 10) return node;
      }
      return null;
    }
    get head() {
      return this.querySelector(':root > head');
    }
    get body() {
      return this.querySelector('html:root > body, html:root > frameset');
    }
    set body(element) {
      const old = this.body;
      if (old !== null) old.replaceWith(element);
      else this.documentElement.appendChild(element);
    }
    get title() {
      const text = this.querySelector('title')?.textContent ?? '';
      return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
    }
    set title(value) {
      let title = this.querySelector('title');
      if (title === null) {
        if (this.head === null) return;
        title = this.head.appendChild(this.createElement('title'));
      }
      title.textContent = `${value}`;
    }
    get URL() {
      return this.#address;
    }
    get documentURI() {
      return this.#address;
    }
    get baseURI() {
      const base = this.querySelector('base[href]');
      if (base === null) return this.#address;
      return URL.parse(base.getAttribute('href'), this.#address)?.href ?? this.#address;
    }
    get contentType() {
      return this.#type ?? (dom.isHtml(idOf(this)) ? 'text/html' : 'application/xml');
    }
    get compatMode() {
      return dom.isQuirky(idOf(this)) ? 'BackCompat' : 'CSS1Compat';
    }
    get characterSet() {
      return 'UTF-8';
    }
    get charset() {
      return 'UTF-8';
    }
    get inputEncoding() {
      return 'UTF-8';
    }
    get readyState() {
      return 'complete';
    }
    get defaultView() {
      return idOf(this) === dom.main ? globalThis : null;
    }
    get location() {
      return idOf(this) === dom.main ? globalThis.location : null;
    }
    // Nobody sees the document, but it goes on as if somebody did: frames are announced.
    get hidden() {
      return false;
    }
    get visibilityState() {
      return 'visible';
    }
    get activeElement() {
      return internal.focusedIn(this) ?? this.body;
    }
    get dir() {
      return this.documentElement?.dir ?? '';
    }
    set dir(value) {
      if (this.documentElement !== null) this.documentElement.dir = value;
    }
    get currentScript() {
      return null;
    }
    get referrer() {
      return '';
    }
    get domain() {
      return '';
    }
    get lastModified() {
      return '';
    }
    // A page without an origin has no cookies.
    get cookie() {
      return this.#cookie;
    }
    set cookie(value) {
      this.#cookie;
    }
    get forms() {
      return internal.keptList(this, 'forms', () => internal.liveElements(() => dom.queryAll(idOf(this), 'form')));
    }
    get images() {
      return internal.keptList(this, 'images', () => internal.liveElements(() => dom.queryAll(idOf(this), 'img')));
    }
    get links() {
      return internal.keptList(this, 'links', () => internal.liveElements(() => dom.queryAll(idOf(this), 'a[href], area[href]')));
    }
    get anchors() {
      return internal.keptList(this, 'anchors', () => internal.liveElements(() => dom.queryAll(idOf(this), 'a[name]')));
    }
    get embeds() {
      return internal.keptList(this, 'embeds', () => internal.liveElements(() => dom.queryAll(idOf(this), 'embed')));
    }
    get plugins() {
      return this.embeds;
    }
    get applets() {
      return internal.keptList(this, 'applets', () => internal.liveElements(() => []));
    }
    get scripts() {
      return internal.keptList(this, 'scripts', () => internal.liveElements(() => dom.queryAll(idOf(this), 'script')));
    }

    createElement(name, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'createElement' on 'Document'");
      tidy();
      name = `${name}`;
      const isHtml = dom.isHtml(idOf(this));
      if (isHtml) name = lower(name);
      if (isHtml && options === undefined && !internal.isReactive) return wrap(makeHtml(this, name));
      const is = isOf(options);
      if (isHtml) return internal.createCustom(this, name, is, () => makeHtml(this, name));
      const namespace = this.contentType === 'application/xhtml+xml' ? HTML : '';
      const plain = () => dom.createUnsplit(idOf(this), namespace, name);
      return namespace === HTML ? internal.createCustom(this, name, is, plain) : wrap(plain());
    }
    createElementNS(namespace, name, options = undefined) {
      internal.requireArguments(arguments.length, 2, "Failed to execute 'createElementNS' on 'Document'");
      tidy();
      [namespace, name] = [`${namespace ?? ''}`, `${name}`];
      const plain = () => dom.createElement(idOf(this), namespace, name);
      if (namespace !== HTML || (options === undefined && !internal.isReactive)) return wrap(plain());
      const local = name.slice(name.indexOf(':') + 1);
      return internal.createCustom(this, local, isOf(options), plain);
    }
    createTextNode(text) {
      tidy();
      return wrap(dom.createText(idOf(this), `${text}`));
    }
    createComment(text) {
      tidy();
      return wrap(dom.createComment(idOf(this), `${text}`));
    }
    createCDATASection(text) {
      tidy();
      if (dom.isHtml(idOf(this))) {
        throw new internal.DOMException('An HTML document has no CDATA sections', 'NotSupportedError');
      }
      text = `${text}`;
      if (text.includes(']]>')) throw invalid('The text would end the section');
      return wrap(dom.createCData(idOf(this), text));
    }
    createProcessingInstruction(target, data) {
      tidy();
      [target, data] = [`${target}`, `${data}`];
      if (!NAME.test(target)) throw invalid(`'${target}' is not a valid name`);
      if (data.includes('?>')) throw invalid('The data would end the instruction');
      return wrap(dom.createInstruction(idOf(this), target, data));
    }
    createDocumentFragment() {
      tidy();
      return wrap(dom.createFragment(idOf(this)));
    }
    createAttribute(name) {
      name = internal.attributeName(`${name}`);
      return internal.newAttr(this, '', '', dom.isHtml(idOf(this)) ? lower(name) : name);
    }
    createAttributeNS(namespace, name) {
      namespace = `${namespace ?? ''}`;
      const [prefix, local] = dom.attributeName(namespace, `${name}`);
      return internal.newAttr(this, namespace, prefix, local);
    }
    importNode(node, deep = false) {
      if (internal.isAttr(node)) return internal.copyAttr(node, this);
      internal.id(node);
      if (internal.isShadowRoot(node) || internal.typeOf(node) === 9) {
        throw new internal.DOMException('A document or shadow root cannot be copied', 'NotSupportedError');
      }
      return internal.cloned(node, Boolean(deep), idOf(this), true);
    }
    adoptNode(node) {
      const number = internal.id(node);
      if (internal.isShadowRoot(node)) {
        throw new internal.DOMException('A shadow root cannot be adopted', 'HierarchyRequestError');
      }
      if (internal.typeOf(node) === 9) {
        throw new internal.DOMException('A document cannot be adopted', 'NotSupportedError');
      }
      if (!internal.isReactive) {
        if (node.parentNode !== null) internal.remove(node.parentNode, node);
        dom.adopt(number, idOf(this));
        return node;
      }
      internal.react(() => {
        if (node.parentNode !== null) internal.remove(node.parentNode, node);
        const from = dom.owner(number);
        dom.adopt(number, idOf(this));
        if (from !== idOf(this)) internal.adopted(node, from);
      });
      return node;
    }

    getElementById(name) {
      return wrap(dom.byId(idOf(this), `${name}`));
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
    getElementsByName(name) {
      return internal.liveNodes(() => dom.queryAll(idOf(this), `[name=${CSS.escape(`${name}`)}]`));
    }
    elementFromPoint() {
      return null;
    }
    hasFocus() {
      return false;
    }
    // Writing replaces: there is no parser that waits for more.
    open() {
      internal.replaceAll(this, null);
      return this;
    }
    write(...texts) {
      tidy();
      if (this.body !== null) {
        this.body.insertAdjacentHTML('beforeend', texts.join(''));
        return;
      }
      internal.replaceAll(this, null);
      const parsed = wrap(dom.parseHtml(texts.join('')));
      for (const node of wrapAll(dom.children(idOf(parsed), false))) internal.insert(this, node, null);
    }
    writeln(...texts) {
      this.write(...texts, '\n');
    }
    close() {}
    execCommand() {
      return false;
    }
  }
  internal.parentNode(Document);
  for (const type of ['readystatechange', ...internal.handlerTypes]) internal.defineHandler(Document, type);

  class HTMLDocument extends Document {}
  class XMLDocument extends Document {
    constructor(given, number) {
      super(given, number);
    }
  }

  // The name of a customized built-in element in the options of `createElement`.
  const isOf = (options) => {
    const is = typeof options === 'object' && options !== null ? options.is : undefined;
    return is === undefined ? undefined : `${is}`;
  };
  const makeHtml = (document, name) => {
    // Only an unusual name needs the check.
    return /^[a-z][a-z0-9-]*$/.test(name)
      ? dom.createHtml(idOf(document), name)
      : dom.createUnsplit(idOf(document), HTML, name);
  };

  // The constructor depends on the kind of document.
  const choose = function (given, number) {
    return dom.isHtml(number) ? new HTMLDocument(given, number) : new XMLDocument(given, number);
  };
  internal.nodeClass(9, choose);
  // A parser makes documents of this class for XML as well.
  internal.plainDocument = (number) => new Document(token, number);
  internal.setAddress = setAddress;
  for (const Class of [DOMImplementation, Document, HTMLDocument, XMLDocument]) {
    internal.exposeClass(Class);
  }
});
