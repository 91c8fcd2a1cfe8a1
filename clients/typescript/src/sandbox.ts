// Sandboxes that are kept, and everything that can be done with one.

import { type Approver, Connection, type LentFunction, type OnOutput } from './connection.js';
import { check } from './errors.js';
import type { Content, Grant, Limits, Methods, Mount } from './methods.js';

/** The outcome of a run, with its output. */
export type Outcome = Methods['exec']['result'];

export interface SandboxOptions {
  /** Capabilities that are given at once, such as `fs:read:/data/**`. */
  capabilities?: string[];
  files?: Record<string, string | Uint8Array>;
  /** Directories of this machine; read-only unless `mode` says otherwise. */
  mounts?: Mount[];
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string;
  limits?: Limits;
  /** Functions of this process that tools may call. */
  functions?: LentFunction[];
  /** Asked about what is not granted. Without one, it is denied. */
  approver?: Approver;
  page?: string;
  /** Content that `export` returned. */
  archive?: Uint8Array;
  connection?: Connection;
}

/** Settings of one run. */
export interface RunOptions {
  timeoutMs?: number;
  limits?: Limits;
  /** Sees output while the run goes on. */
  onOutput?: OnOutput;
  /** Cancels the run. */
  signal?: AbortSignal;
}

export interface ToolOptions extends RunOptions {
  language?: 'js' | 'ts';
  /** Name in stack traces, questions and grants. */
  name?: string;
  session?: string;
}

export interface ShellOptions extends RunOptions {
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
}

/** The content of a sandbox at one moment. */
export interface Snapshot {
  readonly id: string;
}

/**
 * An isolated sandbox: files, storage, variables, grants and limits. Nothing is allowed by default.
 */
export class Sandbox {
  private constructor(
    readonly connection: Connection,
    readonly id: string,
    readonly handles: readonly number[],
  ) {}

