// btcp.localStorage and btcp.sessionStorage: the web's, answered by promises.
(function (native, internal) {
  'use strict';

  const { hostCall, members } = internal;
  const get = hostCall('storage.get', 'bs', 'v');
  const set = hostCall('storage.set', 'bss', '');
  const remove = hostCall('storage.remove', 'bs', '');
  const keys = hostCall('storage.keys', 'b', 'v');
  const clear = hostCall('storage.clear', 'b', '');

  // A template makes a new string of a string.
  const text = (value) => (typeof value === 'string' ? value : `${value}`);

  const storage = (area) => () => ({
    getItem: (key) => get(area, typeof key === 'string' ? key : `${key}`),
    setItem: (key, value) => set(area, text(key), text(value)),
    removeItem: (key) => remove(area, text(key)),
    keys: () => keys(area),
    clear: () => clear(area),
  });

  members.localStorage = storage(0);
  members.sessionStorage = storage(1);
});
