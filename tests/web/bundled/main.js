// A small page that uses the package through a bundler.
import { Sandbox } from '@cofferdam/web'

async function use() {
  const sandbox = await Sandbox.create()
  const tool = await sandbox.run('return 6 * 7')
  const shell = await sandbox.sh('echo bundled | tr a-z A-Z')
  sandbox.destroy()
  const framed = await Sandbox.create({ boundary: 'iframe' })
  const title = await framed.run('document.title = "own"; return document.title')
  framed.destroy()
  return JSON.stringify([tool.result, shell.stdout, title.result])
}

use().then(
  (text) => (document.title = text),
  (error) => (document.title = `failed: ${error.message}`),
)
