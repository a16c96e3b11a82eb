import type { Clock } from "#ground/base"
import type { SourceHealth } from "#ground/contract"
import type { Connection } from "./wire/connection.ts"

/** An idle server is ended; starting one takes a fraction of a second. */
const IDLE_MS = 120_000

const REST_MS = 60_000

/** After this many failures in a row a source pauses for a minute (PROMISES, N3). */
const FAILURES_BEFORE_REST = 3

export type SourceState = {
  readonly digest: string
  readonly circuit: Circuit
  readonly connection: LazyConnection
  health: SourceHealth
  problem: string | null
  tools: readonly string[] | null
}

export type Connections = ReturnType<typeof createConnections>

export function createConnections(clock: Clock) {
  const states = new Map<string, SourceState>()
  const ending = new Set<Promise<void>>()

  function onEnding(ended: Promise<void>): void {
    const tracked = ended.catch(() => {}).finally(() => ending.delete(tracked))
    ending.add(tracked)
  }

  function newSourceState(digest: string): SourceState {
    const circuit = createCircuit(clock)
    const connection = createLazyConnection(clock, onEnding)
    return { digest, circuit, connection, health: "unknown", problem: null, tools: null }
  }

  return {
    find: (slug: string): SourceState | undefined => states.get(slug),
    /** Discards the state of a previous description. */
    of(slug: string, digest: string): SourceState {
      const existing = states.get(slug)
      if (existing?.digest === digest) return existing
      existing?.connection.hangUp()
      const made = newSourceState(digest)
      states.set(slug, made)
      return made
    },
    async close(): Promise<void> {
      for (const { connection } of states.values()) connection.hangUp()
      states.clear()
      await Promise.all(ending)
    },
  }
}

type Circuit = ReturnType<typeof createCircuit>

function createCircuit(clock: Pick<Clock, "monotonicMs">) {
  let failures = 0
  let restsUntilMs: number | undefined
  return {
    restMs: (): number =>
      restsUntilMs === undefined ? 0 : Math.max(0, restsUntilMs - clock.monotonicMs()),
    succeeded(): void {
      failures = 0
      restsUntilMs = undefined
    },
    /** After a pause one failure starts the next. */
    failed(): void {
      failures += 1
      if (failures >= FAILURES_BEFORE_REST) restsUntilMs = clock.monotonicMs() + REST_MS
    },
  }
}

type ConnectRequest = {
  open(signal: AbortSignal): Promise<Connection>
  readonly timeoutMs: number
}

type LazyConnection = ReturnType<typeof createLazyConnection>

function createLazyConnection(clock: Clock, onEnding: (ended: Promise<void>) => void) {
  let current: Promise<Connection> | undefined
  let opening = new AbortController()
  const use = createUse(clock, () => hangUp())

  function hangUp(): void {
    const connection = current
    current = undefined
    use.forget()
    opening.abort()
    if (connection === undefined) return
    onEnding(
      connection.then(
        (it) => it.close(),
        () => {},
      ),
    )
  }

  function openNew({ open, timeoutMs }: ConnectRequest): Promise<Connection> {
    opening = new AbortController()
    // Has its own deadline: the first caller may have left while others wait for the connection.
    const connection = openWithin(startDeadline(clock, timeoutMs, opening.signal), open)
    current = connection
    connection.catch(() => {
      if (current === connection) current = undefined
    })
    return connection
  }

  return {
    hangUp,
    async get(request: ConnectRequest): Promise<Connection> {
      const open = current
      const connection = await open
      if (connection?.isOver() === false) return connection
      if (open !== undefined && current === open) hangUp()
      return current ?? openNew(request)
    },
    whileBusy: use.during,
  }
}

function createUse(clock: Clock, onIdle: () => void) {
  let users = 0
  let waiting = new AbortController()
  async function watch(): Promise<void> {
    const { signal } = (waiting = new AbortController())
    await clock.sleep(IDLE_MS, signal).catch(() => {})
    if (!signal.aborted && users === 0) onIdle()
  }
  return {
    forget: (): void => waiting.abort(),
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      waiting.abort()
      users += 1
      try {
        return await work()
      } finally {
        users -= 1
        if (users === 0) void watch()
      }
    },
  }
}

async function openWithin(
  deadline: ReturnType<typeof startDeadline>,
  open: ConnectRequest["open"],
): Promise<Connection> {
  using within = deadline
  return await open(within.signal)
}

export class TimeIsOver extends Error {
  override readonly name = "TimeIsOver"
}

export type Deadline = Disposable & {
  readonly signal: AbortSignal
  within<Value>(promise: Promise<Value>): Promise<Value>
}

export function startDeadline(clock: Clock, ms: number, signal: AbortSignal): Deadline {
  const late = new AbortController()
  const done = new AbortController()
  const joined = AbortSignal.any([signal, late.signal])
  void clock.sleep(ms, done.signal).then(
    () => late.abort(new TimeIsOver(`timed out after ${ms} ms`)),
    () => {},
  )
  return {
    signal: joined,
    async within<Value>(promise: Promise<Value>): Promise<Value> {
      const over = Promise.withResolvers<never>()
      const stop = () => over.reject(reasonIn(joined))
      joined.addEventListener("abort", stop, { once: true })
      if (joined.aborted) stop()
      try {
        return await Promise.race([promise, over.promise])
      } finally {
        joined.removeEventListener("abort", stop)
        over.promise.catch(() => {})
      }
    },
    [Symbol.dispose]: () => done.abort(),
  }
}

function reasonIn(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error("the call was cancelled")
}
