import { PipelineConfig, type PipelineEvent, type PipelineEventBody } from "#ground/contract"
import { replay } from "./reduce.ts"
import type { BodyOf, RunState } from "./state.ts"

export const THREE = PipelineConfig.parse({
  stages: [
    { name: "plan", title: "Plan", kind: "ask", pauseAfter: true, budgetUsd: 0.2 },
    { name: "write", title: "Write", kind: "ask", budgetUsd: 0.5 },
    { name: "check", title: "Check", kind: "verify", budgetUsd: 0.3 },
  ],
  repairUnits: [{ stages: ["write", "check"], maxIterations: 2 }],
})

export const started = (overrides: Partial<BodyOf<"run_started">> = {}): BodyOf<"run_started"> => ({
  type: "run_started",
  agent: "tester",
  digest: "d",
  config: THREE,
  prompts: {},
  query: "what is it",
  depth: "standard",
  session: null,
  budgetUsd: 1,
  provider: "scripted",
  from: null,
  prior: null,
  ...overrides,
})

export const begun = (stage: number, attempt = 1, iteration = 0): PipelineEventBody => ({
  type: "stage_started",
  stage,
  attempt,
  iteration,
})

export const output = (stage: number, value: unknown = { stage }): PipelineEventBody => ({
  type: "stage_output",
  stage,
  attempt: 1,
  output: value,
  summary: `stage ${stage} done`,
  isCarried: false,
})

type Substep = BodyOf<"substep">

export const substep = (stage: number, overrides: Partial<Substep> = {}): Substep => ({
  type: "substep",
  stage,
  attempt: 1,
  key: "find",
  phase: "started",
  activityId: "orch-kb-1",
  kind: "search",
  tool: "Knowledge Base Search",
  title: "find it",
  ...overrides,
})

type LlmCall = BodyOf<"llm_called">

export const called = (stage: number, overrides: Partial<LlmCall> = {}): LlmCall => ({
  type: "llm_called",
  stage,
  attempt: 1,
  key: "ask",
  activityId: "orch-llm-1",
  model: "m",
  usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
  usd: 0.1,
  text: "yes",
  durationMs: 5,
  retries: 0,
  ...overrides,
})

export const paused = (
  stage: number,
  reason: BodyOf<"pause_requested">["reason"] = "configured",
): PipelineEventBody => ({
  type: "pause_requested",
  stage,
  pauseId: "pause-1",
  reason,
  question: "Is this the plan you want?",
})

export const failed = (stage: number): PipelineEventBody => ({
  type: "validation_failed",
  stage,
  attempt: 1,
  problems: ["a sentence has no source"],
  feedback: "cite it",
})

export const completed = (overrides: Partial<BodyOf<"run_completed">> = {}): PipelineEventBody => ({
  type: "run_completed",
  status: "completed",
  reason: "All stages are done",
  isPartial: false,
  ...overrides,
})

export const eventsOf = (bodies: readonly PipelineEventBody[]): PipelineEvent[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 1_000 * (index + 1), body }))

export function stateAfter(...bodies: readonly PipelineEventBody[]): RunState {
  const reduced = replay("p-1", eventsOf(bodies))
  if (reduced.kind === "damaged") throw new Error(`event ${reduced.seq} ${reduced.problem}`)
  return reduced.state
}
