// Keeps a sandbox in the browser: its files as an archive in the origin's private file
// system (OPFS), or in IndexedDB where there is none; grants, requests and audit log in IndexedDB.
//
// Archives are written to two slots in turn, each with a number and a hash, so that a page that is
// closed in the middle of a write finds the archive before it.

import { digest } from './names.js'

/** Records of the ledger, as the host writes them. */
export interface Ledger {
  key: string | null
  grants: Record<string, unknown>[]
  requests: Record<string, unknown>[]
  lines: Record<string, unknown>[]
}

/** A change of the ledger. */
export interface Change {
  key?: string
  grants?: Record<string, unknown>[]
  gone?: string[]
  requests?: Record<string, unknown>[]
  lines?: Record<string, unknown>[]
}

/** Lines of the audit log that are kept. */
const MAX_LINES = 10_000

/** Milliseconds that a sandbox which was just destroyed may take to let go of its name and files. */
const PATIENCE = 3000

const DATABASE = 'cofferdam'
const MAGIC = 0x636f6666
const HEADER = 48

/** A place for archives; each write is whole or has no effect. */
interface Place {
  read(): Promise<Uint8Array | undefined>
  write(archive: Uint8Array): Promise<void>
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const finished = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = transaction.onerror = () => reject(transaction.error)
  })

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => {
    const database = request.result
    database.createObjectStore('keys')
    database.createObjectStore('grants')
    database.createObjectStore('requests')
    database.createObjectStore('archives')
    database.createObjectStore('lines', { autoIncrement: true }).createIndex('sandbox', 'sandbox')
  }
  return done(request)
}

/** All keys of a sandbox in a store whose keys are `[sandbox, id]`. */
const of = (name: string): IDBKeyRange => IDBKeyRange.bound([name], [name, []])

export class Keep {
  readonly #name: string
  readonly #database: IDBDatabase
  readonly #place: Place
  #last: Promise<unknown> = Promise.resolve()
  #hash: string | undefined

  private constructor(name: string, database: IDBDatabase, place: Place) {
    this.#name = name
    this.#database = database
    this.#place = place
  }

