// btcp.state and btcp.env: what the embedding program publishes.
(function (native, internal) {
  'use strict';

  const { hostCall, hostCalls, members } = internal;

  const state = hostCalls({
    get: hostCall('state.get', 's', 'v'),
    set: hostCall('state.set', 'sv', ''),
    metadata: hostCall('state.describe', 's', 'v'),
    list: hostCall('state.list', '', 'v'),
  });
  members.state = () => ({ ...state });

  const env = hostCalls({
    get: hostCall('variable.get', 's', 'v'),
    names: hostCall('variable.list', '', 'v'),
  });
  members.env = () => ({ ...env });
});
