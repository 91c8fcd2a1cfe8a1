// node:path/posix.
(function (native, internal) {
  'use strict';

  return internal.part('path').posix;
});
