// Sources of the package as modules of Node, for checks of what no page can see.
'use strict';

const path = require('node:path');
const esbuild = require('esbuild');

/** Returns the module of a file of web/src. */
async function load(file) {
  const built = await esbuild.build({ entryPoints: [path.resolve(__dirname, '../../web/src', file)], bundle: true, format: 'esm', write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString('base64')}`);
}

module.exports = { load };
