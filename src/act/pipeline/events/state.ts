import type { PipelineEventBody, TokenUsage } from "#ground/contract"

export type BodyOf<Type extends PipelineEventBody["type"]> = Extract<
  PipelineEventBody,
  { type: Type }
>

/** The recorded result of an effect in the current round; it is reused, never produced again. */
export type RecordedEffect =
  | { readonly kind: "result"; readonly result: unknown }
  | {
      readonly kind: "answer"
      readonly text: string
      readonly value: unknown
      readonly problem: string | undefined
    }

export type Money = { readonly spentUsd: number; readonly unknownCalls: number }

export type StageState = Money & {
  readonly status: "waiting" | "running" | "done" | "failed" | "skipped"
  readonly attempt: number
  readonly iteration: number
  readonly rounds: number
  readonly hasOutput: boolean
  readonly output: unknown
  readonly summary: string | null
  readonly isCarried: boolean
  /** Moved forward by idle time, so that `endedAt - startedAt` is the working time. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly workedAt: number | null
  readonly activities: number
  readonly amendments: readonly string[]
  readonly failure: { readonly problems: readonly string[]; readonly feedback: string } | undefined
  readonly skippedBy: string | undefined
  readonly recorded: Readonly<Record<string, RecordedEffect>>
  /** Activities without an end, and whether they cost money. */
  readonly open: Readonly<Record<string, { readonly isPaid: boolean }>>
}

export type PauseState = {
  readonly pauseId: string
  readonly stage: number
  readonly reason: BodyOf<"pause_requested">["reason"]
  readonly question: string
  readonly since: number
  readonly pending: string | undefined
}

export type RunState = {
  readonly id: string
  readonly start: BodyOf<"run_started">
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  readonly stages: readonly StageState[]
  /** The next stage; equals the number of stages when all are done. */
  readonly cursor: number
  /** A stage whose output is recorded, but not yet its consequence. */
  readonly unsettled: number | undefined
  readonly repairs: readonly number[]
  readonly feedback: readonly (string | undefined)[]
  readonly pauses: number
  readonly pause: PauseState | undefined
  readonly breakout: string | undefined
  readonly activities: number
  readonly usage: TokenUsage
  readonly said: Money & { readonly turns: number }
  readonly hasUnpriced: boolean
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

export function unitBounds(
  start: BodyOf<"run_started">,
  unit: number,
): { readonly first: number; readonly last: number } {
  const [from, to] = start.config.repairUnits[unit]?.stages ?? ["", ""]
  const indexOf = (name: string) => start.config.stages.findIndex((it) => it.name === name)
  return { first: indexOf(from), last: indexOf(to) }
}

export function unitOf(start: BodyOf<"run_started">, stage: number): number | undefined {
  const index = start.config.repairUnits.findIndex((_, unit) => {
    const { first, last } = unitBounds(start, unit)
    return first <= stage && stage <= last
  })
  return index < 0 ? undefined : index
}

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

/** To a millionth of a cent, which removes rounding errors of binary fractions. */
function rounded(usd: number): number {
  return Math.round(usd * 1e8) / 1e8
}
