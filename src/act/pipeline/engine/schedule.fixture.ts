export function createLot(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export type ScheduledProcess = {
  isDead: boolean
  /** Until then none of its steps run: the machine swaps, or the process is suspended. */
  heldUntil: number
}

export type SimFaults = {
  /** One in this many steps fails; 0 for never. */
  readonly storeFails: number
  readonly crashes: number
  readonly holds: number
  readonly modelFails: number
  readonly modelMisses: number
}

export const NO_FAULTS: SimFaults = {
  storeFails: 0,
  crashes: 0,
  holds: 0,
  modelFails: 0,
  modelMisses: 0,
}

const HOLD_MS = 60_000

type WaitingStep = { readonly process: ScheduledProcess; go(error?: Error): void }
type SleepingStep = { readonly process: ScheduledProcess; readonly due: number; wake(): void }

export type Schedule = ReturnType<typeof createSchedule>

/**
 * Random time and order. Each round trip to the store or a model is a step; the next step, and
 * whether it fails, kills its process or delays it by a minute, are drawn.
 */
export function createSchedule(lot: (below: number) => number) {
  const waiting: WaitingStep[] = []
  const sleeping: SleepingStep[] = []
  const fixture = { now: 1_000_000, faults: NO_FAULTS, crashes: 0 }
  const happens = (oneIn: number): boolean => oneIn > 0 && lot(oneIn) === 0

  function crash(process: ScheduledProcess): void {
    process.isDead = true
    fixture.crashes++
    keep(sleeping, (it) => it.process !== process)
    keep(waiting, (it) => it.process !== process)
  }
  function take(step: WaitingStep): void {
    if (happens(fixture.faults.crashes)) return crash(step.process)
    if (!happens(fixture.faults.holds)) {
      return step.go(
        happens(fixture.faults.storeFails) ? new Error("the store is busy") : undefined,
      )
    }
    step.process.heldUntil = fixture.now + HOLD_MS
    waiting.push(step)
  }
  return {
    fixture,
    happens,
    crash,
    ...createWays(fixture, waiting, sleeping),
    async step(): Promise<boolean> {
      await settle()
      const ready = waiting.filter((it) => it.process.heldUntil <= fixture.now)
      const chosen = ready[lot(Math.max(1, ready.length))]
      if (chosen === undefined) return passTime(fixture, waiting, sleeping)
      waiting.splice(waiting.indexOf(chosen), 1)
      take(chosen)
      return true
    },
  }
}

/** The promises of a dead process stay pending forever. */
function createWays(fixture: { now: number }, waiting: WaitingStep[], sleeping: SleepingStep[]) {
  return {
    hop: (process: ScheduledProcess): Promise<void> =>
      new Promise((resolve, reject) => {
        if (process.isDead) return
        const go = (error?: Error): void => (error === undefined ? resolve() : reject(error))
        waiting.push({ process, go })
      }),
    sleep: (process: ScheduledProcess, ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        if (process.isDead) return
        const sleeper = { process, due: fixture.now + ms, wake: resolve }
        sleeping.push(sleeper)
        signal?.addEventListener("abort", () => {
          keep(sleeping, (it) => it !== sleeper)
          reject(new Error("aborted"))
        })
      }),
  }
}

function passTime(
  fixture: { now: number },
  waiting: readonly WaitingStep[],
  sleeping: SleepingStep[],
): boolean {
  const dueOf = (it: SleepingStep): number => Math.max(it.due, it.process.heldUntil)
  const due = Math.min(...waiting.map((it) => it.process.heldUntil), ...sleeping.map(dueOf))
  if (!Number.isFinite(due)) return false
  fixture.now = Math.max(fixture.now, due)
  const woken = sleeping.filter((it) => dueOf(it) <= fixture.now)
  keep(sleeping, (it) => !woken.includes(it))
  for (const it of woken) it.wake()
  return true
}

function keep<Item>(list: Item[], mayStay: (item: Item) => boolean): void {
  list.splice(0, list.length, ...list.filter(mayStay))
}

/** One turn of the event loop runs all ready promises, however long the chain. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
