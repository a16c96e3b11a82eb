/**
 * Why work on a run is cut: a person stops it, this process leaves it to another one, another one
 * has it already, or the stage it belonged to is over.
 */
export class Interruption extends Error {
  override readonly name = "Interruption"
  readonly why: "stop" | "leave" | "lost" | "stage-over"

  constructor(why: Interruption["why"]) {
    super(`work on the run was cut: ${why}`)
    this.why = why
  }
}

/** Undefined while nothing is cut. */
export function interruptionOf(signal: AbortSignal): Interruption["why"] | undefined {
  if (!signal.aborted) return undefined
  return signal.reason instanceof Interruption ? signal.reason.why : "stop"
}

/** Who leaves a run, or has lost it, writes no more: the cut shows as a new attempt. */
export function mayWrite(signal: AbortSignal): boolean {
  const why = interruptionOf(signal)
  return why !== "leave" && why !== "lost"
}

/** The work, or the cut when that comes first; work that ignores the signal is not waited for. */
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
    // Whichever came second is nobody's any more.
    work.catch(() => {})
    cut.promise.catch(() => {})
  }
}
