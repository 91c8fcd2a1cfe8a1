// node:url.
(function (native, internal) {
  'use strict';

  const { URL, URLSearchParams } = globalThis;
  return {
    URL,
    URLSearchParams,
    fileURLToPath: (url) => decodeURIComponent(new URL(url).pathname),
    pathToFileURL: (file) => new URL(`file://${internal.part('path').resolve(file)}`),
  };
});
