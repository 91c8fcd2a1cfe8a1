// Methods of `rpc`, their parameters and results. Written by clients/generate from `cofferdam rpc --schema`. Do not edit.

export type Limits = Record<string, number>;

export type Content = string | { base64: string };

export type Module = { path?: string; base64?: string };

export type Mount = { host: string; at: string; mode?: "ro" | "overlay" | "rw" };

export type Function = { name: string; description?: string; parameters?: unknown; returns?: unknown; handle?: unknown };

export type Choice = { capability: string; words: string; risk: "low" | "medium" | "high"; reason: string };

export type Wish = { wanted: string; choices: Array<Choice>; words?: string; details?: Record<string, string>; onHost?: string | null };

export type Decision = { capability: string; span?: "once" | "session" | "always" };

export type Grant = { id: string; capability: string; span: "once" | "session" | "always"; tool?: string | null; sandbox?: string | null; by?: string; at?: string; expires?: string | null; left?: number | null; headers?: Array<string> };

export type OutcomeError = { code: string; name: string; message: string; stack?: string; line?: number; column?: number; limit?: string; allowed?: number; wanted?: number | null; requiredPermission?: string; attemptedAction?: string; requestId?: string };

export interface Methods {
  /** Runs a tool or program. */
  "exec": {
    params: { kind: "js" | "ts" | "python" | "shell" | "wasm" | "native"; command?: string; wasm?: Module; argv?: Array<string>; preopens?: Array<string>; code?: string; args?: unknown; files?: Record<string, Content>; cwd?: string; name?: string; session?: string; boundary?: "worker" | "iframe"; config?: Record<string, unknown>; page?: string; language?: string; sandbox?: string; stream?: boolean; limits?: Limits; stdin?: string; env?: Record<string, string>; capabilities?: Array<string>; programs?: Record<string, Module>; mounts?: Array<Mount>; functions?: Array<Function>; ask?: unknown };
    result: { exitCode: number; stdout: string; stderr: string; result: unknown; errorClass: string | null; error: null | OutcomeError; truncated: Record<string, unknown>; executionTimeMs: number; denials?: Array<Record<string, unknown>>; unseen?: Array<Record<string, unknown>>; resultNotes?: Array<Record<string, unknown>>; pageHtml?: string };
  };
  /** Same as exec. */
  "sandbox.exec": {
    params: { kind: "js" | "ts" | "python" | "shell" | "wasm" | "native"; command?: string; wasm?: Module; argv?: Array<string>; preopens?: Array<string>; code?: string; args?: unknown; files?: Record<string, Content>; cwd?: string; name?: string; session?: string; boundary?: "worker" | "iframe"; config?: Record<string, unknown>; page?: string; language?: string; sandbox?: string; stream?: boolean; limits?: Limits; stdin?: string; env?: Record<string, string>; capabilities?: Array<string>; programs?: Record<string, Module>; mounts?: Array<Mount>; functions?: Array<Function>; ask?: unknown };
    result: { exitCode: number; stdout: string; stderr: string; result: unknown; errorClass: string | null; error: null | OutcomeError; truncated: Record<string, unknown>; executionTimeMs: number; denials?: Array<Record<string, unknown>>; unseen?: Array<Record<string, unknown>>; resultNotes?: Array<Record<string, unknown>>; pageHtml?: string };
  };
  /** Cancels a request by its id. */
  "cancel": {
    params: { id: string | number };
    result: { cancelled: boolean };
  };
  /** Closes a session. */
  "session.close": {
    params: { session: string; sandbox?: string };
    result: { closed: boolean };
  };
  /** Makes a sandbox that is kept. */
  "sandbox.create": {
    params: { cwd?: string; files?: Record<string, Content>; boundary?: "worker" | "iframe"; config?: Record<string, unknown>; page?: string; limits?: Limits; stdin?: string; env?: Record<string, string>; capabilities?: Array<string>; programs?: Record<string, Module>; mounts?: Array<Mount>; functions?: Array<Function>; ask?: unknown };
    result: { sandbox: string };
  };
  /** Makes a sandbox from an export; sealed says if this store made it. */
  "sandbox.import": {
    params: { base64: string; boundary?: "worker" | "iframe"; config?: Record<string, unknown>; page?: string; sealed?: boolean; limits?: Limits; stdin?: string; env?: Record<string, string>; capabilities?: Array<string>; programs?: Record<string, Module>; mounts?: Array<Mount>; functions?: Array<Function>; ask?: unknown };
    result: { sandbox: string; sealed: boolean };
  };
  /** Writes a file. */
  "sandbox.write": {
    params: { sandbox: string; path: string; content: Content; executable?: boolean };
    result: { bytes: number };
  };
  /** Reads a file, as text if it is UTF-8. */
  "sandbox.read": {
    params: { sandbox: string; path: string; maxBytes?: number; encoding?: "base64" };
    result: { text?: string; base64?: string };
  };
  /** Lists a folder. */
  "sandbox.list": {
    params: { sandbox: string; path: string };
    result: { entries: Array<Record<string, unknown>> };
  };
  /** Returns the variables of later runs. */
  "sandbox.getEnv": {
    params: { sandbox: string };
    result: { env: Record<string, string> };
  };
  /** Sets variables for later runs; null removes one. */
  "sandbox.setEnv": {
    params: { sandbox: string; env: Record<string, string | null> };
    result: { env: Record<string, string> };
  };
  /** Returns true if a run is under way. */
  "sandbox.isRunning": {
    params: { sandbox: string };
    result: { running: boolean };
  };
  /** Cancels every run under way in a sandbox. */
  "sandbox.cancel": {
    params: { sandbox: string };
    result: { cancelled: boolean };
  };
  /** Copies a sandbox. */
  "sandbox.fork": {
    params: { sandbox: string };
    result: { sandbox: string };
  };
  /** Takes a snapshot. */
  "sandbox.snapshot": {
    params: { sandbox: string };
    result: { snapshot: string };
  };
  /** Restores a snapshot; refused while a run is under way. */
  "sandbox.restore": {
    params: { sandbox: string; snapshot: string };
    result: { restored: boolean };
  };
  /** Encodes the content of a sandbox. */
  "sandbox.export": {
    params: { sandbox: string };
    result: { base64: string };
  };
  /** Cancels every run and drops the sandbox. */
  "sandbox.destroy": {
    params: { sandbox: string };
    result: { destroyed: boolean };
  };
  /** Drops a snapshot. */
  "snapshot.drop": {
    params: { snapshot: string };
    result: { dropped: boolean };
  };
  /** Lists the functions lent to a sandbox, for a model. */
  "functions.list": {
    params: { sandbox: string };
    result: { functions: Array<Function> };
  };
  /** Replaces the page of a sandbox. */
  "page.set": {
    params: { sandbox: string; html: string };
    result: { set: boolean };
  };
  /** Returns the page as HTML; null if there is none. */
  "page.html": {
    params: { sandbox: string };
    result: { html: string | null };
  };
  /** Takes the events that tools caused on the page. */
  "page.events": {
    params: { sandbox: string };
    result: { events: Array<Record<string, unknown>> };
  };
  /** Publishes a value to tools. */
  "state.publish": {
    params: { sandbox: string; name: string; content: unknown; metadata?: unknown };
    result: { published: boolean };
  };
  /** Returns a published value, as tools may have changed it. */
  "state.read": {
    params: { sandbox: string; name: string };
    result: { found: boolean; content: unknown };
  };
  /** Answers a question: allows or denies all of it, or decides each wish. */
  "question.answer": {
    params: { question: string; allow?: boolean; span?: "once" | "session" | "always"; decisions?: Array<null | Decision>; by?: string };
    result: { answered: boolean };
  };
  /** Lists the questions that wait for an answer. */
  "question.list": {
    params: Record<string, never>;
    result: { questions: Array<Record<string, unknown>> };
  };
  /** Lists grants: of the server, and of a sandbox. */
  "grants.list": {
    params: { sandbox?: string };
    result: { grants: Array<Grant> };
  };
  /** Grants a capability or a recorded request. */
  "grants.grant": {
    params: { capability?: string; request?: string; sandbox?: string; span?: "once" | "session" | "always"; tool?: string; by?: string; expiresInMs?: number; maxUses?: number; headers?: Record<string, string> };
    result: { grant: Grant };
  };
  /** Revokes a grant. */
  "grants.revoke": {
    params: { grant: string; sandbox?: string; by?: string };
    result: { grant: Grant };
  };
  /** Lists denied requests, latest first. */
  "requests.list": {
    params: { all?: boolean };
    result: { requests: Array<Record<string, unknown>> };
  };
  /** Denies a recorded request. */
  "requests.deny": {
    params: { request: string; by?: string };
    result: { request: Record<string, unknown> };
  };
  /** Returns lines of the audit log, oldest first. */
  "audit.read": {
    params: { last?: number; sandbox?: string; run?: string; event?: string; verdict?: string; id?: string };
    result: { lines: Array<Record<string, unknown>> };
  };
  /** Registers a tool, or a new version of one. */
  "tool.add": {
    params: { name: string; description: string; kind?: "js" | "ts" | "python"; source: string; parameters?: Record<string, unknown>; returns?: Record<string, unknown>; wants?: Array<string> };
    result: { tool: Record<string, unknown>; isNew: boolean };
  };
  /** Lists registered tools. */
  "tool.list": {
    params: Record<string, never>;
    result: { tools: Array<Record<string, unknown>> };
  };
  /** Returns a registered tool with its source and earlier versions. */
  "tool.show": {
    params: { name: string };
    result: { tool: Record<string, unknown> };
  };
  /** Removes a registered tool with all its versions. */
  "tool.remove": {
    params: { name: string };
    result: { removed: boolean };
  };
  /** Runs a registered tool. */
  "tool.call": {
    params: { name: string; args?: unknown; files?: Record<string, Content>; cwd?: string; sandbox?: string; session?: string; stream?: boolean; limits?: Limits; stdin?: string; env?: Record<string, string>; capabilities?: Array<string>; programs?: Record<string, Module>; mounts?: Array<Mount>; functions?: Array<Function>; ask?: unknown };
    result: { outcome: Record<string, unknown>; mistake?: string };
  };
}

