// The API of a tool. The body of a tool is that of `async function (btcp, args)`: `return` gives its
// result. A member of `btcp` is there if a capability for it is granted or declared (`wants`). Node's
// names, such as `require('fs')`, are always there and ask. Besides there are the web's globals
// (fetch, URL, TextEncoder, crypto, streams, timers), Node's built-in modules by `require` or
// `import`, and `process`.

declare const args: any;
declare const btcp: Btcp;

interface Btcp {
  /** Needs fs:read:PATH, fs:write:PATH. */
  fs: {
    readFile(path: string, options?: 'utf8' | { encoding?: 'utf8' }): Promise<string>;
    readFile(path: string, options: 'bytes' | { encoding: 'bytes' }): Promise<Uint8Array>;
    writeFile(path: string, content: string | Uint8Array, options?: { append?: boolean }): Promise<void>;
    readdir(path: string): Promise<string[]>;
    stat(path: string): Promise<any>;
    mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
    rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
    unlink(path: string): Promise<void>;
    rmdir(path: string): Promise<void>;
    chmod(path: string, mode: number | string): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    exists(path: string): Promise<boolean>;
  };
  /** Needs process:exec:COMMAND. Text is for bash; a list is a command with its arguments. */
  exec(
    command: string | string[],
    options?: { cwd?: string; env?: Record<string, string>; input?: string | Uint8Array },
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** Needs env:read:NAME. */
  env: { get(name: string): Promise<string | null>; names(): Promise<string[]> };
  /** Needs storage:local:read:KEY, storage:local:write:KEY. */
  localStorage: BtcpStorage;
  /** Needs storage:session:read:KEY, storage:session:write:KEY. */
  sessionStorage: BtcpStorage;
  /** Sends the host calls of all entries at once; answers come in order. */
  batch(entries: Array<(() => unknown) | { method: string; args?: unknown[] }>): Promise<any[]>;
}

interface BtcpStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  keys(): Promise<string[]>;
  clear(): Promise<void>;
}
