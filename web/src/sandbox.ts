// A sandbox, seen from the page. Its host is in a worker; this class passes requests to it and
// answers its inquiries: questions for a person, calls on the document, requests and lent functions.

import type { Refusal } from './border.js'
import { serve } from './bridge-files.js'
import { BUFFER_BYTES, BridgeServer, NUDGE, canShare } from './bridge.js'
import { type Call, LiveDocument } from './document.js'
import { bytes, load, loadShared } from './files.js'
import { FrameCells, flagsOf } from './frame-cells.js'
import { absolute, bytesOf, checkFunction, checkOneOf, checkOptions, contentOf } from './given.js'
import { fileOf } from './guest.js'
import { random } from './names.js'
import { encode } from './network.js'
import { closed, prompt } from './prompt.js'
import { type Answer, type Ask, type Bytes, type Config, type Grant, type Lent, type Outcome, type Question, type RunOptions, SandboxError, type SandboxOptions, type ShellOptions, type Stat } from './types.js'
import type { FromWorker, ToWorker } from './worker.js'

/** Milliseconds after which a worker that ignores a cancellation is terminated. */
const BACKSTOP = 1000

/** Words of a tool that likely uses Node's modules, as the host looks for them. */
const LIBRARY_WORDS = /require|import|process|Buffer/

/** Refused messages that are remembered. */
const MAX_REFUSALS = 100

interface Waiting {
  resolve: (value: any) => void
  reject: (error: Error) => void
  /** Called when the request is done and its changes are being stored. */
  onSaving?: (() => void) | undefined
}

/** A module that a program was made of; see `wasm`. */
export interface WasmOptions extends ShellOptions {
  /** Name of the program and its arguments. */
  argv?: string[]
  /** `[]` for a program that sees no files. */
  preopens?: string[]
}

export class Sandbox {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #inquiries = new Map<number, AbortController>()
  /** Receivers of output, by the names of their runs. */
  readonly #outputs = new Map<string, NonNullable<RunOptions['onOutput']>>()
  readonly #ask: Ask | undefined
  readonly #functions = new Map<string, Lent['call']>()
  readonly #document: LiveDocument | undefined
  readonly #refusals: Refusal[] = []
  readonly #frame: FrameCells | undefined
  /** Guest of the tools. */
  readonly #guest: string
  /** Guests that were loaded; runs of them wait for nothing. */
  readonly #loaded = new Set<string>()
  /** Beginning of the names of runs. A kept audit log has those of earlier sandboxes too. */
  readonly #runs = `run_${random()}`
  #lastRun = 0
  #next = 0
  #id = ''
  #canSuspend = false
  #isBridged = false
  #failure: SandboxError | undefined

  private constructor(options: SandboxOptions) {
    const isInFrame = boundaryOf(options) === 'iframe'
    this.#ask = options.ask === true ? prompt : options.ask || undefined
    for (const [name, lent] of Object.entries(options.functions ?? {})) {
      this.#functions.set(name, typeof lent === 'function' ? lent : lent.call)
    }
    const shown = options.document === undefined ? globalThis.document : options.document
    if (shown && shown !== 'frame' && options.page === undefined) this.#document = new LiveDocument(shown)
    this.#guest = isInFrame ? 'js-document' : 'js'
    const { name = 'cofferdam', type = 'module' } = options.config?.workerOptions ?? {}
    const url = new URL('./worker.js', import.meta.url)
    this.#worker = new Worker(url, { name, type })
    if (isInFrame) {
      this.#frame = new FrameCells(options, (message) => this.#post(message), (refusal) => this.#refused(refusal, options.onRefusal))
    }
  }

