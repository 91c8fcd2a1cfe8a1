// btcp.state and btcp.env: what the embedding program publishes.
(function (native, internal) {
  'use strict';

  const { hostCall, members } = internal;
  const get = hostCall('state.get', 's', 'v');
  const set = hostCall('state.set', 'sv', '');
  const describe = hostCall('state.describe', 's', 'v');
  const list = hostCall('state.list', '', 'v');
  const variable = hostCall('variable.get', 's', 'v');
  const variables = hostCall('variable.list', '', 'v');

  members.state = () => ({
    get: (name) => get(`${name}`),
    set: (name, content) => set(`${name}`, content),
    metadata: (name) => describe(`${name}`),
    list: () => list(),
  });

  members.env = () => ({
    get: (name) => variable(`${name}`),
    names: () => variables(),
  });
});
