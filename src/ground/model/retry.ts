import type { AppError, Clock, Log, Random } from "#ground/base"
import { ModelBusy, ModelFailed, ModelRefused, ModelTimedOut, ModelUnreachable } from "./errors.ts"

/** If the provider requests a longer wait, fail and tell the user instead. */
const LONGEST_RETRY_AFTER_MS = 60_000

const LONGEST_WAIT_MS = 20_000

const FIRST_WAIT_MS = 500

type RetryOptions = {
  readonly provider: string
  readonly name: string
  readonly retries: number
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Retries until success, a refusal, the last retry, the timeout or an abort. A try that ignores its
 * signal is abandoned.
 */
export async function tryPatiently<Value>(
  attempt: (signal: AbortSignal) => Promise<Try<Value>>,
  patience: RetryOptions,
): Promise<{ readonly value: Value; readonly retries: number }> {
  patience.signal.throwIfAborted()
  using deadline = startDeadline(patience)
  const signal = AbortSignal.any([patience.signal, deadline.signal])
  try {
    for (let retries = 0; ; retries += 1) {
      const tried = await unlessAborted(attempt(signal), signal)
      if (tried.kind === "done") return { value: tried.value, retries }
      const waitMs = waitAfter(tried.failure, retries, patience)
      const isInTime = waitMs !== undefined && waitMs < deadline.leftMs()
      if (!isInTime) throw failureError(tried.failure, patience.provider, retries + 1)
      patience.log.warn("model call is retried", {
        name: patience.name,
        kind: tried.failure.kind,
        reason: tried.failure.reason,
        waitMs,
      })
      await patience.clock.sleep(waitMs, signal)
    }
  } catch (error) {
    patience.signal.throwIfAborted()
    if (!deadline.signal.aborted) throw error
    // The cause would be our own abort, which adds nothing.
    throw ModelTimedOut({ provider: patience.provider, seconds: patience.timeoutSeconds }, error)
  }
}

function startDeadline(patience: Pick<RetryOptions, "clock" | "timeoutSeconds">) {
  const { clock } = patience
  const timeoutMs = patience.timeoutSeconds * 1_000
  const dueMs = clock.monotonicMs() + timeoutMs
  const over = new AbortController()
  const notNeeded = new AbortController()
  clock.sleep(timeoutMs, notNeeded.signal).then(
    () => over.abort(),
    () => undefined,
  )
  return {
    signal: over.signal,
    leftMs: () => dueMs - clock.monotonicMs(),
    [Symbol.dispose]: () => notNeeded.abort(),
  }
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(new Error("left", { cause: signal.reason }))
  if (signal.aborted) leave()
  signal.addEventListener("abort", leave)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener("abort", leave)
  }
}

function waitAfter(
  failure: Failure,
  retries: number,
  patience: Pick<RetryOptions, "retries" | "random">,
): number | undefined {
  if (failure.kind === "refused" || retries >= patience.retries) return undefined
  const requestedWaitMs = failure.kind === "unreachable" ? undefined : failure.retryAfterMs
  if (requestedWaitMs !== undefined)
    return requestedWaitMs > LONGEST_RETRY_AFTER_MS ? undefined : requestedWaitMs
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_WAIT_MS)
  // Between half and the full wait, so that clients refused together do not retry together.
  const [byte = 0] = patience.random.bytes(1)
  return Math.round(waitMs * (0.5 + byte / 510))
}

export type Failure =
  | { readonly kind: "refused"; readonly status: number; readonly reason: string }
  | {
      readonly kind: "busy" | "failed"
      readonly status: number
      readonly reason: string
      readonly retryAfterMs: number | undefined
    }
  | { readonly kind: "unreachable"; readonly reason: string }

export type Try<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "not-done"; readonly failure: Failure }

function failureError(failure: Failure, provider: string, tries: number): AppError {
  const { reason } = failure
  switch (failure.kind) {
    case "refused":
      return ModelRefused({ provider, status: failure.status, reason })
    case "busy":
      return ModelBusy({ provider, status: failure.status, reason, tries })
    case "failed":
      return ModelFailed({ provider, status: failure.status, reason, tries })
    case "unreachable":
      return ModelUnreachable({ provider, reason, tries })
    default:
      return failure satisfies never
  }
}