  /** Makes a sandbox. */
  static async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const { connection = Connection.shared(), functions = [], approver, archive } = options;
    const lent = functions.map((one) => connection.lend(one));
    const granted = functions.filter((one) => one.grant !== false);
    const ask = approver && connection.ask(approver);
    const handles = [...lent.map((one) => one.handle), ...(ask === undefined ? [] : [ask])];
    const params = {
      capabilities: [
        ...(options.capabilities ?? []),
        ...granted.map((one) => `function:call:${one.name}`),
      ],
      mounts: options.mounts,
      env: options.env,
      stdin: options.stdin,
      limits: options.limits,
      functions: lent,
      ask,
      page: options.page,
    };
    const files = Object.entries(options.files ?? {});
    const made = archive
      ? await connection.call('sandbox.import', { ...params, base64: base64(archive) })
      : await connection.call('sandbox.create', {
          ...params,
          cwd: options.cwd,
          files: Object.fromEntries(files.map(([path, content]) => [path, encoded(content)])),
        });
    return new Sandbox(connection, made.sandbox, handles);
  }

  /** Cancels every run and drops the sandbox. */
  async close(): Promise<void> {
    await this.connection.call('sandbox.destroy', { sandbox: this.id });
    this.connection.forget(this.handles);
  }

  /** Runs a tool in a fresh cell and returns its result. Throws a RunError if it fails. */
  async run(code: string, args?: unknown, options: ToolOptions = {}): Promise<unknown> {
    return check(await this.execute(code, args, options)).result;
  }

  /** Runs a tool and returns the outcome, also of a run that failed. */
  execute(code: string, args?: unknown, options: ToolOptions = {}): Promise<Outcome> {
    const { language = 'js', name, session } = options;
    return this.#exec({ kind: language, code, args, name, session }, options);
  }

  /** Runs a shell command, like `bash -c`. */
  shell(command: string, options: ShellOptions = {}): Promise<Outcome> {
    const { stdin, env, cwd } = options;
    return this.#exec({ kind: 'shell', command, stdin, env, cwd }, options);
  }

  /**
   * Runs a real program of the machine behind walls of the operating system (Linux only). Input,
   * variables and mounted folders are those of the sandbox.
   */
  native(argv: string[], options: RunOptions = {}): Promise<Outcome> {
    return this.#exec({ kind: 'native', argv }, options);
  }

  /** Returns a session, in which variables stay between runs. */
  session(name = 'default'): Session {
    return new Session(this, name);
  }

  /** Cancels every run under way; returns true if there was one. */
  async cancel(): Promise<boolean> {
    return (await this.connection.call('sandbox.cancel', { sandbox: this.id })).cancelled;
  }

  /** Returns true if a run is under way. */
  async isRunning(): Promise<boolean> {
    return (await this.connection.call('sandbox.isRunning', { sandbox: this.id })).running;
  }

  /** Writes a file and the folders above it. */
  async write(path: string, content: string | Uint8Array, executable = false): Promise<void> {
    const params = { sandbox: this.id, path, content: encoded(content), executable };
    await this.connection.call('sandbox.write', params);
  }

  /** Reads a file. */
  async read(path: string, maxBytes?: number): Promise<Uint8Array> {
    const params = { sandbox: this.id, path, maxBytes, encoding: 'base64' as const };
    const { base64: text = '' } = await this.connection.call('sandbox.read', params);
    return Buffer.from(text, 'base64');
  }

  /** Reads a file as UTF-8. */
  async readText(path: string): Promise<string> {
    return Buffer.from(await this.read(path)).toString();
  }

  /** Returns the names in a folder; those of folders end with a slash. */
  async list(path: string): Promise<string[]> {
    const { entries } = await this.connection.call('sandbox.list', { sandbox: this.id, path });
    return entries.map((entry) => `${String(entry['name'])}${entry['isFolder'] ? '/' : ''}`);
  }

  /** Returns the variables that later runs start with. */
  async getEnv(): Promise<Record<string, string>> {
    return (await this.connection.call('sandbox.getEnv', { sandbox: this.id })).env;
  }

  /** Sets variables for later runs; null removes one. */
  async setEnv(env: Record<string, string | null>): Promise<void> {
    await this.connection.call('sandbox.setEnv', { sandbox: this.id, env });
  }

  /** Returns a copy. Later changes to one are not seen by the other. */
  async fork(): Promise<Sandbox> {
    const { sandbox } = await this.connection.call('sandbox.fork', { sandbox: this.id });
    return new Sandbox(this.connection, sandbox, []);
  }

  /** Takes a snapshot of files, storage and variables. */
  async snapshot(): Promise<Snapshot> {
    const { snapshot } = await this.connection.call('sandbox.snapshot', { sandbox: this.id });
    return { id: snapshot };
  }

  /** Restores a snapshot. Fails while a run is under way. */
  async restore(snapshot: Snapshot): Promise<void> {
    await this.connection.call('sandbox.restore', { sandbox: this.id, snapshot: snapshot.id });
  }

  /** Drops a snapshot. */
  async dropSnapshot(snapshot: Snapshot): Promise<void> {
    await this.connection.call('snapshot.drop', { snapshot: snapshot.id });
  }

  /** Returns the content as one file; `Sandbox.create({ archive })` makes a sandbox of it. */
  async export(): Promise<Uint8Array> {
    const { base64: text } = await this.connection.call('sandbox.export', { sandbox: this.id });
    return Buffer.from(text, 'base64');
  }

  /** Registers a tool, or a new version of one, in the store of the program. */
  async addTool(tool: Methods['tool.add']['params']): Promise<Record<string, unknown>> {
    return (await this.connection.call('tool.add', tool)).tool;
  }

  /** Returns the registered tools. */
  async tools(): Promise<Array<Record<string, unknown>>> {
    return (await this.connection.call('tool.list', {})).tools;
  }

  /** Returns a registered tool with its source and earlier versions. */
  async tool(name: string): Promise<Record<string, unknown>> {
    return (await this.connection.call('tool.show', { name })).tool;
  }

  /** Removes a registered tool with all its versions. */
  async removeTool(name: string): Promise<void> {
    await this.connection.call('tool.remove', { name });
  }

  /** Runs a registered tool and returns its result. Throws a RunError if it fails. */
  async callTool(name: string, args?: unknown): Promise<unknown> {
    const { outcome } = await this.connection.call('tool.call', { name, args, sandbox: this.id });
    return check(outcome as Outcome).result;
  }

  /** Grants a capability, or a request by its id, to this sandbox. */
  async grant(
    what: string | Omit<Methods['grants.grant']['params'], 'sandbox'>,
  ): Promise<Grant> {
    const params = typeof what === 'string' ? { capability: what } : what;
    return (await this.connection.call('grants.grant', { ...params, sandbox: this.id })).grant;
  }

  /** Returns the grants that are in force. */
  async grants(): Promise<Grant[]> {
    return (await this.connection.call('grants.list', { sandbox: this.id })).grants;
  }

  /** Revokes a grant by its id. */
  async revoke(grant: string): Promise<void> {
    await this.connection.call('grants.revoke', { grant, sandbox: this.id });
  }

  /** Returns denied requests, latest first. */
  async requests(all = false): Promise<Array<Record<string, unknown>>> {
    return (await this.connection.call('requests.list', { all })).requests;
  }

  /** Denies a recorded request by its id. */
  async deny(request: string): Promise<void> {
    await this.connection.call('requests.deny', { request });
  }

  /** Returns the questions that wait for an answer. */
  async questions(): Promise<Array<Record<string, unknown>>> {
    return (await this.connection.call('question.list', {})).questions;
  }

  /** Returns lines of the audit log of this sandbox, oldest first. */
  async audit(
    filter: Omit<Methods['audit.read']['params'], 'sandbox'> = {},
  ): Promise<Array<Record<string, unknown>>> {
    return (await this.connection.call('audit.read', { ...filter, sandbox: this.id })).lines;
  }

  /** Returns the functions lent to tools, with their schemas. */
  async functions(): Promise<Methods['functions.list']['result']['functions']> {
    return (await this.connection.call('functions.list', { sandbox: this.id })).functions;
  }

  /** Publishes a value that tools with a grant may read. */
  async publish(name: string, content: unknown, metadata: unknown = null): Promise<void> {
    await this.connection.call('state.publish', { sandbox: this.id, name, content, metadata });
  }

  /** Returns a published value, as tools may have changed it; undefined if there is none. */
  async published(name: string): Promise<unknown> {
    const { found, content } = await this.connection.call('state.read', { sandbox: this.id, name });
    return found ? content : undefined;
  }

  /** Replaces the page. */
  async setPage(html: string): Promise<void> {
    await this.connection.call('page.set', { sandbox: this.id, html });
  }

  /** Returns the page as HTML; null if there is none. */
  async pageHtml(): Promise<string | null> {
    return (await this.connection.call('page.html', { sandbox: this.id })).html;
  }

  /** Takes the events that tools caused on the page. */
  async pageEvents(): Promise<Array<Record<string, unknown>>> {
    return (await this.connection.call('page.events', { sandbox: this.id })).events;
  }

  async #exec(params: Methods['exec']['params'], options: RunOptions): Promise<Outcome> {
    const { timeoutMs, onOutput, signal } = options;
    const limits = { ...options.limits, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    signal?.throwIfAborted();
    const whole = { ...params, sandbox: this.id, limits, stream: onOutput !== undefined };
    const { id, result } = this.connection.start('exec', whole, onOutput);
    const cancel = () => void this.connection.call('cancel', { id }).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await result;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}

/** A kept cell: each run is a script, and variables stay for the next. */
export class Session {
  constructor(
    readonly sandbox: Sandbox,
    readonly name: string,
  ) {}

  /** Runs a script and returns the value of its last expression. */
  run(code: string, options: RunOptions = {}): Promise<unknown> {
    return this.sandbox.run(code, undefined, { ...options, session: this.name });
  }

  /** Drops the cell and its variables; returns false if there is none. */
  async close(): Promise<boolean> {
    const params = { session: this.name, sandbox: this.sandbox.id };
    return (await this.sandbox.connection.call('session.close', params)).closed;
  }
}

function encoded(content: string | Uint8Array): Content {
  return typeof content === 'string' ? content : { base64: base64(content) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