  /** Creates a sandbox in a worker of its own. */
  static async create(options: SandboxOptions = {}): Promise<Sandbox> {
    checkOptions(options)
    const archive = options.archive && bytesOf('archive', options.archive)
    const hasFrameDocument = options.document === 'frame'
    if (hasFrameDocument && boundaryOf(options) !== 'iframe') {
      throw new SandboxError("document: 'frame' needs boundary: 'iframe'")
    }
    if (boundaryOf(options) === 'iframe' && !('Suspending' in WebAssembly)) {
      throw new SandboxError(
        "boundary: 'iframe' needs JavaScript Promise Integration (WebAssembly.Suspending), which this browser does not have",
      )
    }
    const flags = flagsOf(options)
    const sandbox = new Sandbox(options)
    const opened = new Promise<void>((resolve, reject) => {
      sandbox.#worker.onerror = (event) => {
        sandbox.#fail(`the worker failed: ${event.message ?? 'its script cannot be loaded'}`)
        reject(sandbox.#failure)
      }
      sandbox.#worker.onmessage = (event: MessageEvent<FromWorker>) => {
        if ('failed' in event.data) {
          sandbox.#fail(`the host cannot be loaded: ${event.data.failed}`)
          reject(sandbox.#failure)
        } else if ('need' in event.data) {
          void sandbox.#provide(event.data.need)
        } else if ('ready' in event.data) {
          sandbox.#canSuspend = event.data.ready.canSuspend
          sandbox.#isBridged = event.data.ready.isBridged
          sandbox.#worker.onmessage = (event: MessageEvent<FromWorker | string>) =>
            sandbox.#receive(typeof event.data === 'string' ? JSON.parse(event.data) : event.data)
          resolve()
        }
      }
    })
    // Cells have workers of their own if nothing else lets them wait.
    const isBridged = canShare() && (options.pinned?.bridge ?? !('Suspending' in WebAssembly))
    // Everything that the first run needs is on its way before the worker has begun.
    const first = options.first === 'shell' ? ['sh', 'basics'] : sandbox.#frame ? [] : ['js']
    const files = first.map((guest) => fileOf(guest, !isBridged && 'Suspending' in WebAssembly))
    const coming = isBridged ? ['host.wasm'] : ['host.wasm', ...files]
    void sandbox.#provide('host.wasm')
    // One guest after the other: the first run waits for the first of them.
    void (async () => {
      for (const file of files) await (isBridged ? loadShared(file).catch(() => {}) : sandbox.#provide(file))
    })()
    const cellScript = isBridged && !sandbox.#frame ? new URL('./cell-worker.js', import.meta.url).href : undefined
    sandbox.#post({ open: { keep: options.keep, hasFrame: sandbox.#frame !== undefined, cellScript, follow: options.follow ?? [], warm: isBridged ? undefined : first[0], coming } })
    const functions = Object.entries(options.functions ?? {}).map(([name, lent]) => {
      const { description, parameters, returns } = typeof lent === 'function' ? ({} as Lent) : lent
      return { name, description, parameters, returns }
    })
    try {
      // The request follows at once; the worker keeps it until the host is there.
      const creating = sandbox.#request<{ sandbox: string; policy: string; useless: string[] }>(
        'create',
        {
          boundary: options.config ? undefined : options.boundary,
          config: options.config && { ...plainConfig(options.config), sandbox: boundaryOf(options) },
          capabilities: options.capabilities,
          ask: sandbox.#ask !== undefined,
          files: contents(options.files),
          programs: programs(options.programs),
          env: options.env,
          limits: options.limits,
          functions,
          document: sandbox.#document !== undefined || hasFrameDocument,
          page: options.page,
          pinned: options.pinned,
          name: options.keep,
          archive: archive && { attached: true },
        },
        archive,
      )
      const [created] = await Promise.all([creating, opened])
      sandbox.#id = created.sandbox
      for (const text of created.useless) console.warn(`cofferdam: ${text}`)
      await sandbox.#frame?.open(created.policy, flags)
    } catch (error) {
      sandbox.destroy()
      throw error
    }
    return sandbox
  }

