// btcp.functions: functions that the embedding program registered.
(function (native, internal) {
  'use strict';

  const call = internal.hostCall('function.call', 'sv', 'v');
  internal.callFunction = (name, args) => call(name, args);
});
