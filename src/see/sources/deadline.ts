import type { Clock } from "#ground/base"

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
