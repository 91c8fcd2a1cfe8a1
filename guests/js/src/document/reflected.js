// The properties of elements of HTML that are attributes.
(function (native, internal) {
  'use strict';

  const { htmlClass: N, readAttribute: read, reflect } = internal;
  const { address, clamped, flag, long, natural, nullText, positive, real, text, tokens, unsigned, word } = reflect;
  const of = (kind) => (names, ...rest) => {
    for (const name of names.split(' ')) kind(N(name), ...rest);
  };
  const [texts, flags, addresses] = [of(text), of(flag), of(address)];
  const POLICIES =
    'no-referrer no-referrer-when-downgrade same-origin origin strict-origin origin-when-cross-origin strict-origin-when-cross-origin unsafe-url';
  const METHODS = 'get post dialog';
  const ENCODINGS = 'application/x-www-form-urlencoded multipart/form-data text/plain';
  const RELATIONS = new Set('alternate dns-prefetch expect icon manifest modulepreload next pingback preconnect prefetch preload prerender search stylesheet'.split(' '));
  const LINK_RELATIONS = new Set(['noreferrer', 'noopener', 'opener']);
  const SANDBOX = new Set(
    'allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts allow-top-navigation allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols'.split(' '),
  );

  // Every element of HTML.
  text(HTMLElement, 'title lang accessKey');
  word(HTMLElement, 'dir', 'ltr rtl auto');
  flag(HTMLElement, 'inert autofocus');
  word(HTMLElement, 'inputMode', 'none text tel url email numeric decimal search');
  word(HTMLElement, 'enterKeyHint', 'enter done go next previous search send');
  word(HTMLElement, 'popover', 'auto manual hint', null, 'manual', { '': 'auto' });

  // Several elements share these.
  of(word)('Anchor Area IFrame Image Link Script', 'referrerPolicy', POLICIES);
  of(word)('Image Link Script Audio Video', 'crossOrigin', 'anonymous use-credentials', null, 'anonymous');
  of(word)('Image IFrame', 'loading', 'lazy eager', 'eager');
  of(word)('Image Link Script', 'fetchPriority', 'high low auto', 'auto');
  of(tokens)('Anchor Area Form', 'relList=rel', LINK_RELATIONS);
  texts('Anchor Area Form', 'rel target');
  texts('Div Embed Heading HR IFrame Image Input Legend Object Paragraph Table TableCaption TableCell TableCol TableRow TableSection', 'align');

  texts('Anchor', 'download ping hreflang type coords charset name rev shape');
  addresses('Anchor', 'href');
  texts('Area', 'alt coords shape download ping');
  addresses('Area', 'href');
  flags('Area', 'noHref');
  texts('Base', 'target');
  nullText(N('Body'), 'text link vLink aLink bgColor');
  texts('Body', 'background');
  texts('BR', 'clear');
  texts('Button', 'name value formTarget');
  flags('Button', 'disabled formNoValidate');
  word(N('Button'), 'type', 'submit reset button', 'submit');
  of(word)('Button Input', 'formMethod', METHODS, '', 'get');
  of(word)('Button Input', 'formEnctype', ENCODINGS, '', 'application/x-www-form-urlencoded');
  unsigned(N('Canvas'), 'width', 300);
  unsigned(N('Canvas'), 'height', 150);
  texts('Data', 'value');
  flags('Details', 'open');
  texts('Details', 'name');
  flags('Dialog', 'open');
  flags('DList Directory Menu OList UList', 'compact');
  addresses('Embed', 'src');
  texts('Embed', 'type width height name');
  flags('FieldSet', 'disabled');
  texts('FieldSet', 'name');
  nullText(N('Font'), 'color');
  texts('Font', 'face size');
  texts('Form', 'name acceptCharset=accept-charset');
  flags('Form', 'noValidate');
  word(N('Form'), 'method', METHODS, 'get');
  word(N('Form'), 'enctype encoding=enctype', ENCODINGS, 'application/x-www-form-urlencoded');
  word(N('Form'), 'autocomplete', 'on off', 'on');
  texts('Frame', 'name scrolling frameBorder');
  addresses('Frame', 'src longDesc');
  flags('Frame', 'noResize');
  nullText(N('Frame'), 'marginHeight marginWidth');
  texts('FrameSet', 'cols rows');
  texts('HR', 'color size width');
  flags('HR', 'noShade');
  texts('Html', 'version');
  texts('IFrame', 'name srcdoc allow width height scrolling frameBorder');
  addresses('IFrame', 'src longDesc');
  flags('IFrame', 'allowFullscreen');
  nullText(N('IFrame'), 'marginHeight marginWidth');
  tokens(N('IFrame'), 'sandbox=sandbox', SANDBOX);
  texts('Image', 'alt srcset sizes useMap name');
  addresses('Image', 'src longDesc lowsrc');
  flags('Image', 'isMap');
  unsigned(N('Image'), 'width height hspace vspace');
  word(N('Image'), 'decoding', 'async sync auto', 'auto');
  nullText(N('Image'), 'border');
  texts('Input', 'name placeholder pattern min max step accept alt defaultValue=value dirName formTarget useMap autocomplete');
  addresses('Input', 'src');
  flags('Input', 'disabled readOnly required multiple defaultChecked=checked formNoValidate');
  natural(N('Input'), 'maxLength minLength');
  positive(N('Input'), 'size', 20, false);
  unsigned(N('Input'), 'width height');
  texts('Label', 'htmlFor=for');
  texts('LI', 'type');
  long(N('LI'), 'value');
  texts('Link', 'rel media hreflang type integrity charset rev target imageSrcset imageSizes');
  addresses('Link', 'href');
  flags('Link', 'disabled');
  word(N('Link'), 'as', 'fetch audio document embed font image manifest object report script sharedworker style track video worker xslt json text');
  tokens(N('Link'), 'relList=rel', RELATIONS);
  tokens(N('Link'), 'sizes=sizes');
  tokens(N('Link'), 'blocking=blocking', new Set(['render']));
  texts('Map', 'name');
  texts('Marquee', 'behavior bgColor direction height width');
  unsigned(N('Marquee'), 'hspace vspace');
  unsigned(N('Marquee'), 'scrollAmount', 6);
  unsigned(N('Marquee'), 'scrollDelay', 85);
  flags('Marquee', 'trueSpeed');
  texts('Meta', 'name content httpEquiv=http-equiv media scheme');
  real(N('Progress'), 'max', 1, true);
  addresses('Mod', 'cite');
  texts('Mod', 'dateTime');
  addresses('Object', 'data codeBase');
  texts('Object', 'name type width height useMap archive code standby codeType');
  flags('Object', 'declare');
  unsigned(N('Object'), 'hspace vspace');
  nullText(N('Object'), 'border');
  long(N('OList'), 'start', 1);
  flags('OList', 'reversed');
  texts('OList UList', 'type');
  texts('OptGroup', 'label');
  flags('OptGroup Option', 'disabled');
  flags('Option', 'defaultSelected=selected');
  texts('Output', 'name');
  tokens(N('Output'), 'htmlFor=for');
  texts('Param', 'name value type valueType');
  long(N('Pre'), 'width');
  addresses('Quote', 'cite');
  texts('Script', 'type charset integrity event htmlFor=for');
  addresses('Script', 'src');
  flags('Script', 'async defer noModule');
  tokens(N('Script'), 'blocking=blocking', new Set(['render']));
  texts('Select', 'name autocomplete');
  flags('Select', 'disabled multiple required');
  unsigned(N('Select'), 'size');
  texts('Slot', 'name');
  texts('Source', 'srcset sizes type media');
  addresses('Source', 'src');
  unsigned(N('Source'), 'width height');
  texts('Style', 'type media');
  tokens(N('Style'), 'blocking=blocking', new Set(['render']));
  texts('Table', 'border frame rules summary width');
  nullText(N('Table'), 'bgColor cellPadding cellSpacing');
  texts('TableCell', 'headers abbr axis height width ch=char chOff=charoff vAlign');
  word(N('TableCell'), 'scope', 'row col rowgroup colgroup');
  flags('TableCell', 'noWrap');
  nullText(N('TableCell'), 'bgColor');
  clamped(N('TableCell'), 'colSpan', 1, 1000, 1);
  clamped(N('TableCell'), 'rowSpan', 0, 65534, 1);
  clamped(N('TableCol'), 'span', 1, 1000, 1);
  texts('TableCol', 'ch=char chOff=charoff vAlign width');
  texts('TableRow TableSection', 'ch=char chOff=charoff vAlign');
  nullText(N('TableRow'), 'bgColor');
  word(N('Template'), 'shadowRootMode', 'open closed');
  flags('Template', 'shadowRootDelegatesFocus shadowRootClonable shadowRootSerializable');
  texts('TextArea', 'name placeholder wrap dirName autocomplete');
  flags('TextArea', 'disabled readOnly required');
  natural(N('TextArea'), 'maxLength minLength');
  positive(N('TextArea'), 'cols', 20, true);
  positive(N('TextArea'), 'rows', 2, true);
  texts('Time', 'dateTime');
  word(N('Track'), 'kind', 'subtitles captions descriptions chapters metadata', 'subtitles', 'metadata');
  addresses('Track', 'src');
  texts('Track', 'srclang label');
  flags('Track', 'default');
  addresses('Audio Video', 'src');
  flags('Audio Video', 'autoplay controls loop defaultMuted=muted');
  of(word)('Audio Video', 'preload', 'none metadata auto', 'metadata', 'metadata', { '': 'auto' });
  addresses('Video', 'poster');
  flags('Video', 'playsInline');
  unsigned(N('Video'), 'width height');

  // An address that is missing or empty is that of the document.
  for (const [name, key] of [['Form', 'action'], ['Button', 'formAction'], ['Input', 'formAction']]) {
    internal.defineAccessor(
      N(name),
      key,
      (element) => {
        const value = read(element, key.toLowerCase());
        if (value === null || value === '') return element.ownerDocument.URL;
        return URL.parse(value, element.baseURI)?.href ?? value;
      },
      (element, value) => internal.setAttribute(element, key.toLowerCase(), `${value}`),
    );
  }
  internal.defineAccessor(
    N('Base'),
    'href',
    (element) => {
      const value = read(element, 'href') ?? '';
      return URL.parse(value, element.ownerDocument.URL)?.href ?? value;
    },
    (element, value) => internal.setAttribute(element, 'href', `${value}`),
  );
});
