// atob and btoa.
(function (native, internal) {
  'use strict';

  const { DOMException } = internal;
  const { atob: decode, btoa: encode } = native;

  const functions = {
    atob(data) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'atob'");
      const text = decode(`${data}`);
      if (typeof text === 'string') return text;
      throw new DOMException(
        'The string to be decoded is not correctly encoded.',
        'InvalidCharacterError',
      );
    },
    btoa(data) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'btoa'");
      const text = encode(`${data}`);
      if (typeof text === 'string') return text;
      throw new DOMException('Invalid character', 'InvalidCharacterError');
    },
  };
  internal.exposeFunction('atob', functions.atob);
  internal.exposeFunction('btoa', functions.btoa);
});
