// The border between the page and a frame. Every message of a window is checked here before anything
// is done with it: source, origin, shape, type and id. A message that fails is refused by name.
//
// The page sends `execute`, the frame `result` or `error` with the same id, once. While it is under
// way, the frame makes calls: `call` with the id `EXECUTE#NUMBER`, numbered from one without gaps.
// `answer` and `notify` go to the frame only.

import { random } from './names.js'

/** The check that a message did not pass. */
export type Reason = 'source' | 'origin' | 'shape' | 'type' | 'id' | 'replay' | 'method'

/** A message that was refused. */
export interface Refusal {
  reason: Reason
  message: string
  id?: string
}

/** A call of a guest in the frame. */
export interface FrameCall {
  id: string
  type: 'call'
  method: 'call' | 'wait' | 'grow'
  params: { cell: number; request?: Uint8Array; ticket?: number; room?: number; pages?: number }
}

/** A message of the frame that passed the checks. */
export type FromFrame =
  | { id: string; type: 'ready' }
  | FrameCall
  | { id: string; type: 'result'; result: any }
  | { id: string; type: 'error'; error: { code: string; message: string } }

/** A message to the frame. */
export type ToFrame =
  | { id: string; type: 'execute'; method: string; params: any }
  | { id: string; type: 'answer'; result: any }
  | { id: string; type: 'notify'; method: string; params: any }

/** Members of each type, besides `id` and `type`. */
const MEMBERS: Record<string, string[]> = { ready: [], call: ['method', 'params'], result: ['result'], error: ['error'] }

/** Members of the parameters of each call. */
const CALLS: Record<string, string[]> = {
  call: ['cell', 'request', 'room'],
  wait: ['cell', 'ticket', 'room'],
  grow: ['cell', 'pages'],
}

/** Ids of finished executions that are remembered, to tell a replay from a foreign id. */
const MAX_FINISHED = 1000

/** Longest id, in characters; as in `abi::message`. */
const MAX_ID = 128

export class Border {
  readonly #frame: () => unknown
  readonly #refuse: (refusal: Refusal) => void
  /** Executions under way, with the number of the last call of each. */
  readonly #open = new Map<string, number>()
  readonly #finished = new Set<string>()

  constructor(frame: () => unknown, refuse: (refusal: Refusal) => void) {
    this.#frame = frame
    this.#refuse = refuse
  }

  /** Returns a new id, which one result or error may have. */
  open(): string {
    const id = random()
    this.#open.set(id, 0)
    return id
  }

  /** Returns a message that passes every check. Any other is refused, or not meant for a border. */
  check(event: { data: unknown; source: unknown; origin: string }): FromFrame | undefined {
    const { data } = event
    const isOurs = event.source === this.#frame()
    // A page has messages of its own, which are none of our business.
    if (!isOurs && !resembles(data)) return undefined
    try {
      return this.#checked(data, isOurs, event.origin)
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused
      const id = idOf(data)
      this.#refuse({ reason: refused.reason, message: `message refused: ${refused.reason}: ${refused.text}`, ...(id !== undefined && { id }) })
      return undefined
    }
  }

  #checked(data: unknown, isOurs: boolean, origin: string): FromFrame {
    if (!isOurs) throw new Refused('source', 'comes from another window')
    // A sandboxed frame has an opaque origin, which is written so.
    if (origin !== 'null') throw new Refused('origin', `${origin.slice(0, 100)} in place of an opaque origin`)
    const message = plain(data, 'the message')
    const { id, type } = message
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID) throw new Refused('shape', `id: must have 1 to ${MAX_ID} characters`)
    const members = typeof type === 'string' && Object.hasOwn(MEMBERS, type) ? MEMBERS[type]! : undefined
    if (!members) throw new Refused('type', `${String(type).slice(0, 40)}: unknown`)
    known(message, ['id', 'type', ...members], type as string)
    if (type === 'call') this.#checkCall(id, message)
    else this.#finish(id)
    if (type === 'error') {
      const { code, message: text } = plain(message['error'], 'error')
      if (typeof code !== 'string' || typeof text !== 'string') throw new Refused('shape', 'error: code and message must be text')
    }
    return message as FromFrame
  }

  #checkCall(id: string, message: Record<string, unknown>): void {
    const [execution = '', digits = ''] = id.split('#')
    const last = this.#open.get(execution)
    if (last === undefined) this.#unknown(execution)
    const number = Number(digits)
    if (!/^[1-9][0-9]*$/.test(digits) || number > last! + 1) throw new Refused('id', 'not the next call')
    if (number <= last!) throw new Refused('replay', 'the call was made before')
    const method = String(message['method'])
    const members = Object.hasOwn(CALLS, method) ? CALLS[method]! : undefined
    if (!members) throw new Refused('method', `${method.slice(0, 40)}: unknown`)
    const params = plain(message['params'], 'params')
    known(params, members, 'params')
    for (const name of members) {
      if (name === 'request' ? !(params[name] instanceof Uint8Array) : !isCount(params[name])) {
        throw new Refused('shape', `params.${name}: ${name === 'request' ? 'not bytes' : 'not a number of 32 bits'}`)
      }
    }
    this.#open.set(execution, number)
  }

  #finish(id: string): void {
    if (!this.#open.delete(id)) this.#unknown(id)
    this.#finished.add(id)
    if (this.#finished.size > MAX_FINISHED) this.#finished.delete(this.#finished.values().next().value!)
  }

  #unknown(id: string): never {
    if (this.#finished.has(id)) throw new Refused('replay', 'its execution has ended')
    throw new Refused('id', 'nothing with this id is under way')
  }
}

/** Thrown inside of the checks. */
class Refused {
  constructor(
    readonly reason: Reason,
    readonly text: string,
  ) {}
}

/** Returns true for a message that has the form of ours, whoever sent it. */
function resembles(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { id, type } = data as Record<string, unknown>
  return typeof id === 'string' && typeof type === 'string' && Object.hasOwn(MEMBERS, type)
}

function idOf(data: unknown): string | undefined {
  const id = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)['id'] : undefined
  return typeof id === 'string' ? id.slice(0, MAX_ID) : undefined
}

function plain(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused('shape', `${name}: not an object`)
  return value as Record<string, unknown>
}

function known(value: Record<string, unknown>, names: string[], what: string): void {
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Refused('shape', `${what}: unknown member ${unknown.slice(0, 40)}`)
  const missing = names.find((name) => !(name in value))
  if (missing !== undefined) throw new Refused('shape', `${what}: ${missing} is missing`)
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
