import type { Clock } from "#ground/base"

export type TestClock = Clock & {
  advance(ms: number): Promise<void>
  /**
   * Sets the wall clock as an administrator would; sleepers and monotonic time are not affected.
   */
  setWall(now: number): void
}

type Sleeper = { readonly due: number; wake(): void }

export function testClock(options: { readonly now?: number } = {}): TestClock {
  let wall = options.now ?? Date.UTC(2026, 0, 1)
  let monotonic = 0
  let sleepers: Sleeper[] = []

  function moveTo(moment: number): void {
    wall += moment - monotonic
    monotonic = moment
  }

  return {
    now: () => wall,
    monotonicMs: () => monotonic,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(abortError(signal))
        const sleeper = { due: monotonic + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener("abort", () => {
          sleepers = sleepers.filter((it) => it !== sleeper)
          reject(abortError(signal))
        })
      })
    },
    async advance(ms) {
      const until = monotonic + ms
      await settle()
      for (let next = first(sleepers, until); next; next = first(sleepers, until)) {
        const woken = next
        sleepers = sleepers.filter((it) => it !== woken)
        moveTo(Math.max(monotonic, woken.due))
        woken.wake()
        await settle()
      }
      moveTo(until)
    },
    setWall(now) {
      wall = now
    },
  }
}

function first(sleepers: readonly Sleeper[], until: number): Sleeper | undefined {
  return sleepers.filter((it) => it.due <= until).toSorted((a, b) => a.due - b.due)[0]
}

/** One turn of the event loop runs every ready promise, however long the chain. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function abortError(signal: AbortSignal): Error {
  return Object.assign(new Error("The operation was aborted", { cause: signal.reason }), {
    name: "AbortError",
    code: "ABORT_ERR",
  })
}
