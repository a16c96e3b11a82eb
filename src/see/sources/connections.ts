import type { Clock } from "#ground/base"
import type { SourceHealth } from "#ground/contract"
import type { Connection } from "./wire/connection.ts"

/** A server nobody asks is ended; starting one costs a fraction of a second. */
const IDLE_MS = 120_000

const REST_MS = 60_000

/** After so many failures in a row a source is left alone for a minute (PROMISES, N3). */
const FAILURES_BEFORE_REST = 3

/** What this process knows of one source. */
export type Standing = {
  readonly digest: string
  readonly circuit: Circuit
  readonly line: Line
  health: SourceHealth
  problem: string | null
  tools: readonly string[] | null
}

export type Keeper = ReturnType<typeof createKeeper>

/** The standing of each source that was asked, and the servers that are still being ended. */
export function createKeeper(clock: Clock) {
  const standings = new Map<string, Standing>()
  const ending = new Set<Promise<void>>()

  function onEnding(ended: Promise<void>): void {
    const tracked = ended.catch(() => {}).finally(() => ending.delete(tracked))
    ending.add(tracked)
  }

  function newStanding(digest: string): Standing {
    const [circuit, line] = [createCircuit(clock), createLine(clock, onEnding)]
    return { digest, circuit, line, health: "unknown", problem: null, tools: null }
  }

  return {
    find: (slug: string): Standing | undefined => standings.get(slug),
    /** Of what is described now; what was known of another description is forgotten. */
    of(slug: string, digest: string): Standing {
      const known = standings.get(slug)
      if (known?.digest === digest) return known
      known?.line.hangUp()
      const made = newStanding(digest)
      standings.set(slug, made)
      return made
    },
    async close(): Promise<void> {
      for (const { line } of standings.values()) line.hangUp()
      standings.clear()
      await Promise.all(ending)
    },
  }
}

type Circuit = ReturnType<typeof createCircuit>

/** Leaves a source alone after failures in a row; measured by time nobody can set. */
function createCircuit(clock: Pick<Clock, "monotonicMs">) {
  let failures = 0
  let restsUntilMs: number | undefined
  return {
    /** How long it still rests; 0 when it may be asked. */
    restMs: (): number =>
      restsUntilMs === undefined ? 0 : Math.max(0, restsUntilMs - clock.monotonicMs()),
    succeeded(): void {
      failures = 0
      restsUntilMs = undefined
    },
    /** After a rest one failure is enough for the next. */
    failed(): void {
      failures += 1
      if (failures >= FAILURES_BEFORE_REST) restsUntilMs = clock.monotonicMs() + REST_MS
    },
  }
}

type Wanted = {
  open(signal: AbortSignal): Promise<Connection>
  readonly timeoutMs: number
}

type Line = ReturnType<typeof createLine>

/** The line to one server: opened when it is asked, closed after a while when nobody asks. */
function createLine(clock: Clock, onEnding: (ended: Promise<void>) => void) {
  let current: Promise<Connection> | undefined
  let opening = new AbortController()
  const use = createUse(clock, () => hangUp())

  function hangUp(): void {
    const line = current
    current = undefined
    use.forget()
    opening.abort()
    if (line === undefined) return
    onEnding(
      line.then(
        (it) => it.close(),
        () => {},
      ),
    )
  }

  function openNew({ open, timeoutMs }: Wanted): Promise<Connection> {
    opening = new AbortController()
    // Bounded by itself: who asked first may have gone while others wait for the same line.
    const line = openWithin(startDeadline(clock, timeoutMs, opening.signal), open)
    current = line
    // A line that failed is no line: the next who asks opens another.
    line.catch(() => {
      if (current === line) current = undefined
    })
    return line
  }

  return {
    hangUp,
    /** The open line, or a new one; all who ask meanwhile wait for the same. */
    async get(wanted: Wanted): Promise<Connection> {
      const known = current
      const connection = await known
      if (connection?.isOver() === false) return connection
      if (known !== undefined && current === known) hangUp()
      return current ?? openNew(wanted)
    },
    whileBusy: use.during,
  }
}

/** Says when nobody has used something for a while. */
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
  open: Wanted["open"],
): Promise<Connection> {
  using within = deadline
  return await open(within.signal)
}

/** Thrown into what waits when the time is over. */
export class TimeIsOver extends Error {
  override readonly name = "TimeIsOver"
}

export type Deadline = Disposable & {
  readonly signal: AbortSignal
  /** What a promise gives, or a rejection when the time is over or it was taken back. */
  within<Value>(promise: Promise<Value>): Promise<Value>
}

/** Bounds work by time and by a signal, also work that listens to neither. */
export function startDeadline(clock: Clock, ms: number, signal: AbortSignal): Deadline {
  const late = new AbortController()
  const done = new AbortController()
  const joined = AbortSignal.any([signal, late.signal])
  void clock.sleep(ms, done.signal).then(
    () => late.abort(new TimeIsOver(`${ms} ms are over`)),
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
  return reason instanceof Error ? reason : new Error("it was taken back")
}
