import type { PipelineEvent, PipelinePause, PipelineRun, PipelineStage } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)
const BEGAN = NOW - 60_000

type Body = PipelineEvent["body"]
type Substep = Extract<Body, { type: "substep" }>

export function eventsOf(bodies: readonly Body[]): PipelineEvent[] {
  return bodies.map((body, i) => ({ seq: i + 1, at: BEGAN + i * 1_000, body }))
}

export const starts = (stage: number, iteration = 0, attempt = 1): Body => ({
  type: "stage_started",
  stage,
  attempt,
  iteration,
})

export const gives = (stage: number, summary: string): Body => ({
  type: "stage_output",
  stage,
  attempt: 1,
  output: {},
  summary,
  isCarried: false,
})

export const step = (id: string, overrides: Partial<Omit<Substep, "type">> = {}): Body => ({
  type: "substep",
  stage: 0,
  attempt: 1,
  key: id,
  phase: "ended",
  activityId: id,
  kind: "search",
  tool: "Knowledge Base Search",
  title: "arrival",
  ...(overrides.phase === "started" ? {} : { outcome: "done" as const }),
  ...overrides,
})

export const aStage = (index: number, overrides: Partial<PipelineStage> = {}): PipelineStage => ({
  index,
  name: `stage_${index}`,
  title: `Stage ${index}`,
  kind: "ask",
  status: "waiting",
  attempt: 0,
  rounds: 0,
  summary: null,
  startedAt: null,
  endedAt: null,
  activities: 0,
  pauses: false,
  repairUnit: null,
  cost: { spentUsd: 0, budgetUsd: 0.5, unknownCalls: 0 },
  ...overrides,
})

export function aRun(overrides: Partial<PipelineRun> = {}): PipelineRun {
  return {
    id: "p-12",
    agent: "deep-research",
    title: "When may a booking be re-priced",
    query: "When may a booking be re-priced",
    status: "running",
    depth: "standard",
    provider: "scripted",
    session: null,
    createdAt: BEGAN,
    updatedAt: NOW,
    endedAt: null,
    lastSeq: 9,
    stage: 0,
    stages: [aStage(0, { title: "Analyze query" }), aStage(1, { title: "Verify" })],
    repairs: [],
    pause: null,
    cost: { spentUsd: 0.15, budgetUsd: 3, unknownCalls: 0 },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    error: null,
    reason: null,
    isPartial: true,
    from: null,
    prior: null,
    hasDocument: false,
    ...overrides,
  }
}

export const aPause = (overrides: Partial<PipelinePause> = {}): PipelinePause => ({
  pauseId: "pause-1",
  stage: 0,
  reason: "configured",
  question: "Is this the plan you want?",
  since: NOW - 11 * 60_000,
  lines: [{ text: "Which date fixes the tariff?", note: "handbook" }],
  isConfirmingExit: false,
  choices: [
    { key: "1", word: "Proceed", consequence: "Go on with Verify" },
    { key: "2", word: "Amend", consequence: "Say what to change" },
    { key: "3", word: "Exit", consequence: "End here, the research so far is kept" },
  ],
  ...overrides,
})
