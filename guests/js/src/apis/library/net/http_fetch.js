// `fetch` of URLs that a server of the same tool has.
import { internal } from 'host';
import { Buffer } from 'buffer';
import { isServed } from 'internal/net/connections';

const { addAlgorithm, removeAlgorithm } = internal;
const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_HOPS = 20;
const DECODERS = { __proto__: null, gzip: 'createGunzip', 'x-gzip': 'createGunzip', deflate: 'createInflate', br: 'createBrotliDecompress' };

const send = (url, method, headers, body, signal) =>
  new Promise((resolve, reject) => {
    const request = internal.library('http').request(url, { method, headers });
    const abort = (reason) => request.destroy(reason);
    addAlgorithm(signal, abort);
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => removeAlgorithm(signal, abort));
    request.end(body);
  });

const failed = (cause) => Object.assign(new TypeError('fetch failed'), { cause });

// `fetch` of a URL that a server of the tool has; undefined for another.
export const localFetch = (request) => {
  const isLocal = (url) => url.protocol === 'http:' && isServed(url.hostname, Number(url.port || 80));
  if (!isLocal(new URL(request.url))) return undefined;
  return (async () => {
    let url = new URL(request.url);
    let { method } = request;
    let body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const headers = [['host', url.host], ['connection', 'keep-alive'], ...request.headers];
    const add = (name, value) => headers.some(([known]) => known === name) || headers.push([name, value]);
    add('accept', '*/*');
    add('accept-language', '*');
    add('sec-fetch-mode', 'cors');
    add('user-agent', 'node');
    add('accept-encoding', 'gzip, deflate');
    for (let hops = 0; ; hops++) {
      let answer;
      try {
        answer = await send(url, method, headers, body, request.signal);
      } catch (cause) {
        request.signal.throwIfAborted();
        throw failed(cause);
      }
      const status = answer.statusCode;
      const { location } = answer.headers;
      if (!REDIRECTS.includes(status) || location === undefined || request.redirect === 'manual') {
        return respond(answer, url.href, hops > 0, method, request.signal);
      }
      answer.destroy();
      if (request.redirect === 'error') throw failed(new Error('unexpected redirect'));
      if (hops === MAX_HOPS) throw failed(new Error('redirect count exceeded'));
      url = new URL(location, url);
      if ((status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST')) {
        [method, body] = ['GET', undefined];
        for (let at = headers.length - 1; at > 0; at--) if (/^content-/.test(headers[at][0])) headers.splice(at, 1);
      }
      if (!isLocal(url)) {
        const kept = headers.slice(2).filter(([name]) => name !== 'authorization' && name !== 'cookie');
        return internal.fetch(url, { method, headers: kept, body, signal: request.signal });
      }
      headers[0][1] = url.host;
    }
  })();
};

const respond = (answer, url, redirected, method, signal) => {
  const headers = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) headers.push(answer.rawHeaders.slice(at, at + 2));
  const { statusCode: status, statusMessage: statusText } = answer;
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  const decoder = isEmpty ? undefined : DECODERS[answer.headers['content-encoding']?.toLowerCase()];
  const source = decoder === undefined ? answer : answer.pipe(internal.library('zlib')[decoder]());
  const abort = (reason) => source.destroy(reason);
  addAlgorithm(signal, abort);
  answer.on('close', () => removeAlgorithm(signal, abort));
  const stream = new ReadableStream({
    type: 'bytes',
    start(controller) {
      const fail = (error) => controller.error(signal.aborted ? signal.reason : Object.assign(new TypeError('terminated'), { cause: error }));
      source.on('data', (piece) => {
        controller.enqueue(new Uint8Array(piece));
        if (controller.desiredSize <= 0) source.pause();
      });
      source.on('end', () => {
        controller.close();
        controller.byobRequest?.respond(0);
      });
      source.on('error', fail);
      if (source !== answer) answer.on('error', fail);
    },
    pull: () => void source.resume(),
    cancel: () => void source.destroy(),
  });
  if (isEmpty) answer.resume();
  return internal.makeResponse({ status, statusText, headers, url, redirected, body: isEmpty ? null : stream });
};
export default { localFetch };
