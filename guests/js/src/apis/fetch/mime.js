// MIME types, read and written as the MIME Sniffing standard does.
(function (native, internal) {
  'use strict';

  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
  const trimEnd = (text) => text.replace(/[\t\n\r ]+$/, '');

  // Parameters by name, the first of each.
  const readParameters = (text) => {
    const parameters = new Map();
    let at = 0;
    const upTo = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      const end = found === null ? text.length : found.index;
      const part = text.slice(at, end);
      at = end;
      return part;
    };
    // The text between quotes; a backslash takes the next character as it is.
    const quoted = () => {
      let value = '';
      for (at++; at < text.length && text[at] !== '"'; at++) {
        if (text[at] === '\\' && at + 1 < text.length) at++;
        value += text[at];
      }
      upTo(/;/g);
      return value;
    };
    while (at < text.length) {
      at++;
      upTo(/[^\t\n\r ]/g);
      const name = upTo(/[;=]/g).toLowerCase();
      if (text[at] !== '=') continue;
      at++;
      if (at >= text.length) break;
      const isQuoted = text[at] === '"';
      const value = isQuoted ? quoted() : trimEnd(upTo(/;/g));
      if (!isQuoted && value === '') continue;
      if (TOKEN.test(name) && VALUE.test(value) && !parameters.has(name)) {
        parameters.set(name, value);
      }
    }
    return parameters;
  };

  // `{ essence, parameters }`; undefined for a text that is no MIME type.
  const parseMime = (text) => {
    const trimmed = trimEnd(text.replace(/^[\t\n\r ]+/, ''));
    const semicolon = trimmed.indexOf(';');
    const head = semicolon === -1 ? trimmed : trimEnd(trimmed.slice(0, semicolon));
    const slash = head.indexOf('/');
    if (slash === -1 || !TOKEN.test(head.slice(0, slash)) || !TOKEN.test(head.slice(slash + 1))) {
      return undefined;
    }
    return {
      essence: head.toLowerCase(),
      parameters: readParameters(semicolon === -1 ? '' : trimmed.slice(semicolon)),
    };
  };

  const writeMime = ({ essence, parameters }) => {
    let text = essence;
    for (const [name, value] of parameters) {
      text += `;${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
    }
    return text;
  };

  // The type that a Content-Type header gives, which is the last valid one of several. A charset
  // holds on for as long as the type stays the same.
  const contentType = (header) => {
    let last;
    for (const part of header.match(/(?:"(?:[^"\\]|\\[^])*"?|[^",])+/g) ?? []) {
      const type = parseMime(part);
      if (type === undefined || type.essence === '*/*') continue;
      const charset = last?.parameters.get('charset');
      if (last?.essence === type.essence && charset !== undefined) {
        if (!type.parameters.has('charset')) type.parameters.set('charset', charset);
      }
      last = type;
    }
    return last;
  };

  Object.assign(internal, { contentType, parseMime, writeMime });
});
