// The names of the documents that tools come with: `executeInWorker`, `executeTool`, their errors and
// their messages. Each call has a sandbox of its own, which is destroyed when the call ends.

import { Sandbox } from './sandbox.js'
import type { Outcome, SandboxOptions } from './types.js'

/** Time that a tool has, in milliseconds. */
const TIMEOUT = 30_000

/** True if tools can run in a worker here. */
export const supportsWorkerExecution: boolean = typeof Worker === 'function' && typeof WebAssembly === 'object'

/** The tool did not end in its time. */
export class BTCPTimeoutError extends Error {
  override name = 'BTCPTimeoutError'
  readonly code = 'TIMEOUT'

  constructor(message = 'Tool execution timed out') {
    super(message)
  }
}

/** The tool failed: `code` is the class of the outcome, `stack` that of the tool. */
export class BTCPExecutionError extends Error {
  override name = 'BTCPExecutionError'
  readonly code: string
  /** The whole outcome, if the tool ran. */
  readonly outcome: Outcome | undefined

  constructor(error: { code?: string; message: string; stack?: string } | string, outcome?: Outcome) {
    const { code, message, stack } = typeof error === 'string' ? { message: error, code: undefined, stack: undefined } : error
    super(message)
    this.code = code ?? 'EXECUTION_ERROR'
    this.outcome = outcome
    if (stack) this.stack = stack
  }
}

/** Runs a tool in a worker, and returns its result. */
export function executeInWorker(toolCode: string, args?: unknown, capabilities: string[] = [], options: SandboxOptions = {}): Promise<any> {
  return once(toolCode, args, { ...options, capabilities, boundary: 'worker' })
}

/** Runs a tool in a sandboxed frame, where it has a document of its own, and returns its result. */
export function executeTool(toolCode: string, args?: unknown, capabilities: string[] = [], options: SandboxOptions = {}): Promise<any> {
  return once(toolCode, args, { ...options, capabilities, boundary: 'iframe' })
}

async function once(code: string, args: unknown, options: SandboxOptions): Promise<any> {
  const sandbox = await Sandbox.create({ ...options, limits: { timeoutMs: TIMEOUT, ...options.limits } })
  try {
    return resultOf(await sandbox.run(code, { args: args ?? {} }))
  } finally {
    sandbox.destroy()
  }
}

/** Returns the result of a run, or throws its error. */
function resultOf(outcome: Outcome): any {
  const { error, errorClass } = outcome
  if (errorClass === 'TIMEOUT') throw new BTCPTimeoutError()
  if (error) {
    const { message, stack, code } = error
    throw new BTCPExecutionError({ code: errorClass ?? code, message, ...(stack !== undefined && { stack }) }, outcome)
  }
  return outcome.result
}

/** A request to run a tool, as other programs send it. */
export interface ExecuteMessage {
  id: string
  type: 'execute'
  toolCode: string
  args?: unknown
  capabilities?: string[]
}

/** The answer to an `ExecuteMessage`. */
export type ExecuteAnswer =
  | { id: string; type: 'result'; result: unknown }
  | { id: string; type: 'error'; error: { code: string; message: string; stack?: string } }

/** Handles one message `execute`, and returns `result` or `error` with its id. Other messages are
    errors. The options are the caller's; a message cannot widen them beyond `allowed`. */
export async function handleMessage(message: unknown, options: SandboxOptions & { allowed?: string[] } = {}): Promise<ExecuteAnswer> {
  const { id, type, toolCode, args, capabilities = [] } = (message ?? {}) as Partial<ExecuteMessage>
  const refuse = (text: string): ExecuteAnswer => ({ id: String(id ?? ''), type: 'error', error: { code: 'BAD_MESSAGE', message: text } })
  if (typeof id !== 'string' || id === '') return refuse('id: missing')
  if (type !== 'execute') return refuse(`type: ${String(type)}: not execute`)
  if (typeof toolCode !== 'string') return refuse('toolCode: not text')
  if (!Array.isArray(capabilities)) return refuse('capabilities: not an array')
  const { allowed = [], ...rest } = options
  const beyond = capabilities.find((capability) => !allowed.includes(capability))
  if (beyond !== undefined) return refuse(`capabilities: ${String(beyond)}: not allowed by the page`)
  try {
    const run = rest.boundary === 'iframe' ? executeTool : executeInWorker
    return { id, type: 'result', result: await run(toolCode, args, capabilities, rest) }
  } catch (error) {
    const { code = 'EXECUTION_ERROR', message: text, stack } = error as BTCPExecutionError
    return { id, type: 'error', error: { code, message: text, ...(stack !== undefined && { stack }) } }
  }
}