  /** The way guests wait for answers: on a suspended stack, over shared memory, or not at all. */
  get waiting(): 'suspension' | 'bridge' | 'none' {
    if (this.#isBridged) return 'bridge'
    return this.#canSuspend ? 'suspension' : 'none'
  }

  /** Returns the two ends of a bridge to the files of this sandbox, for `BridgeFiles` in a worker of
      the page. The page must be cross-origin isolated. */
  bridge(): { buffer: SharedArrayBuffer; port: MessagePort } {
    if (!canShare()) throw new SandboxError('a bridge needs shared memory: serve the page with COOP same-origin and COEP require-corp')
    const server = new BridgeServer(new SharedArrayBuffer(BUFFER_BYTES))
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = (event) => {
      if (event.data === NUDGE) void serve(this, server)
    }
    return { buffer: server.buffer, port: port2 }
  }

  /** Content security policy of the frame; `null` without one. */
  get policy(): string | null {
    return this.#frame?.policy ?? null
  }

  /** Messages that the border of the frame refused, oldest first. */
  get refusals(): readonly Refusal[] {
    return this.#refusals
  }

  /** Runs a tool: a function body, or a module with a default export. */
  async run(code: string, options: RunOptions = {}): Promise<Outcome> {
    const { args, language, name, session, limits } = options
    checkOneOf('language', language, ['js', 'ts'])
    // Loading is not the run's time.
    const guest = this.#frame ? this.#guest : LIBRARY_WORDS.test(code) ? 'js-node' : 'js'
    if (this.#frame) await this.#frame.ready()
    const missing = [!this.#frame && guest, language === 'ts' && 'ts'].filter((guest) => guest && !this.#loaded.has(guest))
    if (missing.length > 0) await Promise.all(missing.map((guest) => this.#load(guest as string)))
    return this.#exec({ kind: language ?? 'js', code, args, name, session, limits }, options)
  }

  /** Runs shell text, as with `bash -c`. */
  async sh(command: string, options: ShellOptions = {}): Promise<Outcome> {
    this.#needsPrograms('the shell')
    // The common commands are in a second file, which simple scripts need not wait for, unless its
    // compilation would take much of the run's time.
    const shell = this.#load('sh')
    const basics = shell.then(() => this.#load('basics')).catch(() => {})
    await Promise.all([shell, this.#isBridged && basics])
    return this.#program({ kind: 'shell', command }, options)
  }

  /** Runs a WASI program. */
  async wasm(module: Bytes, options: WasmOptions = {}): Promise<Outcome> {
    this.#needsPrograms('a WASI program')
    const wasm = { base64: encode(bytesOf('module', module)) }
    await load('pacer.wasm')
    const { argv, preopens } = options
    return this.#program({ kind: 'wasm', wasm, argv, preopens }, options)
  }

  /** Reads a file as bytes. */
  async readFile(path: string): Promise<Uint8Array> {
    return this.#inSandbox('readFile', { path: absolute(path) })
  }

  /** Reads a file as text. */
  async readText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readFile(path))
  }

  async writeFile(path: string, content: string | Bytes): Promise<void> {
    await this.#inSandbox('writeFile', { path: absolute(path), content: { attached: true } }, contentOf(`content of ${path}`, content))
  }

  async list(path: string): Promise<{ name: string; isFolder: boolean }[]> {
    return this.#inSandbox('list', { path: absolute(path) })
  }

  async stat(path: string): Promise<Stat> {
    return this.#inSandbox('stat', { path: absolute(path) })
  }

  async mkdir(path: string): Promise<void> {
    await this.#inSandbox('mkdir', { path: absolute(path) })
  }

  async unlink(path: string): Promise<void> {
    await this.#inSandbox('unlink', { path: absolute(path) })
  }

  async rmdir(path: string): Promise<void> {
    await this.#inSandbox('rmdir', { path: absolute(path) })
  }

  async rename(oldPath: string, newPath: string): Promise<void> {
    await this.#inSandbox('rename', { oldPath: absolute(oldPath), newPath: absolute(newPath) })
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#inSandbox('chmod', { path: absolute(path), mode })
  }

  /** Returns files, variables and storage as an archive, which `archive` of a new sandbox takes. */
  export(): Promise<Uint8Array> {
    return this.#inSandbox('export', {})
  }

  /** Publishes a value, which tools with a grant can read as state. */
  async publish(name: string, content: unknown, metadata?: unknown): Promise<void> {
    await this.#inSandbox('publish', { name, content, metadata })
  }

  published(name: string): Promise<unknown> {
    return this.#inSandbox('published', { name })
  }

  /** Grants a capability, or the need with this `requestId`. Runs that wait for it go on. */
  async grant(what: string | { request: string }, span: Answer['span'] = 'session'): Promise<Grant> {
    const params = typeof what === 'string' ? { capability: what, span } : { ...what, span }
    const grant = await this.#inSandbox<Grant>('grant', params)
    if (grant.useless) console.warn(`cofferdam: ${grant.capability}: the policy leaves nothing of it: ${grant.useless}`)
    return grant
  }

  revoke(grant: string): Promise<Grant> {
    return this.#inSandbox('revoke', { grant })
  }

  grants(): Promise<Grant[]> {
    return this.#inSandbox('grants', {})
  }

  /** Returns the needs that were refused or wait for a decision. */
  requests(): Promise<Record<string, unknown>[]> {
    return this.#request('requests', {})
  }

  /** Returns the audit log, oldest line first. */
  audit(): Promise<Record<string, unknown>[]> {
    return this.#request('audit', {})
  }

  /** Returns the page that the sandbox holds, and the events on it since the last call. */
  heldPage(): Promise<{ html: string | null; events: { kind: string; value: unknown; path: string }[] }> {
    return this.#inSandbox('page', {})
  }

  /** Tells the sandbox that the page changed its document, so that grants select anew. */
  documentChanged(): void {
    this.#document?.changed()
  }

  /** Ends every run and frees everything. What is kept in the browser stays. */
  destroy(): void {
    this.#fail('the sandbox was destroyed')
  }

  /** Fetches a guest in the form that its cells need. */
  async #load(guest: string): Promise<void> {
    await (this.#isBridged ? loadShared : load)(fileOf(guest, this.#canSuspend && !this.#isBridged))
    this.#loaded.add(guest)
  }

  #needsPrograms(what: string): void {
    if (this.#canSuspend) return
    throw new SandboxError(
      `${what} needs JavaScript Promise Integration (WebAssembly.Suspending), which this browser does not have, ` +
        'or shared memory: serve the page with COOP same-origin and COEP require-corp',
    )
  }

  async #program(params: object, options: ShellOptions): Promise<Outcome> {
    for (const [path, content] of Object.entries(options.files ?? {})) await this.writeFile(path, content)
    const { stdin, env, cwd, limits } = options
    return this.#exec({ ...params, stdin, env, cwd, limits }, options)
  }

  async #exec(params: object, options: Pick<RunOptions, 'signal' | 'onOutput'>): Promise<Outcome> {
    const { signal, onOutput } = options
    if (onOutput) checkFunction('onOutput', onOutput)
    if (signal?.aborted) return cancelled()
    const run = `${this.#runs}_${++this.#lastRun}`
    let backstop: ReturnType<typeof setTimeout> | undefined
    const cancel = () => {
      void this.#request('cancel', { run }).catch(() => {})
      backstop = setTimeout(() => this.#fail('the worker ignored a cancellation'), BACKSTOP)
    }
    signal?.addEventListener('abort', cancel)
    try {
      if (onOutput) this.#outputs.set(run, onOutput)
      const stream = onOutput !== undefined
      // The run has ended when its changes are being stored, however long that takes.
      const onSaving = () => clearTimeout(backstop)
      return await this.#request<Outcome>('exec', { ...params, sandbox: this.#id, run, stream }, undefined, onSaving)
    } catch (error) {
      if (signal?.aborted && this.#failure) return cancelled()
      throw error
    } finally {
      clearTimeout(backstop)
      this.#outputs.delete(run)
      signal?.removeEventListener('abort', cancel)
    }
  }

  #inSandbox<T>(method: string, params: object, bytes?: Uint8Array): Promise<T> {
    return this.#request(method, { ...params, sandbox: this.#id }, bytes)
  }

  #request<T>(method: string, params: object, bytes?: Uint8Array, onSaving?: () => void): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      const id = ++this.#next
      // As text, which the worker passes on: undefined members are dropped, and nothing is copied twice.
      const message = { id, method, params: JSON.stringify(params), ...(bytes && { bytes }) }
      this.#waiting.set(id, { resolve, reject, onSaving })
      this.#post(message)
    })
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  #receive(message: FromWorker): void {
    if ('failed' in message) this.#fail(`the host failed: ${message.failed}`)
    else if ('need' in message) void this.#provide(message.need)
    else if ('saving' in message) this.#waiting.get(message.saving)?.onSaving?.()
    else if ('needShared' in message) void this.#provideShared(message.needShared)
    else if ('needLate' in message) void this.#provideLate(message.needLate)
    else if ('frame' in message) this.#frame?.receive(message)
    else if ('inquiry' in message) void this.#inquire(message.inquiry, message.kind, message.params)
    else if ('inquiryOver' in message) {
      this.#inquiries.get(message.inquiryOver)?.abort()
      this.#inquiries.delete(message.inquiryOver)
    } else if ('event' in message) this.#event(message.params)
    else if ('id' in message) {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error) waiting?.reject(new SandboxError(message.error.message))
      else waiting?.resolve(message.bytes ?? message.result)
    }
  }

  #event(params: Record<string, unknown>): void {
    this.#outputs.get(String(params['run']))?.(String(params['text']), params['stream'] as 'stdout' | 'stderr')
  }

