// DOMParser and XMLSerializer.
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
      const parsed = internal.plainDocument(number);
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
      return internal.isAttr(node) ? '' : dom.outerXml(internal.id(node));
    }
  }

  for (const Class of [DOMParser, XMLSerializer]) internal.exposeClass(Class);
});
