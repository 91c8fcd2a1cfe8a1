// Runs untrusted code: a fresh WebAssembly cell for every call, nothing allowed by default.

export {
  type Approver,
  Connection,
  type ConnectionOptions,
  type LentFunction,
  type OnOutput,
  type Question,
  type Verdict,
} from './connection.js';
export {
  Cancelled,
  CofferdamError,
  ConnectionLost,
  type Denial,
  ExecutionError,
  LimitExceeded,
  PermissionDenied,
  ProgramNotFound,
  RpcError,
  RunError,
  TimeLimit,
  extractPermissionError,
} from './errors.js';
export type { Choice, Grant, Limits, Methods, Mount, Wish } from './methods.js';
export {
  type Outcome,
  type RunOptions,
  Sandbox,
  type SandboxOptions,
  Session,
  type ShellOptions,
  type Snapshot,
  type ToolOptions,
} from './sandbox.js';
