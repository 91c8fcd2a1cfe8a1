// The host's side of WebAssembly: its exports, and the functions of WASI that Rust's standard
// library needs for clocks, randomness and the message of a panic.

/** The exports of `host.wasm`. */
export interface HostExports {
  memory: WebAssembly.Memory
  _initialize?: () => void
  web_alloc(length: number): number
  web_attach(at: number, length: number): void
  web_receive(at: number, length: number): void
  web_poll(): void
  guest_call(cell: number, request: number, requestLength: number, room: number, roomLength: number): number
  guest_wait(cell: number, ticket: number, room: number, roomLength: number): void
  guest_args(): number
  guest_import(cell: number, index: number): number
  guest_import_name(index: number): bigint
  guest_rest(cell: number): number
  guest_grow(cell: number, pages: number): number
  guest_compiled(ticket: number, isFit: number, length: number): void
  guest_left(cell: number, kind: number, first: number, second: number): void
}

const ERRNO_BADF = 8
const CLOCK_REALTIME = 0

/** Milliseconds that the monotonic clock is ahead, so that times before the start exist. */
const START = 1e9

/** The functions of WASI for the host and the pacer. None of them reaches files, variables or arguments. */
export function wasi(host: () => { memory: WebAssembly.Memory }): WebAssembly.ModuleImports {
  let last: DataView | undefined
  // Memory that grows is another buffer.
  const view = () => {
    const { buffer } = host().memory
    return last?.buffer === buffer ? last : (last = new DataView(buffer))
  }
  const none = (count: number, size: number): number => {
    view().setUint32(count, 0, true)
    view().setUint32(size, 0, true)
    return 0
  }
  let panic = ''
  return {
    clock_time_get(id: number, _precision: bigint, out: number): number {
      if (id === CLOCK_REALTIME) view().setBigUint64(out, BigInt(Date.now()) * 1_000_000n, true)
      else put(view(), out, Math.round((performance.now() + START) * 1e6))
      return 0
    },
    random_get(at: number, length: number): number {
      // The browser fills at most 64 KiB at once.
      for (let done = 0; done < length; done += 65536) {
        const part = new Uint8Array(host().memory.buffer, at + done, Math.min(65536, length - done))
        crypto.getRandomValues(part)
      }
      return 0
    },
    environ_sizes_get: none,
    environ_get: () => 0,
    args_sizes_get: none,
    args_get: () => 0,
    fd_write(fd: number, list: number, count: number, out: number): number {
      if (fd !== 2) return ERRNO_BADF
      let written = 0
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(list + 8 * i, true)
        const length = view().getUint32(list + 8 * i + 4, true)
        panic += new TextDecoder().decode(new Uint8Array(host().memory.buffer, at, length))
        written += length
      }
      if (panic.endsWith('\n')) {
        console.error(`cofferdam: ${panic.trimEnd()}`)
        panic = ''
      }
      view().setUint32(out, written, true)
      return 0
    },
    proc_exit(code: number): never {
      throw new Error(`the host exited with ${code}`)
    },
  }
}

/** Writes an integer below 2^53 with 64 bits. A BigInt would cost several times as much. */
export function put(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true)
  view.setUint32(at + 4, value / 2 ** 32, true)
}

/** Returns imports for a module: those given, and a refusal for every other function. */
export function complete(module: WebAssembly.Module, given: WebAssembly.Imports): WebAssembly.Imports {
  const imports: Record<string, WebAssembly.ModuleImports> = {}
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const refuse = () => 52 // ENOSYS
    ;(imports[from] ??= {})[name] = given[from]?.[name] ?? refuse
  }
  return imports
}