  #refused(refusal: Refusal, told: SandboxOptions['onRefusal']): void {
    if (this.#refusals.length < MAX_REFUSALS) this.#refusals.push(refusal)
    told?.(refusal)
  }

  /** Hands a compiled module to the worker. */
  async #provide(name: string): Promise<void> {
    try {
      this.#post({ module: name, compiled: await load(name) })
    } catch (error) {
      this.#post({ module: name, error: (error as Error).message })
    }
  }

  async #provideShared(name: string): Promise<void> {
    try {
      this.#post({ shared: name, made: await loadShared(name) })
    } catch (error) {
      this.#post({ shared: name, error: (error as Error).message })
    }
  }

  async #provideLate(name: string): Promise<void> {
    try {
      this.#post({ late: name, bytes: new Uint8Array(await bytes(name)) })
    } catch (error) {
      this.#post({ late: name, error: (error as Error).message })
    }
  }

  /** Answers an inquiry of the host. */
  async #inquire(inquiry: number, kind: string, params: Record<string, any>): Promise<void> {
    const over = new AbortController()
    this.#inquiries.set(inquiry, over)
    try {
      const value = await this.#answer(kind, params, over.signal)
      this.#post({ inquiry, value: value === undefined ? null : JSON.parse(JSON.stringify(value)) })
    } catch (error) {
      this.#post({ inquiry, error: String((error as Error)?.message ?? error) })
    } finally {
      this.#inquiries.delete(inquiry)
    }
  }

  async #answer(kind: string, params: Record<string, any>, over: AbortSignal): Promise<unknown> {
    switch (kind) {
      case 'ask':
        return (await this.#ask?.(params as Question, over)) ?? { allow: false }
      case 'function':
        return await this.#functions.get(params['name'])?.(params['args'])
      case 'fetch':
        return this.#frame?.fetch(params, over)
      case 'document':
        // While a question is shown, no tool changes the document around it.
        await closed()
        return this.#document ? this.#document.answer(params as Call) : this.#frame?.draw(params)
    }
    throw new Error(`${kind}: unknown inquiry`)
  }

  #fail(message: string): void {
    if (this.#failure) return
    this.#failure = new SandboxError(message)
    this.#worker.terminate()
    this.#frame?.close()
    for (const over of this.#inquiries.values()) over.abort()
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure)
    this.#waiting.clear()
  }
}

