// Builds a small page with Vite and with webpack, as users of the package do.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');

/** Makes a project that depends on the package, with the page in it. */
function project(name) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `cofferdam-${name}-`));
  fs.cpSync(path.join(__dirname, 'bundled'), folder, { recursive: true });
  fs.mkdirSync(path.join(folder, 'node_modules/@cofferdam'), { recursive: true });
  // A copy of what npm would install, because a link would be followed out of the project.
  const web = path.join(folder, 'node_modules/@cofferdam/web');
  fs.mkdirSync(web);
  fs.copyFileSync(path.join(root, 'web/package.json'), path.join(web, 'package.json'));
  fs.cpSync(path.join(root, 'web/dist'), path.join(web, 'dist'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

async function withVite(folder) {
  const { build } = await import(require.resolve('vite'));
  await build({ root: folder, logLevel: 'warn', base: './', build: { target: 'es2022' } });
  return path.join(folder, 'dist');
}

async function withWebpack(folder) {
  const webpack = require('webpack');
  const output = path.join(folder, 'out');
  const settings = { mode: 'production', context: folder, entry: './main.js', output: { path: output, filename: 'main.js', publicPath: 'auto' }, performance: { hints: false } };
  await new Promise((resolve, reject) => {
    webpack(settings, (error, stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString({ all: false, errors: true })));
      else resolve();
    });
  });
  fs.writeFileSync(path.join(output, 'index.html'), fs.readFileSync(path.join(folder, 'index.html'), 'utf8').replace('/main.js', 'main.js'));
  return output;
}

/** Builds the page with a bundler; returns the folder to serve and a function that removes it. */
exports.bundle = async function bundle(name) {
  const folder = project(name);
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  try {
    return { served: await (name === 'vite' ? withVite : withWebpack)(folder), remove };
  } catch (error) {
    remove();
    throw error;
  }
};

exports.BUNDLERS = ['vite', 'webpack'];
