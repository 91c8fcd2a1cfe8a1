// Guests with a memory that two workers can use, for the bridge.

const MEMORY_SECTION = 5

/** Most pages of a shared memory, which has to say so. */
const MOST_PAGES = 16_384

/** A compiled guest whose memory is shared, and the pages that it begins with. */
export interface SharedModule {
  module: WebAssembly.Module
  pages: number
}

/** Compiles a guest with a shared memory. */
export async function compileShared(source: Uint8Array): Promise<SharedModule> {
  const { wasm, pages } = shareMemory(source)
  return { module: await WebAssembly.compile(wasm), pages }
}

/** Returns a module whose memory is shared, and the pages that it begins with: the limits of its
    memory are rewritten, everything else is copied. */
function shareMemory(wasm: Uint8Array): { wasm: Uint8Array<ArrayBuffer>; pages: number } {
  const read = (at: number): [number, number] => {
    let [value, shift] = [0, 0]
    for (;;) {
      const byte = wasm[at++]!
      value += (byte & 127) * 2 ** shift
      shift += 7
      if (byte < 128) return [value, at]
    }
  }
  for (let at = 8; at < wasm.length; ) {
    const section = wasm[at]
    const [length, body] = read(at + 1)
    if (section !== MEMORY_SECTION) {
      at = body + length
      continue
    }
    // One memory, which is what guests have: its flags, its least and perhaps its most pages.
    const flags = wasm[body + 1]!
    const [least, next] = read(body + 2)
    // A module may begin with more; the host refuses to start it.
    const most = flags & 1 ? read(next)[0] : Math.max(least, MOST_PAGES)
    const content = [1, 3, ...leb(least), ...leb(most)]
    const before = wasm.subarray(0, at)
    const after = wasm.subarray(body + length)
    const changed = new Uint8Array(before.length + 2 + content.length + after.length)
    changed.set(before)
    changed.set([MEMORY_SECTION, content.length, ...content], before.length)
    changed.set(after, before.length + 2 + content.length)
    return { wasm: changed, pages: least }
  }
  throw new Error('the guest has no memory')
}

const leb = (value: number): number[] => (value < 128 ? [value] : [(value % 128) | 128, ...leb(Math.floor(value / 128))])
