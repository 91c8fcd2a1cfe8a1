// HTMLElement and its subclasses: mostly attributes under other names.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, mix, token, wrap } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const SVG = 'http://www.w3.org/2000/svg';
  const MATHML = 'http://www.w3.org/1998/Math/MathML';

  const { defineAccessor: define, readAttribute: read } = internal;

  class HTMLElement extends Element {
    constructor(given, number, names) {
      if (given !== token) return internal.constructElement(new.target);
      super(given, number, names);
    }
    get style() {
      return internal.styleFor(this);
    }
    set style(value) {
      internal.setAttribute(this, 'style', `${value}`);
    }
    get dataset() {
      return internal.datasetFor(this);
    }
    get innerText() {
      return dom.text(idOf(this));
    }
    set innerText(value) {
      internal.setChildText(this, value === null ? '' : `${value}`);
    }
    get outerText() {
      return dom.text(idOf(this));
    }
    get isContentEditable() {
      for (let at = this; at !== null; at = at.parentElement) {
        const value = read(at, 'contenteditable')?.toLowerCase();
        if (value === '' || value === 'true' || value === 'plaintext-only') return true;
        if (value === 'false') return false;
      }
      return false;
    }
    get offsetParent() {
      return null;
    }
    get offsetWidth() {
      return 0;
    }
    get offsetHeight() {
      return 0;
    }
    get offsetTop() {
      return 0;
    }
    get offsetLeft() {
      return 0;
    }
    click() {
      if (this.disabled === true && this.matches(':disabled')) return;
      this.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true, view: globalThis }));
    }
  }
  define(
    HTMLElement,
    'draggable',
    (element) => {
      const value = read(element, 'draggable')?.toLowerCase();
      if (value === 'true' || value === 'false') return value === 'true';
      const local = internal.localNameOf(element);
      return local === 'img' || (local === 'a' && read(element, 'href') !== null);
    },
    (element, value) => internal.setAttribute(element, 'draggable', `${Boolean(value)}`),
  );
  define(
    HTMLElement,
    'translate',
    (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const value = read(at, 'translate')?.toLowerCase();
        if (value === 'no') return false;
        if (value === '' || value === 'yes') return true;
      }
      return true;
    },
    (element, value) => internal.setAttribute(element, 'translate', value ? 'yes' : 'no'),
  );
  define(
    HTMLElement,
    'spellcheck',
    (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const value = read(at, 'spellcheck')?.toLowerCase();
        if (value === 'false') return false;
        if (value === '' || value === 'true') return true;
      }
      return true;
    },
    (element, value) => internal.setAttribute(element, 'spellcheck', `${Boolean(value)}`),
  );
  define(
    HTMLElement,
    'hidden',
    (element) => {
      const value = read(element, 'hidden');
      return value?.toLowerCase() === 'until-found' ? 'until-found' : value !== null;
    },
    (element, value) => {
      if (typeof value === 'string' && value.toLowerCase() === 'until-found') internal.setAttribute(element, 'hidden', 'until-found');
      else if (value === '' || !value || Number.isNaN(value)) internal.removeAttribute(element, 'hidden');
      else internal.setAttribute(element, 'hidden', '');
    },
  );
  const EDITABLE = ['true', 'false', 'plaintext-only'];
  define(
    HTMLElement,
    'contentEditable',
    (element) => {
      const value = read(element, 'contenteditable')?.toLowerCase();
      return value === '' ? 'true' : EDITABLE.includes(value) ? value : 'inherit';
    },
    (element, value) => {
      const wanted = `${value}`.toLowerCase();
      if (wanted === 'inherit') internal.removeAttribute(element, 'contenteditable');
      else if (EDITABLE.includes(wanted)) internal.setAttribute(element, 'contenteditable', wanted);
      else throw new internal.DOMException(`'${value}' is no state of contentEditable`, 'SyntaxError');
    },
  );
  // Elements that have the focus in their turn without an attribute.
  const FOCUSABLE = new Set(['button', 'frame', 'iframe', 'input', 'object', 'select', 'textarea']);
  define(
    HTMLElement,
    'tabIndex',
    (element) => {
      const found = /^[\t\n\f\r ]*([+-]?\d+)/.exec(read(element, 'tabindex') ?? '');
      const value = found === null ? NaN : Number(found[1]) + 0;
      if (value >= -2147483648 && value <= 2147483647) return value;
      const local = internal.localNameOf(element);
      if (FOCUSABLE.has(local)) return 0;
      if (local === 'a' || local === 'area') return read(element, 'href') === null ? -1 : 0;
      return local === 'summary' && element.parentElement?.localName === 'details' ? 0 : -1;
    },
    (element, value) => internal.setAttribute(element, 'tabindex', `${value | 0}`),
  );
  internal.handlerTypes =
    'abort auxclick beforeinput blur cancel change click close contextmenu copy cut dblclick drag dragend dragenter dragleave dragover dragstart drop error focus input invalid keydown keypress keyup load mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup paste pointercancel pointerdown pointerenter pointerleave pointermove pointerout pointerover pointerup reset resize scroll select submit toggle wheel'.split(
      ' ',
    );
  for (const type of internal.handlerTypes) internal.defineHandler(HTMLElement, type);

  class HTMLUnknownElement extends HTMLElement {}
  class SVGElement extends Element {
    get style() {
      return internal.styleFor(this);
    }
    get dataset() {
      return internal.datasetFor(this);
    }
    get ownerSVGElement() {
      return this.parentElement?.closest('svg') ?? null;
    }
  }
  class MathMLElement extends Element {
    get style() {
      return internal.styleFor(this);
    }
    get dataset() {
      return internal.datasetFor(this);
    }
  }
  class SVGSVGElement extends SVGElement {}

  // name of the class: tags
  const CLASSES = {
    Anchor: 'a', Area: 'area', Audio: 'audio', Base: 'base', Body: 'body', BR: 'br',
    Button: 'button', Canvas: 'canvas', Data: 'data', DataList: 'datalist', Details: 'details',
    Dialog: 'dialog', Directory: 'dir', Div: 'div', DList: 'dl', Embed: 'embed', FieldSet: 'fieldset', Font: 'font',
    Form: 'form', Frame: 'frame', FrameSet: 'frameset', Head: 'head', Heading: 'h1 h2 h3 h4 h5 h6',
    HR: 'hr', Html: 'html', IFrame: 'iframe', Image: 'img', Input: 'input', Label: 'label',
    Legend: 'legend', LI: 'li', Link: 'link', Map: 'map', Marquee: 'marquee', Menu: 'menu', Meta: 'meta',
    Meter: 'meter', Mod: 'del ins', Object: 'object', OList: 'ol', OptGroup: 'optgroup',
    Option: 'option', Output: 'output', Paragraph: 'p', Param: 'param', Picture: 'picture',
    Pre: 'pre listing xmp', Progress: 'progress', Quote: 'q blockquote', Script: 'script',
    Select: 'select', Slot: 'slot', Source: 'source', Span: 'span', Style: 'style',
    Table: 'table', TableCaption: 'caption', TableCell: 'td th', TableCol: 'col colgroup',
    TableRow: 'tr', TableSection: 'tbody thead tfoot', Template: 'template',
    TextArea: 'textarea', Time: 'time', Title: 'title', Track: 'track', UList: 'ul', Video: 'video',
  };
  const PLAIN =
    'abbr acronym address article aside b basefont bdi bdo big center cite code dd dfn dt em figcaption figure footer header hgroup i kbd main mark nav nobr noembed noframes noscript plaintext rb rp rt rtc ruby s samp search section small strike strong sub summary sup tt u var wbr';

  const byTag = new Map(PLAIN.split(' ').map((tag) => [tag, HTMLElement]));
  class HTMLMediaElement extends HTMLElement {}
  const named = { HTMLElement, HTMLMediaElement };
  for (const [name, tags] of Object.entries(CLASSES)) {
    const full = `HTML${name}Element`;
    const Parent = name === 'Audio' || name === 'Video' ? HTMLMediaElement : HTMLElement;
    const Class = { [full]: class extends Parent {} }[full];
    internal.hidden(Class, 'name', full);
    named[full] = Class;
    for (const tag of tags.split(' ')) byTag.set(tag, Class);
  }

  internal.makeElement = (id) => {
    const names = dom.names(id);
    const [local, namespace] = names;
    let Class = Element;
    if (namespace === HTML) {
      Class = byTag.get(local) ?? (local.includes('-') ? HTMLElement : HTMLUnknownElement);
    } else if (namespace === SVG) Class = local === 'svg' ? SVGSVGElement : SVGElement;
    else if (namespace === MATHML) Class = MathMLElement;
    return new Class(token, id, names);
  };

  internal.makeUnknown = (id) => new HTMLUnknownElement(token, id, dom.names(id));
  const interfaces = new Set([HTMLElement, ...Object.values(named)]);
  internal.isInterface = (Class) => interfaces.has(Class);
  // The class of an element of HTML; of an autonomous custom element for no name.
  internal.classFor = (local) => (local === '' ? HTMLElement : byTag.get(local));

  const N = (name) => named[`HTML${name}Element`];
  internal.htmlClass = N;
  for (const name of ['Anchor', 'Area']) {
    for (const part of 'protocol username password host hostname port pathname search hash origin'.split(' ')) {
      define(
        N(name),
        part,
        (element) => URL.parse(element.href)?.[part] ?? (part === 'protocol' ? ':' : ''),
        (element, value) => {
          const url = URL.parse(element.href);
          if (url === null) return;
          url[part] = value;
          element.href = url.href;
        },
      );
    }
    mix(N(name), {
      toString() {
        return this.href;
      },
    });
  }
  mix(N('Anchor'), {
    get text() {
      return this.textContent;
    },
    set text(value) {
      this.textContent = value;
    },
  });

  const ownText = (Class) =>
    mix(Class, {
      get text() {
        return this.textContent;
      },
      set text(value) {
        this.textContent = value;
      },
    });
  for (const name of ['Script', 'Title']) ownText(N(name));

  mix(N('Template'), {
    get content() {
      return wrap(dom.contents(idOf(this)));
    },
  });
  mix(N('Label'), {
    get control() {
      const id = read(this, 'for');
      const labelable = 'button, input:not([type=hidden i]), meter, output, progress, select, textarea';
      if (id === null) return this.querySelector(labelable);
      const control = this.getRootNode().querySelector?.(`#${CSS.escape(id)}`) ?? null;
      return control?.matches(labelable) ? control : null;
    },
  });
  mix(N('Image'), {
    get complete() {
      return true;
    },
    get naturalWidth() {
      return 0;
    },
    get naturalHeight() {
      return 0;
    },
    get currentSrc() {
      return '';
    },
  });
  // Nothing draws.
  mix(N('Canvas'), {
    getContext() {
      return null;
    },
  });
  mix(N('IFrame'), {
    get contentDocument() {
      return null;
    },
    get contentWindow() {
      return null;
    },
  });

  for (const Class of [HTMLUnknownElement, SVGElement, SVGSVGElement, MathMLElement]) {
    internal.exposeClass(Class);
  }
  for (const Class of Object.values(named)) internal.exposeClass(Class);
});
