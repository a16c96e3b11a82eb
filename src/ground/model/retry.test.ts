import { describe, expect, test } from "vitest"
import { silentLog } from "#ground/base"
import { testClock } from "#test/clock"
import { ModelBusy, ModelTimedOut } from "./errors.ts"
import { type Failure, type Try, tryPatiently } from "./retry.ts"

const busy = (retryAfterMs?: number): Failure => ({
  kind: "busy",
  status: 429,
  reason: "slow down",
  retryAfterMs,
})
const gone: Failure = { kind: "unreachable", reason: "no connection" }
const refused: Failure = { kind: "refused", status: 400, reason: "no" }

function scene(
  failures: readonly Failure[],
  settings: { retries?: number; timeoutSeconds?: number } = {},
) {
  const clock = testClock()
  const triedAt: number[] = []
  const stop = new AbortController()
  const attempt = async (): Promise<Try<string>> => {
    const failure = failures[triedAt.length]
    triedAt.push(clock.monotonicMs())
    return failure === undefined ? { kind: "done", value: "yes" } : { kind: "not-done", failure }
  }
  const patience = {
    provider: "test",
    name: "test",
    retries: 2,
    timeoutSeconds: 300,
    ...settings,
    signal: stop.signal,
    clock,
    // 255 gives the longest random wait.
    random: { bytes: (count: number) => new Uint8Array(count).fill(255) },
    log: silentLog,
  }
  return { clock, triedAt, stop, patience, outcome: settle(tryPatiently(attempt, patience)) }
}

function settle<Value>(work: Promise<Value>) {
  return work.then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  )
}

describe("retrying a model call", () => {
  test("[MODEL-7] the wait is half a second, then twice as long", async () => {
    const { clock, triedAt, outcome } = scene([gone, busy()])
    await clock.advance(10_000)
    expect(triedAt).toEqual([0, 500, 1_500])
    expect((await outcome).value).toEqual({ value: "yes", retries: 2 })
  })

  test("[MODEL-7] random jitter shortens a wait by at most half", async () => {
    const { patience, clock } = scene([])
    const triedAt: number[] = []
    const attempt = async (): Promise<Try<string>> => {
      triedAt.push(clock.monotonicMs())
      return { kind: "not-done", failure: gone }
    }
    const random = { bytes: (count: number) => new Uint8Array(count) }
    const outcome = settle(tryPatiently(attempt, { ...patience, retries: 1, random }))
    await clock.advance(1_000)
    expect(triedAt).toEqual([0, 250])
    expect((await outcome).error).toMatchObject({ code: "MODEL_UNREACHABLE" })
  })

  test("[MODEL-7] the wait is as long as the provider requests", async () => {
    const { clock, triedAt } = scene([busy(7_000)])
    await clock.advance(6_999)
    expect(triedAt).toEqual([0])
    await clock.advance(1)
    expect(triedAt).toEqual([0, 7_000])
  })

  test("[MODEL-7] a requested wait of more than a minute ends the retries", async () => {
    const { triedAt, outcome } = scene([busy(61_000)])
    const { error } = await outcome
    expect(ModelBusy.is(error)).toBe(true)
    expect(triedAt).toEqual([0])
  })

  test("[MODEL-7] a refusal is not retried", async () => {
    const { triedAt, outcome } = scene([refused])
    expect((await outcome).error).toMatchObject({ code: "MODEL_REFUSED" })
    expect(triedAt).toEqual([0])
  })

  test("[MODEL-7] the error after the last retry has the number of tries", async () => {
    const { clock, triedAt, outcome } = scene([busy(), busy(), busy(), busy()])
    await clock.advance(60_000)
    const { error } = await outcome
    expect(String(error)).toBe("AppError: test is busy (429, 3 tries): slow down")
    expect(triedAt).toHaveLength(3)
  })

  test("[MODEL-7] no wait is longer than twenty seconds", async () => {
    const { clock, triedAt } = scene(
      Array.from({ length: 10 }, () => gone),
      { retries: 10 },
    )
    await clock.advance(600_000)
    const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
    expect(Math.max(...waits)).toBe(20_000)
  })

  test("[MODEL-8] a wait longer than the remaining time is not started", async () => {
    const { triedAt, outcome } = scene([busy(5_000)], { timeoutSeconds: 5 })
    expect((await outcome).error).toMatchObject({ code: "MODEL_BUSY" })
    expect(triedAt).toEqual([0])
  })

  test("[MODEL-8] a try that ignores its signal is abandoned at the timeout", async () => {
    const { patience, clock } = scene([])
    const seen: AbortSignal[] = []
    const never = (signal: AbortSignal) => {
      seen.push(signal)
      return new Promise<Try<string>>(() => undefined)
    }
    const outcome = settle(tryPatiently(never, { ...patience, timeoutSeconds: 30 }))
    await clock.advance(29_999)
    expect(seen[0]?.aborted).toBe(false)
    await clock.advance(1)
    const { error } = await outcome
    expect(ModelTimedOut.is(error)).toBe(true)
    expect(String(error)).toContain("within 30 seconds")
    expect(seen[0]?.aborted).toBe(true)
  })

  test("[MODEL-9] an abort ends the wait with the caller's reason", async () => {
    const { clock, stop, triedAt, outcome } = scene([busy(10_000)])
    await clock.advance(100)
    const reason = new Error("enough")
    stop.abort(reason)
    expect((await outcome).error).toBe(reason)
    expect(triedAt).toEqual([0])
  })

  test("[MODEL-9] an aborted signal prevents the first try", async () => {
    const { patience } = scene([])
    const signal = AbortSignal.abort(new Error("gone"))
    let isTried = false
    const attempt = async (): Promise<Try<string>> => {
      isTried = true
      return { kind: "done", value: "yes" }
    }
    const { error } = await settle(tryPatiently(attempt, { ...patience, signal }))
    expect(error).toBe(signal.reason)
    expect(isTried).toBe(false)
  })

  test("[MODEL-9] an unexpected error has its own stack and is not retried", async () => {
    const { patience } = scene([])
    const bug = new TypeError("ours")
    const { error } = await settle(tryPatiently(() => Promise.reject(bug), patience))
    expect(error).toBe(bug)
  })
})
