import type { Clock } from "#ground/base"
import { startDeadline } from "./deadline.ts"
import { IDLE_MS } from "./limits.ts"
import type { Connection } from "./wire/connection.ts"

type Wanted = {
  open(signal: AbortSignal): Promise<Connection>
  readonly timeoutMs: number
}

export type Line = ReturnType<typeof createLine>

/** The line to one server: opened when it is asked, closed after a while when nobody asks. */
export function createLine(clock: Clock, onEnding: (ended: Promise<void>) => void) {
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
