// btcp.localStorage and btcp.sessionStorage: the web's, with promises.
(function (native, internal) {
  'use strict';

  const { hostCall, hostCalls, members } = internal;

  // Areas are numbers, the same for every call.
  const storage = (area) => {
    const calls = hostCalls({
      getItem: hostCall('storage.get', `${area}s`, 'v'),
      setItem: hostCall('storage.set', `${area}ss`, ''),
      removeItem: hostCall('storage.remove', `${area}s`, ''),
      keys: hostCall('storage.keys', `${area}`, 'v'),
      clear: hostCall('storage.clear', `${area}`, ''),
    });
    return () => ({ ...calls });
  };

  members.localStorage = storage(0);
  members.sessionStorage = storage(1);
});
