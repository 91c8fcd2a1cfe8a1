// The types of the package: options, questions, outcomes. The JSON is that of every front.

import type { Refusal } from './border.js'

/** A question for a person: the same as on every front of Cofferdam. */
export interface Question {
  question: string
  tool: string
  sandbox: string
  run: string
  /** Place in the tool's source, if known. */
  at?: string | null
  wishes: {
    wanted: string
    words: string
    details: Record<string, string>
    choices: { capability: string; words: string; risk: 'low' | 'medium' | 'high'; reason: string }[]
  }[]
}

/** The answer to a question. Whatever does not fit the question counts as a refusal. */
export interface Answer {
  allow?: boolean
  /** Duration of the grants; `once` is one run. */
  span?: 'once' | 'session' | 'always'
  /** One decision for each wish; `null` refuses. */
  decisions?: ({ capability: string } | null)[]
  because?: string
}

/** Asks a person. The signal is aborted when no run waits for the answer any more. */
export type Ask = (question: Question, over: AbortSignal) => Answer | Promise<Answer>

/** A function that the page lends to tools with a grant `function:call:NAME`. */
export interface Lent {
  call: (args: any) => unknown
  description?: string
  /** JSON Schema of the arguments. */
  parameters?: object
  /** JSON Schema of the result. */
  returns?: object
}

/** Limits by their names; see `docs/limits.md`. */
export type Limits = Partial<
  Record<
    | 'timeoutMs'
    | 'memoryBytes'
    | 'commandBytes'
    | 'stdoutBytes'
    | 'stderrBytes'
    | 'resultBytes'
    | 'fsBytes'
    | 'fileCount'
    | 'processes'
    | 'callBytes'
    | 'fetchBytes',
    number
  >
>

/** Bytes of any kind: a typed array, another view, or a buffer. */
export type Bytes = ArrayBufferLike | ArrayBufferView

export interface SandboxOptions {
  /** Place of the tools' cells: a worker (the default), or a worker in a sandboxed frame of its own,
      where tools also have a document. */
  boundary?: 'worker' | 'iframe'
  /** The same as JSON, in the shape that other fronts take; its policy bounds connections. */
  config?: Config
  /** Element in which the frame is shown; without it the frame is hidden. */
  place?: Element
  /** Name under which files, grants, requests and the audit log are kept in this browser. */
  keep?: string
  /** Capabilities that are given from the start; nothing else is allowed. */
  capabilities?: string[]
  /** Asks about needs that are not granted: a function, or `true` for the built-in prompt. */
  ask?: Ask | boolean
  files?: Record<string, string | Bytes>
  env?: Record<string, string>
  limits?: Limits
  functions?: Record<string, Lent | Lent['call']>
  /** The document behind `btcp.dom` (`btcp.parentDOM` in a frame); by default that of the page.
      `frame` for that of the tools' own frame, `null` for none. */
  document?: Document | 'frame' | null
  /** An archive made by `export`, here or on a server. */
  archive?: Bytes
  /** HTML of a page that the sandbox itself holds, in place of a document; see `heldPage`. */
  page?: string
  /** Origins whose redirects are followed. A browser hides the targets, so nothing checks them. */
  follow?: string[]
  /** Engine that runs first; its files are fetched while the sandbox is created. JavaScript unless `'shell'` is given. */
  first?: 'javascript' | 'shell'
  /** WASI modules that become commands of the shell. */
  programs?: Record<string, Bytes>
  /** Told of messages that the border of the frame refused. */
  onRefusal?: (refusal: Refusal) => void
  /** Settings that make runs repeatable, for tests. */
  pinned?: { seed?: number; clock?: number; links?: Record<string, string>; bridge?: boolean }
}

/** Boundary and its settings, as in the documents that tools come with. */
export interface Config {
  sandbox?: 'worker' | 'iframe'
  workerOptions?: { name?: string; type?: 'classic' | 'module'; credentials?: 'omit' }
  iframeOptions?: { sandbox?: string; csp?: Record<string, string | string[]> }
}

export interface RunOptions {
  args?: unknown
  language?: 'js' | 'ts'
  /** Name of the tool in questions and the audit log. */
  name?: string
  /** Name of a kept cell, in which variables stay between runs. */
  session?: string
  limits?: Limits
  /** Cancels the run. */
  signal?: AbortSignal
  /** Receives output while the run goes on. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void
}

export interface ShellOptions extends Pick<RunOptions, 'limits' | 'signal' | 'onOutput'> {
  /** Files that are written before the command starts. */
  files?: Record<string, string | Bytes>
  stdin?: string
  env?: Record<string, string>
  cwd?: string
}

/** A need that was refused. `requestId` names it in `grant`. */
export interface Denial {
  code: string
  requiredPermission: string
  attemptedAction: string
  requestId: string
  canBeGranted: boolean
  at?: string
}

/** The result of a run: the same JSON as on every front of Cofferdam. */
export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
  result: any
  errorClass: string | null
  error: null | {
    code: string
    name: string
    message: string
    stack?: string
    line?: number
    column?: number
    limit?: string
    requiredPermission?: string
    attemptedAction?: string
    requestId?: string
  }
  truncated: { stdout: boolean; stderr: boolean }
  executionTimeMs: number
  denials?: Denial[]
}

export interface Grant {
  id: string
  capability: string
  span: string
  /** The rule of the policy that leaves nothing of the grant, if there is one. */
  useless?: string
  [other: string]: unknown
}

/** Attributes of a file. */
export interface Stat {
  type: 'file' | 'dir' | 'symlink' | 'other'
  size: number
  permissions: number
  /** Milliseconds since 1970. */
  mtime: number
  ctime: number
  atime: number
}

/** The sandbox failed, or was used wrongly; a failure of the code in it is an `Outcome`. */
export class SandboxError extends Error {
  override name = 'SandboxError'
}
