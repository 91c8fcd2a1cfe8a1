// The connection to `cofferdam rpc`: one process, any number of callers.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

import { ConnectionLost, RpcError } from './errors.js';
import type { Decision, Function as Declared, Methods, Notifications, Requests } from './methods.js';
import { findProgram } from './program.js';

export type OnOutput = (stream: 'stdout' | 'stderr', text: string) => void;

/** A run waits for a decision. Texts have hidden characters escaped. */
export type Question = Omit<Notifications['question'], 'handle'>;

/** A decision: yes for one run, a longer or wider yes, or no. Anything else is a no. */
export type Verdict = boolean | { span?: 'once' | 'session' | 'always'; capability?: string };

export type Approver = (question: Question) => Verdict | Promise<Verdict>;

/** A function that tools may call as `btcp.functions.NAME({…})`. */
export interface LentFunction {
  name: string;
  description?: string;
  /** JSON Schema of the arguments. Arguments that do not fit never reach the function. */
  parameters?: Record<string, unknown>;
  /** JSON Schema of the result. */
  returns?: Record<string, unknown>;
  /** False if a tool needs a grant, or asks the approver, before it can call the function. */
  grant?: boolean;
  // The schema is the type of the arguments, which TypeScript cannot see.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: (args: any) => unknown;
}

interface Call {
  id: number;
  settle: (result: unknown) => void;
  fail: (error: unknown) => void;
  onOutput: OnOutput | undefined;
  failure?: unknown;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Settings of a connection. */
export interface ConnectionOptions {
  /** Path of the program. */
  program?: string;
  /** True if grants and the audit log outlive the program. */
  store?: boolean;
}

/** A running `cofferdam rpc`. Most programs use the one that sandboxes share. */
export class Connection {
  static #shared: Connection | undefined;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<void>;
  readonly #calls = new Map<number, Call>();
  readonly #functions = new Map<number, LentFunction>();
  readonly #approvers = new Map<number, Approver>();
  #next = 1;
  #lost: string | undefined;

  constructor({ program = findProgram(), store = false }: ConnectionOptions = {}) {
    const args = store ? ['rpc', '--store'] : ['rpc'];
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdin.on('error', () => {});
    this.#process.on('error', (error) => this.#lose(error.message));
    const lines = createInterface({ input: this.#process.stdout, crlfDelay: Infinity });
    lines.on('line', (line) => this.#take(JSON.parse(line) as Message));
    this.#ended = new Promise((resolve) => {
      this.#process.on('close', () => {
        this.#lose('the program cofferdam has ended');
        resolve();
      });
    });
    this.#idle();
  }

  /** Returns the connection that sandboxes share, starting it if it does not run. */
  static shared(): Connection {
    if (this.#shared === undefined || this.#shared.#lost !== undefined) {
      this.#shared = new Connection();
    }
    return this.#shared;
  }

  /** Calls a method and returns its result. */
  call<M extends keyof Methods>(
    method: M,
    params: Methods[M]['params'],
  ): Promise<Methods[M]['result']> {
    return this.start(method, params).result;
  }

  /** Sends a request, and returns its id beside its result. */
  start<M extends keyof Methods>(
    method: M,
    params: Methods[M]['params'],
    onOutput?: OnOutput,
  ): { id: number; result: Promise<Methods[M]['result']> } {
    const id = this.#next++;
    const result = new Promise<Methods[M]['result']>((settle, fail) => {
      if (this.#lost !== undefined) return fail(new ConnectionLost(this.#lost));
      const settleAny = settle as (result: unknown) => void;
      this.#calls.set(id, { id, settle: settleAny, fail, onOutput });
      this.#busy();
      this.#write({ id, method, params });
    });
    return { id, result };
  }

  /** Returns the declaration of a function. Calls come back by its handle. */
  lend(lent: LentFunction): Declared & { handle: number } {
    const handle = this.#next++;
    this.#functions.set(handle, lent);
    const { name, description, parameters, returns } = lent;
    return { name, description, parameters, returns, handle };
  }

  /** Returns the handle by which questions find the approver. */
  ask(approver: Approver): number {
    const handle = this.#next++;
    this.#approvers.set(handle, approver);
    return handle;
  }

  /** Drops functions and approvers of a sandbox that is gone. */
  forget(handles: Iterable<number>): void {
    for (const handle of handles) {
      this.#functions.delete(handle);
      this.#approvers.delete(handle);
    }
  }

  /** Ends the program. Runs under way finish first; questions are denied. */
  async close(): Promise<void> {
    this.#lost ??= 'the connection to cofferdam is closed';
    this.#busy();
    this.#process.stdin.end();
    await this.#ended;
  }

  /** Lets this process end while no request is under way. */
  #idle(): void {
    this.#process.unref();
    for (const stream of [this.#process.stdin, this.#process.stdout]) {
      (stream as unknown as { unref?: () => void }).unref?.();
    }
  }

  #busy(): void {
    this.#process.ref();
    (this.#process.stdout as unknown as { ref?: () => void }).ref?.();
  }

  #write(message: object): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    for (const call of this.#calls.values()) call.fail(new ConnectionLost(this.#lost));
    this.#calls.clear();
  }

  #take(message: Message): void {
    switch (message.method) {
      case undefined:
        return this.#answered(message);
      case 'output':
        return this.#printed(message.params as Notifications['output']);
      case 'question':
        return void this.#decide(message.params as Notifications['question']);
      case 'function.call':
        return void this.#serve(message.id, message.params as Requests['function.call']);
      default:
    }
  }

  #answered({ id, result, error }: Message): void {
    const call = this.#calls.get(id as number);
    if (call === undefined) return;
    this.#calls.delete(call.id);
    if (this.#calls.size === 0) this.#idle();
    if (call.failure !== undefined) call.fail(call.failure);
    else if (error !== undefined) call.fail(new RpcError(error.code, error.message));
    else call.settle(result);
  }

  #printed({ id, stream, text }: Notifications['output']): void {
    const call = this.#calls.get(id as number);
    if (call?.onOutput === undefined || call.failure !== undefined) return;
    try {
      call.onOutput(stream, text);
    } catch (error) {
      // Thrown where the run is waited for.
      call.failure = error;
    }
  }

  async #decide({ handle, ...question }: Notifications['question']): Promise<void> {
    let verdict: Verdict = false;
    try {
      verdict = (await this.#approvers.get(handle as number)?.(question)) ?? false;
    } catch {
      // An approver that fails denies.
    }
    const id = question.question;
    const answer = (): Methods['question.answer']['params'] => {
      if (verdict === true) return { question: id, allow: true };
      if (typeof verdict !== 'object') return { question: id, allow: false };
      const { span = 'once', capability } = verdict;
      if (capability === undefined) return { question: id, allow: true, span };
      const decided: Decision = { capability, span };
      return { question: id, decisions: [decided] };
    };
    // The question may have been closed meanwhile.
    await this.call('question.answer', answer()).catch(() => {});
  }

  async #serve(
    id: number | string | undefined,
    { name, handle, args }: Requests['function.call'],
  ): Promise<void> {
    try {
      const lent = this.#functions.get(handle as number);
      if (lent === undefined) throw new Error(`${name}: no longer lent`);
      const result = (await lent.body(args)) ?? null;
      this.#write({ id, result });
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.#write({ id, error: { code: -32000, message } });
    }
  }
}
