import type { AgentFolder, PipelineEvent, StageConfig } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

type Body = PipelineEvent["body"]
type Substep = Extract<Body, { type: "substep" }>
export type Told = { readonly afterMs: number; readonly body: Body }

export const QUESTION = "When may a booking be re-priced after arrival"

type Given = Partial<StageConfig> & Pick<StageConfig, "kind">

const stage = (name: string, title: string, more: Given): StageConfig => ({
  name,
  title,
  maxOutputTokens: 4_000,
  optional: false,
  pauseAfter: false,
  scope: { knowledge: false, sources: [], agents: [], paths: [] },
  ...more,
})

const KNOWS = { knowledge: true, sources: [], agents: [], paths: [] }
const WEB = { knowledge: false, sources: ["demo-web"], agents: [], paths: [] }

export const STAGES: StageConfig[] = [
  stage("analyze_query", "Analyze query", {
    kind: "ask",
    prompt: "analyze-query.md",
    pauseAfter: false,
    effort: "medium",
    budgetUsd: 0.2,
  }),
  stage("websearch_calibration", "Web calibration", {
    kind: "web",
    prompt: "websearch-calibration.md",
    pauseAfter: true,
    question: "Is this the plan you want?",
    optional: true,
    scope: WEB,
    budgetUsd: 0.5,
  }),
  stage("retrieve", "Retrieve", { kind: "retrieve", scope: KNOWS, budgetUsd: 0.2 }),
  stage("synthesize", "Synthesize", {
    kind: "ask",
    prompt: "synthesize.md",
    contextTokens: 12_000,
    budgetUsd: 1.2,
  }),
  stage("verify", "Verify", { kind: "verify", scope: KNOWS, budgetUsd: 0.6 }),
  stage("output", "Output", { kind: "document", budgetUsd: 0.3 }),
]

const depth = ([subQueries, paragraphs, repairs, contextTokens]: readonly [
  number,
  number,
  number,
  number,
]) => ({ subQueries, paragraphs, repairs, contextTokens, web: repairs > 0 })

export const CONFIG: NonNullable<AgentFolder["config"]> = {
  stages: STAGES,
  pauseAfterStages: [],
  repairUnits: [{ stages: ["synthesize", "verify"], maxIterations: 2, feedbackField: "feedback" }],
  autoAdvance: false,
  pauseOnErrors: true,
  budgetUsd: 3,
  depths: {
    quick: depth([3, 10, 0, 4_000]),
    standard: depth([8, 20, 2, 12_000]),
    deep: depth([15, 30, 3, 24_000]),
  },
}

export const at = (afterMs: number, body: Body): Told => ({ afterMs, body })

export const started = (query: string): Told =>
  at(0, {
    type: "run_started",
    agent: "deep-research",
    digest: "sha256:5f2c",
    config: CONFIG,
    prompts: {},
    query,
    depth: "standard",
    session: null,
    budgetUsd: 3,
    provider: "anthropic",
    from: null,
    prior: "p-11",
  })

export const begins = (afterMs: number, index: number, iteration = 0): Told =>
  at(afterMs, { type: "stage_started", stage: index, attempt: 1, iteration })

type Did = Partial<Omit<Substep, "type">> & { readonly stage: number; readonly n: number }

/** Something that was done, with its figures; without an outcome it is still under way. */
export const did = (afterMs: number, { n, ...it }: Did): readonly Told[] => {
  const { outcome, tokens, durationMs, usd, detail, ...plain } = it
  const begun: Substep = {
    type: "substep",
    attempt: 1,
    key: `k${n}`,
    activityId: `orch-step-${n}`,
    kind: "other",
    tool: "LLM Analysis",
    title: "",
    phase: "started",
    ...plain,
  }
  if (outcome === undefined) return [at(afterMs, begun)]
  const figures = { outcome, tokens, durationMs, usd, detail }
  const ended: Substep = { ...begun, ...figures, phase: "ended" }
  return [at(afterMs, begun), at(afterMs + (durationMs ?? 1), ended)]
}

export const gives = (afterMs: number, index: number, summary: string): Told =>
  at(afterMs, {
    type: "stage_output",
    stage: index,
    attempt: 1,
    output: {},
    summary,
    isCarried: false,
  })

/** As a run of the store would have them: numbered, from its beginning. */
export function eventsOf(told: readonly Told[], beganAgoMs: number): readonly PipelineEvent[] {
  return told.map(({ afterMs, body }, i) => ({
    seq: i + 1,
    at: WORLD_NOW - beganAgoMs + afterMs,
    body,
  }))
}
