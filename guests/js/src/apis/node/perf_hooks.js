// node:perf_hooks.
(function () {
  'use strict';

  return { performance };
});
