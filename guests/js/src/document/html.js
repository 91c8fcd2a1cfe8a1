// HTMLElement and its subclasses: mostly attributes under other names.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, mix, token, wrap } = internal;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const SVG = 'http://www.w3.org/2000/svg';
  const MATHML = 'http://www.w3.org/1998/Math/MathML';

  const read = (element, name) => dom.attribute(idOf(element), name) ?? null;
  const define = (Class, key, get, set) => {
    const accessors = { get [key]() { return get(this); }, set [key](value) { set(this, value); } };
    const descriptor = Object.getOwnPropertyDescriptor(accessors, key);
    if (set === undefined) descriptor.set = undefined;
    Object.defineProperty(Class.prototype, key, { ...descriptor, enumerable: true });
  };
  const text = (Class, keys) => {
    for (const key of keys.split(' ')) {
      const [property, name = property.toLowerCase()] = key.split('=');
      define(
        Class,
        property,
        (element) => read(element, name) ?? '',
        (element, value) => internal.setAttribute(element, name, `${value}`),
      );
    }
  };
  const flag = (Class, keys) => {
    for (const key of keys.split(' ')) {
      const [property, name = property.toLowerCase()] = key.split('=');
      define(
        Class,
        property,
        (element) => read(element, name) !== null,
        (element, value) => void element.toggleAttribute(name, Boolean(value)),
      );
    }
  };
  const number = (Class, keys, missing = 0) => {
    for (const key of keys.split(' ')) {
      define(
        Class,
        key,
        (element) => {
          const value = parseInt(read(element, key.toLowerCase()) ?? '', 10);
          return Number.isNaN(value) ? missing : value;
        },
        (element, value) => internal.setAttribute(element, key.toLowerCase(), `${value | 0}`),
      );
    }
  };
  const real = (Class, table) => {
    for (const [key, missing] of Object.entries(table)) {
      define(
        Class,
        key,
        (element) => {
          const value = parseFloat(read(element, key) ?? '');
          return Number.isFinite(value) ? value : missing;
        },
        (element, value) => {
          const wanted = Number(value);
          if (!Number.isFinite(wanted)) throw internal.wrongType(key, 'a finite number', value);
          internal.setAttribute(element, key, `${wanted}`);
        },
      );
    }
  };
  const address = (Class, keys) => {
    for (const key of keys.split(' ')) {
      define(
        Class,
        key,
        (element) => {
          const value = read(element, key.toLowerCase());
          if (value === null) return '';
          return URL.parse(value, element.baseURI)?.href ?? URL.parse(value)?.href ?? value;
        },
        (element, value) => internal.setAttribute(element, key.toLowerCase(), `${value}`),
      );
    }
  };

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
      internal.setChildText(this, `${value}`);
    }
    get outerText() {
      return dom.text(idOf(this));
    }
    get isContentEditable() {
      return read(this, 'contenteditable') !== null && read(this, 'contenteditable') !== 'false';
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
  text(HTMLElement, 'title lang dir accessKey contentEditable');
  flag(HTMLElement, 'hidden inert');
  define(
    HTMLElement,
    'draggable',
    (element) => read(element, 'draggable')?.toLowerCase() === 'true',
    (element, value) => internal.setAttribute(element, 'draggable', `${Boolean(value)}`),
  );
  define(
    HTMLElement,
    'translate',
    (element) => (element.closest('[translate]')?.getAttribute('translate') ?? 'yes').toLowerCase() !== 'no',
    (element, value) => internal.setAttribute(element, 'translate', value ? 'yes' : 'no'),
  );
  number(HTMLElement, 'tabIndex', -1);
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
    Dialog: 'dialog', Div: 'div', DList: 'dl', Embed: 'embed', FieldSet: 'fieldset', Font: 'font',
    Form: 'form', Frame: 'frame', FrameSet: 'frameset', Head: 'head', Heading: 'h1 h2 h3 h4 h5 h6',
    HR: 'hr', Html: 'html', IFrame: 'iframe', Image: 'img', Input: 'input', Label: 'label',
    Legend: 'legend', LI: 'li', Link: 'link', Map: 'map', Menu: 'menu', Meta: 'meta',
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
  const named = { HTMLElement };
  for (const [name, tags] of Object.entries(CLASSES)) {
    const full = `HTML${name}Element`;
    const Class = { [full]: class extends HTMLElement {} }[full];
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
  internal.readAttribute = read;
  text(N('Anchor'), 'target download rel hreflang type referrerPolicy');
  text(N('Area'), 'alt coords shape target rel');
  for (const name of ['Anchor', 'Area']) {
    address(N(name), 'href');
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
    get relList() {
      return internal.tokensOf(this, 'rel');
    },
  });
  address(N('Base'), 'href');
  text(N('Base'), 'target');
  text(N('Button'), 'name value formAction formMethod');
  flag(N('Button'), 'disabled autofocus formNoValidate');
  text(N('Button'), 'formEnctype formTarget');
  real(N('Meter'), { value: 0, min: 0, max: 1, low: 0, high: 1, optimum: 0.5 });
  real(N('Progress'), { value: 0, max: 1 });
  text(N('Embed'), 'type width height');
  number(N('Canvas'), 'width', 300);
  number(N('Canvas'), 'height', 150);
  text(N('Data'), 'value');
  flag(N('Details'), 'open');
  flag(N('Dialog'), 'open');
  flag(N('FieldSet'), 'disabled');
  text(N('FieldSet'), 'name');
  text(N('Font'), 'color face size');
  text(N('Form'), 'name method target enctype acceptCharset=accept-charset autocomplete');
  address(N('Form'), 'action');
  flag(N('Form'), 'noValidate');
  text(N('Html'), 'version');
  text(N('IFrame'), 'name srcdoc allow width height referrerPolicy');
  address(N('IFrame'), 'src');
  text(N('Image'), 'alt srcset sizes useMap loading decoding crossOrigin referrerPolicy');
  address(N('Image'), 'src');
  number(N('Image'), 'width height');
  flag(N('Image'), 'isMap');
  text(N('Input'), 'name placeholder pattern min max step accept alt autocomplete defaultValue=value');
  address(N('Input'), 'src formAction');
  flag(N('Input'), 'disabled readOnly required multiple autofocus defaultChecked=checked');
  number(N('Input'), 'size maxLength minLength', -1);
  text(N('Label'), 'htmlFor=for');
  text(N('LI'), 'type');
  number(N('LI'), 'value');
  text(N('Link'), 'rel type media hreflang as crossOrigin integrity');
  address(N('Link'), 'href');
  flag(N('Link'), 'disabled');
  text(N('Map'), 'name');
  text(N('Meta'), 'name content httpEquiv=http-equiv charset media');
  text(N('Mod'), 'cite dateTime');
  text(N('Object'), 'name type width height');
  address(N('Object'), 'data');
  address(N('Embed'), 'src');
  number(N('OList'), 'start', 1);
  flag(N('OList'), 'reversed');
  text(N('OList'), 'type');
  text(N('OptGroup'), 'label');
  flag(N('OptGroup'), 'disabled');
  flag(N('Option'), 'disabled defaultSelected=selected');
  text(N('Output'), 'name');
  text(N('Param'), 'name value');
  text(N('Quote'), 'cite');
  text(N('Script'), 'type charset crossOrigin integrity');
  address(N('Script'), 'src');
  flag(N('Script'), 'async defer noModule');
  text(N('Select'), 'name autocomplete');
  flag(N('Select'), 'disabled multiple required');
  number(N('Select'), 'size');
  text(N('Slot'), 'name');
  text(N('Source'), 'srcset sizes type media');
  address(N('Source'), 'src');
  text(N('Style'), 'type media');
  text(N('TableCell'), 'headers scope abbr align vAlign width height bgColor');
  number(N('TableCell'), 'colSpan rowSpan', 1);
  number(N('TableCol'), 'span', 1);
  text(N('TextArea'), 'name placeholder wrap autocomplete');
  flag(N('TextArea'), 'disabled readOnly required');
  number(N('TextArea'), 'cols rows maxLength minLength');
  text(N('Time'), 'dateTime');
  text(N('Track'), 'kind label srclang');
  address(N('Track'), 'src');
  for (const name of ['Audio', 'Video']) {
    address(N(name), 'src');
    flag(N(name), 'autoplay controls loop defaultMuted=muted');
    text(N(name), 'preload crossOrigin');
  }
  address(N('Video'), 'poster');
  number(N('Video'), 'width height');

  const ownText = (Class) =>
    mix(Class, {
      get text() {
        return this.textContent;
      },
      set text(value) {
        this.textContent = value;
      },
    });
  for (const name of ['Script', 'Title', 'Body']) ownText(N(name));

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
  mix(N('Option'), {
    get text() {
      return this.textContent.trim().replace(/[\t\n\f\r ]+/g, ' ');
    },
    set text(value) {
      this.textContent = value;
    },
    get label() {
      return read(this, 'label') ?? this.text;
    },
    set label(value) {
      internal.setAttribute(this, 'label', `${value}`);
    },
    get value() {
      return read(this, 'value') ?? this.text;
    },
    set value(value) {
      internal.setAttribute(this, 'value', `${value}`);
    },
    get selected() {
      const select = this.closest('select');
      if (select === null || select.multiple) return read(this, 'selected') !== null;
      return select.options[select.selectedIndex] === this;
    },
    set selected(value) {
      const select = this.closest('select');
      if (value && select !== null && !select.multiple) {
        for (const option of select.options) option.removeAttribute('selected');
      }
      this.toggleAttribute('selected', Boolean(value));
    },
    get index() {
      const select = this.closest('select');
      return select === null ? 0 : Array.prototype.indexOf.call(select.options, this);
    },
  });
  mix(N('Select'), {
    get options() {
      return internal.liveElements(() => dom.queryAll(idOf(this), 'option'), HTMLOptionsCollection);
    },
    get selectedOptions() {
      return internal.liveElements(() =>
        [...this.options].filter((option) => option.selected).map(idOf),
      );
    },
    get length() {
      return this.options.length;
    },
    get type() {
      return this.multiple ? 'select-multiple' : 'select-one';
    },
    get selectedIndex() {
      const options = [...this.options];
      const chosen = options.findLastIndex((option) => option.hasAttribute('selected'));
      if (chosen >= 0 || this.multiple || options.length === 0) return chosen;
      return Math.max(0, options.findIndex((option) => !option.disabled));
    },
    set selectedIndex(index) {
      [...this.options].forEach((option, at) => option.toggleAttribute('selected', at === index));
    },
    get value() {
      return this.options[this.selectedIndex]?.value ?? '';
    },
    set value(value) {
      this.selectedIndex = [...this.options].findIndex((option) => option.value === `${value}`);
    },
    add(option, before = null) {
      internal.insert(this, option, typeof before === 'number' ? this.options[before] : before);
    },
    item(index) {
      return this.options.item(index);
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
