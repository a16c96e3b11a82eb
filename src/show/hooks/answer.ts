import { JUDGES_DEADLINE_MS } from "./limits.ts"

/** What a host tells a hook. Each judge looks for the fields it knows and is ready for any other. */
export type HookPayload = Readonly<Record<string, unknown>>

/** What a host is told, in the host's own words. */
export type HookAnswer = Readonly<Record<string, unknown>>

/** Looks at one event and says something or, most of the time, nothing. */
export type Judge = {
  readonly name: string
  judge(
    payload: HookPayload,
    context: { readonly signal: AbortSignal },
  ): HookAnswer | undefined | Promise<HookAnswer | undefined>
}

export type HookOutcome = {
  readonly answer: HookAnswer | undefined
  /** What went wrong on the way, for whoever debugs a hook. */
  readonly troubles: readonly string[]
}

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/**
 * Asks the judges in their order; the first that has something to say answers. One that throws is
 * passed over. When the time is up, the answer is silence: the work goes on.
 */
export async function answerHook(
  payload: HookPayload,
  judges: readonly Judge[],
  deps: { readonly sleep: Sleep },
): Promise<HookOutcome> {
  if (judges.length === 0) return { answer: undefined, troubles: [] }
  const ended = new AbortController()
  const troubles: string[] = []
  const timeIsUp = deps.sleep(JUDGES_DEADLINE_MS, ended.signal).then(late, late)
  try {
    for (const judge of judges) {
      const said = await Promise.race([ask(judge, payload, ended.signal), timeIsUp])
      if (said.kind === "answer") return { answer: said.answer, troubles }
      if (said.kind === "trouble") troubles.push(`${judge.name}: ${said.why}`)
      if (said === LATE) break
    }
    return { answer: undefined, troubles }
  } finally {
    ended.abort()
  }
}

type Said =
  | { readonly kind: "nothing" }
  | { readonly kind: "answer"; readonly answer: HookAnswer }
  | { readonly kind: "trouble"; readonly why: string }

const LATE: Said = { kind: "trouble", why: `no answer after ${JUDGES_DEADLINE_MS} ms` }

function late(): Said {
  return LATE
}

async function ask(judge: Judge, payload: HookPayload, signal: AbortSignal): Promise<Said> {
  try {
    const answer = await judge.judge(payload, { signal })
    return answer === undefined ? { kind: "nothing" } : { kind: "answer", answer }
  } catch (error) {
    return { kind: "trouble", why: String(error) }
  }
}
