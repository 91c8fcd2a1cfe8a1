// Math.random from the host's randomness.
(function (native, internal) {
  'use strict';

  const { random: next } = native;
  internal.hidden(
    Math,
    'random',
    {
      random() {
        return next();
      },
    }.random,
  );
});
