// URLs that stand for a blob, within one run. Loaded at the first use; no host is asked, so nothing
// has to be granted.
(function (native, internal) {
  'use strict';

  const { uncurry } = internal.primordials;
  const { cloneBlob, isBlob, makeResponse } = internal;
  const { crypto } = globalThis;
  const { randomUUID } = crypto;
  const urls = new Map();
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapDelete = uncurry(Map.prototype.delete);

  const create = (blob) => {
    if (!isBlob(blob)) throw internal.wrongType('obj', 'an instance of Blob', blob);
    const url = `blob:nodedata:${Reflect.apply(randomUUID, crypto, [])}`;
    mapSet(urls, url, cloneBlob(blob));
    return url;
  };
  const withoutFragment = (url) => `${url}`.split('#', 1)[0];
  const revoke = (url) => void mapDelete(urls, `${url}`);
  const find = (url) => mapGet(urls, withoutFragment(url));

  // `bytes=FROM-TO`, `bytes=FROM-` or `bytes=-LAST` of a blob: [from, end], undefined if it is none.
  const rangeOf = (header, size) => {
    const [, from, to] = /^bytes[\t ]*=[\t ]*([0-9]*)[\t ]*-[\t ]*([0-9]*)$/i.exec(header) ?? [];
    if (from === undefined || (from === '' && to === '')) return undefined;
    if (from === '') return [Math.max(0, size - to), size];
    const end = to === '' ? size : Math.min(size, Number(to) + 1);
    return from < size && from < end ? [Number(from), end] : undefined;
  };

  const failed = (why) => internal.hidden(new TypeError('fetch failed'), 'cause', new Error(why));

  const respond = (request) => {
    const blob = find(request.url);
    if (request.method !== 'GET') throw failed('invalid method');
    if (blob === undefined) throw failed('invalid blob url');
    const bytes = internal.blobBytes(blob);
    const size = bytes.byteLength;
    const range = request.headers.get('range');
    const headers = [['content-length', `${size}`], ['content-type', internal.blobType(blob)]];
    const url = withoutFragment(request.url);
    if (range === null) return makeResponse({ status: 200, statusText: 'OK', headers, url, body: bytes.slice() });
    const part = rangeOf(range, size);
    if (part === undefined) throw failed('invalid range');
    const [from, end] = part;
    headers[0][1] = `${end - from}`;
    headers.push(['content-range', `bytes ${from}-${end - 1}/${size}`]);
    return makeResponse({ status: 206, statusText: 'Partial Content', headers, url, body: bytes.slice(from, end) });
  };

  return { create, find, respond, revoke };
});
