// node:os: facts about the sandbox, the same on every machine.
(function () {
  'use strict';

  return {
    EOL: '\n',
    platform: () => 'linux',
    type: () => 'Linux',
    arch: () => 'wasm32',
    homedir: () => '/home/user',
    tmpdir: () => '/tmp',
    hostname: () => 'cofferdam',
    cpus: () => [],
  };
});
