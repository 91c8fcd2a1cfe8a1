// node:fs/promises.
(function (native, internal) {
  'use strict';

  return internal.part('fs').promises;
});
