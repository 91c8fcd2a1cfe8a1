// Names: random ones, and those of bytes. Pages without a secure context have neither
// `crypto.randomUUID` nor `crypto.subtle`.

/** Returns 32 random hexadecimal digits. */
export function random(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)))
}

/** Returns the SHA-256 hash of bytes, or `undefined` without a secure context. */
export async function digest(bytes: Uint8Array): Promise<string | undefined> {
  if (!crypto.subtle) return undefined
  return hexadecimal(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))
}

const hexadecimal = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
