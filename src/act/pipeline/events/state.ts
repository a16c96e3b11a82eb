import type { PipelineEventBody, TokenUsage } from "#ground/contract"

export type BodyOf<Type extends PipelineEventBody["type"]> = Extract<
  PipelineEventBody,
  { type: Type }
>

/** What an effect gave in this round of its stage; it is handed out again, never made again. */
export type Recorded =
  | { readonly kind: "result"; readonly result: unknown }
  | {
      readonly kind: "answer"
      readonly text: string
      readonly value: unknown
      /** Why it is no answer. */
      readonly problem: string | undefined
    }

export type Money = { readonly spentUsd: number; readonly unknownCalls: number }

export type StageState = Money & {
  readonly status: "waiting" | "running" | "done" | "failed" | "skipped"
  /** Since the last amendment or repair; more than one: it was cut, or failed and was tried again. */
  readonly attempt: number
  readonly iteration: number
  readonly rounds: number
  readonly hasOutput: boolean
  /** The newest one. */
  readonly output: unknown
  readonly summary: string | null
  readonly isCarried: boolean
  /** Moved by the time in which nobody worked on it, so that it took what lies until its end. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Its newest sign of work. */
  readonly workedAt: number | null
  readonly activities: number
  readonly amendments: readonly string[]
  /** Why the newest output was not good enough. */
  readonly failure: { readonly problems: readonly string[]; readonly feedback: string } | undefined
  /** Who skipped it. */
  readonly skippedBy: string | undefined
  readonly recorded: Readonly<Record<string, Recorded>>
  /** Activities that began and have not ended, and whether they cost money. */
  readonly open: Readonly<Record<string, { readonly isPaid: boolean }>>
}

export type PauseState = {
  readonly pauseId: string
  readonly stage: number
  readonly reason: BodyOf<"pause_requested">["reason"]
  readonly question: string
  readonly since: number
  /** The message that asked for an exit and waits to be confirmed. */
  readonly pending: string | undefined
}

/** All there is to know about a run, derived from its events and from nothing else. */
export type RunState = {
  readonly id: string
  readonly start: BodyOf<"run_started">
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  readonly stages: readonly StageState[]
  /** The stage to work on next; as many as there are when all are done. */
  readonly cursor: number
  /** It gave an output, and what follows from that is not recorded yet. */
  readonly unsettled: number | undefined
  /** Repairs so far, by unit. */
  readonly repairs: readonly number[]
  /** What the newest repair of a unit was told, by unit. */
  readonly feedback: readonly (string | undefined)[]
  readonly pauses: number
  readonly pause: PauseState | undefined
  readonly breakout: string | undefined
  readonly activities: number
  readonly usage: TokenUsage
  /** What was said after the end. */
  readonly said: Money & { readonly turns: number }
  /** Something was called whose price nobody knows. */
  readonly hasUnpriced: boolean
  /** Scopes whose warning was said. */
  readonly warned: readonly string[]
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null
  readonly end: (Omit<BodyOf<"run_completed">, "type"> & { readonly at: number }) | undefined
}

const WAITING: StageState = {
  status: "waiting",
  attempt: 0,
  iteration: 0,
  rounds: 0,
  hasOutput: false,
  output: undefined,
  summary: null,
  isCarried: false,
  startedAt: null,
  endedAt: null,
  workedAt: null,
  activities: 0,
  amendments: [],
  failure: undefined,
  skippedBy: undefined,
  recorded: {},
  open: {},
  spentUsd: 0,
  unknownCalls: 0,
}

const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function begunState(id: string, start: BodyOf<"run_started">, at: number): RunState {
  return {
    id,
    start,
    createdAt: at,
    updatedAt: at,
    lastSeq: 1,
    stages: start.config.stages.map(() => WAITING),
    cursor: 0,
    unsettled: undefined,
    repairs: start.config.repairUnits.map(() => 0),
    feedback: start.config.repairUnits.map(() => undefined),
    pauses: 0,
    pause: undefined,
    breakout: undefined,
    activities: 0,
    usage: NO_USAGE,
    said: { spentUsd: 0, unknownCalls: 0, turns: 0 },
    hasUnpriced: false,
    warned: [],
    error: null,
    end: undefined,
  }
}

/** First and last stage of a repair unit, by number. */
export function unitBounds(
  start: BodyOf<"run_started">,
  unit: number,
): { readonly first: number; readonly last: number } {
  const [from, to] = start.config.repairUnits[unit]?.stages ?? ["", ""]
  const place = (name: string) => start.config.stages.findIndex((it) => it.name === name)
  return { first: place(from), last: place(to) }
}

/** The unit a stage belongs to. */
export function unitOf(start: BodyOf<"run_started">, stage: number): number | undefined {
  const found = start.config.repairUnits.findIndex((_, unit) => {
    const { first, last } = unitBounds(start, unit)
    return first <= stage && stage <= last
  })
  return found < 0 ? undefined : found
}

/** The state with one of its stages changed. */
export function changed(
  state: RunState,
  stage: number,
  change: (it: StageState) => Partial<StageState>,
): RunState {
  return {
    ...state,
    stages: state.stages.map((it, at) => (at === stage ? { ...it, ...change(it) } : it)),
  }
}

/** Of the whole run, repairs and cut calls included, and what was said after its end. */
export function costOf(state: RunState): Money {
  return {
    spentUsd: rounded(sum(state.stages, "spentUsd") + state.said.spentUsd),
    unknownCalls: sum(state.stages, "unknownCalls") + state.said.unknownCalls,
  }
}

export function stageCost(state: RunState, stage: number): Money {
  const { spentUsd = 0, unknownCalls = 0 } = state.stages[stage] ?? {}
  return { spentUsd: rounded(spentUsd), unknownCalls }
}

function sum(all: readonly Money[], field: keyof Money): number {
  return all.reduce((total, it) => total + it[field], 0)
}

/** To a millionth of a cent: what adding up binary fractions leaves behind is nobody's money. */
function rounded(usd: number): number {
  return Math.round(usd * 1e8) / 1e8
}
