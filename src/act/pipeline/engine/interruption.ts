/**
 * Why work on a run is cancelled: the user stopped it, this process shuts down, another process has
 * claimed it, or its stage is over.
 */
export class Interruption extends Error {
  override readonly name = "Interruption"
  readonly why: "stop" | "leave" | "lost" | "stage-over"

  constructor(why: Interruption["why"]) {
    super(`work on the run was interrupted: ${why}`)
    this.why = why
  }
}

export function interruptionOf(signal: AbortSignal): Interruption["why"] | undefined {
  if (!signal.aborted) return undefined
  return signal.reason instanceof Interruption ? signal.reason.why : "stop"
}

/**
 * A process that leaves or lost the run writes nothing more; the interruption shows as a new
 * attempt.
 */
export function mayWrite(signal: AbortSignal): boolean {
  const why = interruptionOf(signal)
  return why !== "leave" && why !== "lost"
}

export function refuseIfCut(signal: AbortSignal): void {
  const why = interruptionOf(signal)
  if (why !== undefined) throw new Interruption(why)
}

/**
 * Resolves with the work or rejects at the cancellation, whichever comes first; work that ignores
 * the signal is not awaited.
 */
export async function untilCut<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const cut = Promise.withResolvers<never>()
  const onAbort = (): void => cut.reject(new Interruption(interruptionOf(signal) ?? "stop"))
  if (signal.aborted) onAbort()
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    return await Promise.race([work, cut.promise])
  } finally {
    signal.removeEventListener("abort", onAbort)
    work.catch(() => {})
    cut.promise.catch(() => {})
  }
}
