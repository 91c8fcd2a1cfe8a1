// Cofferdam in a web page: sandboxes for tools in JavaScript and TypeScript, for shell commands and
// for WASI programs.

export { Border, type Reason, type Refusal } from './border.js'
export { BUFFER_BYTES, BridgeError, BridgeFiles, Status, canShare } from './bridge.js'
export { BTCPExecutionError, BTCPTimeoutError, type ExecuteAnswer, type ExecuteMessage, executeInWorker, executeTool, handleMessage, supportsWorkerExecution } from './btcp.js'
export { Frame, type FrameOptions, policyOf } from './frame.js'
export { forget } from './keep.js'
export { prompt } from './prompt.js'
export { Sandbox, type WasmOptions } from './sandbox.js'
export * from './types.js'