  /** Opens what is kept under a name. Fails if another sandbox has it open. */
  static async open(name: string): Promise<Keep> {
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) throw new Error(`keep: ${JSON.stringify(name)}: use 1 to 64 letters, digits and . _ -`)
    if (!navigator.locks) throw new Error('keep: needs a secure context: serve the page over HTTPS, or from localhost')
    await lock(lockOf(name))
    const database = await openDatabase()
    return new Keep(name, database, (await privateFiles(name)) ?? inDatabase(database, name))
  }

  async archive(): Promise<Uint8Array | undefined> {
    const archive = await this.#place.read()
    if (archive) this.#hash = await digest(archive)
    return archive
  }

  async ledger(): Promise<Ledger> {
    const transaction = this.#database.transaction(['keys', 'grants', 'requests', 'lines'])
    const [key, grants, requests, lines] = await Promise.all([
      done(transaction.objectStore('keys').get(this.#name)),
      done(transaction.objectStore('grants').getAll(of(this.#name))),
      done(transaction.objectStore('requests').getAll(of(this.#name))),
      done(transaction.objectStore('lines').index('sandbox').getAll(this.#name)),
    ])
    return { key: key ?? null, grants, requests, lines: lines.map(({ line }) => line) }
  }

  /** Writes a change of the ledger, after those before it. */
  note(change: Change): void {
    this.#last = this.#last.then(() => this.#note(change)).catch((error) => console.error('cofferdam: keep:', error))
  }

  async #note(change: Change): Promise<void> {
    const transaction = this.#database.transaction(['keys', 'grants', 'requests', 'lines'], 'readwrite', { durability: 'strict' })
    const store = (name: string) => transaction.objectStore(name)
    if (change.key) store('keys').put(change.key, this.#name)
    for (const grant of change.grants ?? []) store('grants').put(grant, [this.#name, String(grant['id'])])
    for (const id of change.gone ?? []) store('grants').delete([this.#name, id])
    for (const request of change.requests ?? []) store('requests').put(request, [this.#name, String(request['id'])])
    for (const line of change.lines ?? []) store('lines').add({ sandbox: this.#name, line })
    const count = await done(store('lines').index('sandbox').count(this.#name))
    if (count > MAX_LINES + 1000) await this.#trim(store('lines'), count - MAX_LINES)
    await finished(transaction)
  }

  async #trim(lines: IDBObjectStore, count: number): Promise<void> {
    const keys = await done(lines.index('sandbox').getAllKeys(this.#name, count))
    for (const key of keys) lines.delete(key)
  }

  /** Writes the files, if they changed, and waits for everything that was noted. */
  async save(archive: Uint8Array): Promise<void> {
    const hash = await digest(archive)
    if (hash !== this.#hash) {
      await this.#place.write(archive)
      this.#hash = hash
    }
    await this.#last
  }
}

/** Removes what is kept under a name. Fails if a sandbox has it open. */
export async function forget(name: string): Promise<void> {
  if (!navigator.locks) return remove(name)
  // The worker of a sandbox that was just destroyed may still have the lock.
  const late = AbortSignal.timeout(PATIENCE)
  await navigator.locks.request(lockOf(name), { signal: late }, () => remove(name)).catch((error) => {
    throw late.aborted ? new Error(`forget: a sandbox, perhaps in another tab, has ${JSON.stringify(name)} open`) : error
  })
}

async function remove(name: string): Promise<void> {
  const database = await openDatabase()
  const transaction = database.transaction(['keys', 'grants', 'requests', 'lines', 'archives'], 'readwrite')
  transaction.objectStore('keys').delete(name)
  transaction.objectStore('grants').delete(of(name))
  transaction.objectStore('requests').delete(of(name))
  transaction.objectStore('archives').delete(name)
  const lines = transaction.objectStore('lines')
  for (const key of await done(lines.index('sandbox').getAllKeys(name))) lines.delete(key)
  await finished(transaction)
  database.close()
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined)
  await root
    ?.getDirectoryHandle('cofferdam')
    .then((folder) => patiently(() => folder.removeEntry(name, { recursive: true })))
    .catch((error) => {
      if (error.name !== 'NotFoundError') throw error
    })
}

/** Error for a file that a worker has open. A worker that has ended holds its files a little longer. */
const isHeld = (error: unknown): boolean => (error as Error).name === 'NoModificationAllowedError'

/** Repeats a step on files that a worker may still hold. */
async function patiently<T>(step: () => Promise<T>): Promise<T> {
  for (const late = Date.now() + PATIENCE; ; await new Promise((go) => setTimeout(go, 20))) {
    try {
      return await step()
    } catch (error) {
      if (!isHeld(error) || Date.now() > late) throw error
    }
  }
}

const lockOf = (name: string): string => `cofferdam:${name}`

/** Takes a lock until this worker ends. */
function lock(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return reject(new Error('keep: another sandbox, perhaps in another tab, has this name open'))
      resolve()
      return new Promise(() => {})
    })
    held.catch(reject)
  })
}

function inDatabase(database: IDBDatabase, name: string): Place {
  return {
    read: () => done(database.transaction('archives').objectStore('archives').get(name)),
    async write(archive) {
      const transaction = database.transaction('archives', 'readwrite', { durability: 'strict' })
      transaction.objectStore('archives').put(archive, name)
      await finished(transaction)
    },
  }
}

interface SyncAccessHandle {
  read(to: Uint8Array, options: { at: number }): number
  write(from: Uint8Array, options: { at: number }): number
  truncate(size: number): void
  getSize(): number
  flush(): void
  close(): void
}

/** Returns a place in the origin's private file system, or `undefined` if there is none. */
async function privateFiles(name: string): Promise<Place | undefined> {
  const open = async (slot: number): Promise<SyncAccessHandle> => {
    const root = await navigator.storage.getDirectory()
    const folder = await (await root.getDirectoryHandle('cofferdam', { create: true })).getDirectoryHandle(name, { create: true })
    const file = await folder.getFileHandle(`archive${slot}`, { create: true })
    return (file as unknown as { createSyncAccessHandle(): Promise<SyncAccessHandle> }).createSyncAccessHandle()
  }
  let slots: SyncAccessHandle[]
  try {
    slots = [await patiently(() => open(0)), await patiently(() => open(1))]
  } catch (error) {
    // Without them, the sandbox would seem to be new.
    if (isHeld(error)) throw error
    return undefined
  }
  let number = 0
  return {
    async read() {
      const found = await Promise.all(slots.map(readSlot))
      const latest = found.reduce((a, b) => ((b?.number ?? 0) > (a?.number ?? 0) ? b : a))
      number = latest?.number ?? 0
      return latest?.archive
    },
    async write(archive) {
      const header = new Uint8Array(HEADER)
      const view = new DataView(header.buffer)
      view.setUint32(0, MAGIC)
      view.setUint32(4, ++number)
      view.setFloat64(8, archive.length)
      header.set(new Uint8Array(await crypto.subtle.digest('SHA-256', archive as Uint8Array<ArrayBuffer>)), 16)
      const slot = slots[number % 2]!
      // The slot has no valid header while its content is written.
      slot.truncate(0)
      slot.write(archive, { at: HEADER })
      slot.write(header, { at: 0 })
      slot.flush()
    },
  }
}

async function readSlot(slot: SyncAccessHandle): Promise<{ number: number; archive: Uint8Array } | undefined> {
  const header = new Uint8Array(HEADER)
  if (slot.read(header, { at: 0 }) < HEADER) return undefined
  const view = new DataView(header.buffer)
  const length = view.getFloat64(8)
  if (view.getUint32(0) !== MAGIC || length !== slot.getSize() - HEADER) return undefined
  const archive = new Uint8Array(length)
  slot.read(archive, { at: HEADER })
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', archive))
  if (hash.some((byte, i) => byte !== header[16 + i])) return undefined
  return { number: view.getUint32(4), archive }
}
