// Responses of `data:` URLs, which hold their content: no host is asked, so nothing has to be
// granted.
(function (native, internal) {
  'use strict';

  const { dataBytes } = native;
  const { makeResponse, parseMime, writeMime } = internal;
  const MAX_SHOWN = 60;

  const malformed = (href, why) => {
    const shown = href.length > MAX_SHOWN ? `${href.slice(0, MAX_SHOWN)}…` : href;
    return new TypeError(`fetch: ${shown}: ${why}`);
  };

  internal.isDataUrl = (href) => href.startsWith('data:');

  // The type and the bytes that a data URL holds.
  const contentOf = (url) => {
    const comma = url.indexOf(',');
    if (comma === -1) throw malformed(url, 'a data URL needs a comma before its content');
    let type = url.slice('data:'.length, comma).replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
    const base64 = /; *base64$/i.exec(type);
    if (base64 !== null) type = type.slice(0, base64.index);
    if (type.startsWith(';')) type = `text/plain${type}`;
    const body = dataBytes(url.slice(comma + 1), base64 !== null);
    if (body === undefined || body === null) throw malformed(url, 'its content is not base64');
    return { body, mime: parseMime(type) ?? parseMime('text/plain;charset=US-ASCII') };
  };
  internal.dataContent = (href) => {
    const { body, mime } = contentOf(href.split('#', 1)[0]);
    return { bytes: body, type: mime.essence };
  };

  internal.dataResponse = (href, method) => {
    const url = href.split('#', 1)[0];
    const { body, mime } = contentOf(url);
    return makeResponse({
      status: 200,
      statusText: 'OK',
      headers: [['content-type', writeMime(mime)]],
      url,
      body: method === 'HEAD' ? null : body,
    });
  };
});
