// Answers the calls of `BridgeFiles`: the nine operations on files, and `fetch`.

import { BridgeServer } from './bridge.js'
import { decode } from './network.js'
import type { Sandbox } from './sandbox.js'

/** A tool that sends a request, with the sandbox's grants. */
const FETCH = `const { url, method, headers, body } = args
const response = await fetch(url, { method, headers, body })
const bytes = new Uint8Array(await response.arrayBuffer())
let text = ''
for (const byte of bytes) text += String.fromCharCode(byte)
return { status: response.status, headers: Object.fromEntries(response.headers), body: btoa(text) }`

/** Answers the call that is in the buffer. */
export async function serve(sandbox: Sandbox, server: BridgeServer): Promise<void> {
  const call = server.take()
  if (!call) return
  const { op, path, oldPath, newPath, mode, ...request } = call.data
  try {
    switch (op) {
      case 'readFile':
        return server.answer({}, await sandbox.readFile(path))
      case 'writeFile':
        await sandbox.writeFile(path, call.bytes)
        return server.answer({ ok: true })
      case 'stat':
        return server.answer(await sandbox.stat(path))
      case 'readdir': {
        const entries = await sandbox.list(path)
        return server.answer({ entries: entries.map(({ name, isFolder }) => ({ name, type: isFolder ? 'dir' : 'file' })) })
      }
      case 'mkdir':
      case 'unlink':
      case 'rmdir':
        await sandbox[op as 'mkdir' | 'unlink' | 'rmdir'](path)
        return server.answer({ ok: true })
      case 'rename':
        await sandbox.rename(oldPath, newPath)
        return server.answer({ ok: true })
      case 'chmod':
        await sandbox.chmod(path, mode)
        return server.answer({ ok: true })
      case 'fetch': {
        const { result, error } = await sandbox.run(FETCH, { args: request, name: 'bridge' })
        if (error) return server.refuse(error.code, error.message)
        return server.answer({ status: result.status, headers: result.headers }, decode(result.body))
      }
    }
    server.refuse('ENOSYS', `${String(op)}: unknown operation`)
  } catch (error) {
    const text = String((error as Error)?.message ?? error)
    const [, code = 'EIO', message = text] = /^(E[A-Z0-9]+): (.*)$/s.exec(text) ?? []
    server.refuse(code, message)
  }
}