export interface Notifications {
  /** A run waits for a decision; question.answer gives it. */
  "question": { question: string; tool: string; sandbox: string; run: string; wishes: Array<Wish>; at?: string | null; handle: unknown };
  /** A question was answered, or no run waits for it any more. */
  "question.closed": { question: string };
  /** A run with stream: true printed something. */
  "output": { id: string | number; stream: "stdout" | "stderr"; text: string };
}

export interface Requests {
  /** A tool calls a function that the client lent; respond with a result or an error. */
  "function.call": { name: string; handle: unknown; args: unknown };
}

export const METHODS = [
  "exec",
  "sandbox.exec",
  "cancel",
  "session.close",
  "sandbox.create",
  "sandbox.import",
  "sandbox.write",
  "sandbox.read",
  "sandbox.list",
  "sandbox.getEnv",
  "sandbox.setEnv",
  "sandbox.isRunning",
  "sandbox.cancel",
  "sandbox.fork",
  "sandbox.snapshot",
  "sandbox.restore",
  "sandbox.export",
  "sandbox.destroy",
  "snapshot.drop",
  "functions.list",
  "page.set",
  "page.html",
  "page.events",
  "state.publish",
  "state.read",
  "question.answer",
  "question.list",
  "grants.list",
  "grants.grant",
  "grants.revoke",
  "requests.list",
  "requests.deny",
  "audit.read",
  "tool.add",
  "tool.list",
  "tool.show",
  "tool.remove",
  "tool.call",
] as const;