const boundaryOf = (options: SandboxOptions): 'worker' | 'iframe' => options.boundary ?? options.config?.sandbox ?? 'worker'

/** Returns the configuration as the host reads it: flags that only a real frame has are the page's. */
function plainConfig(config: Config): Config {
  if (!config.iframeOptions?.sandbox) return config
  const flags = config.iframeOptions.sandbox.split(/\s+/).filter((flag) => flag !== 'allow-forms')
  return { ...config, iframeOptions: { ...config.iframeOptions, sandbox: flags.join(' ') } }
}

function contents(files: SandboxOptions['files']): Record<string, unknown> | undefined {
  const content = (path: string, given: unknown) => (typeof given === 'string' ? given : { base64: encode(contentOf(`files.${path}`, given)) })
  return files && Object.fromEntries(Object.entries(files).map(([path, given]) => [path, content(path, given)]))
}

function programs(given: SandboxOptions['programs']): Record<string, unknown> | undefined {
  return given && Object.fromEntries(Object.entries(given).map(([name, bytes]) => [name, { base64: encode(bytesOf(`programs.${name}`, bytes)) }]))
}

/** The outcome of a run that was cancelled before its sandbox could tell. */
function cancelled(): Outcome {
  const error = { code: 'CANCELLED', name: 'CancelledError', message: 'the run was cancelled' }
  const truncated = { stdout: false, stderr: false }
  return { exitCode: 125, stdout: '', stderr: '', result: null, errorClass: 'CANCELLED', error, truncated, executionTimeMs: 0 }
}
