import type { PipelineStage, PipelineStatus } from "#ground/contract"
import type { RunResults } from "./summary.ts"

const FREE = { spentUsd: 0, budgetUsd: null, unknownCalls: 0 }

export function stageDone(name: string, summary: string | null): PipelineStage {
  return {
    index: 0,
    name,
    title: name.replaceAll("_", " "),
    kind: "ask",
    status: "done",
    attempt: 1,
    rounds: 1,
    summary,
    startedAt: 1,
    endedAt: 2,
    activities: 0,
    pauses: false,
    repairUnit: null,
    cost: FREE,
  }
}

export function resultsOf(options: {
  readonly query?: string
  readonly status?: PipelineStatus
  readonly reason?: string | null
  readonly isPartial?: boolean
  readonly stages?: readonly PipelineStage[]
  readonly outputs?: Readonly<Record<string, unknown>>
}): RunResults {
  const { query = "Which fees does the harbour take?", status = "completed" } = options
  return {
    run: {
      id: "p-12",
      agent: "deep-research",
      query,
      status,
      reason: options.reason ?? null,
      isPartial: options.isPartial ?? false,
      stages: [...(options.stages ?? [])],
    },
    outputs: options.outputs ?? {},
  }
}

const reference = (label: string, paragraph: string | null) => ({
  label,
  title: "Handbook",
  citation: `Handbook ${label}`,
  text: "A fee is taken.",
  paragraph,
  url: paragraph === null ? "https://example.org/fees" : null,
  tier: "primary" as const,
  isPrior: false,
})

export const RESEARCH = {
  analyze_query: {
    intent: "fees",
    clarity: 0.9,
    clarify: "",
    subQueries: [
      { question: "Who pays a fee?", why: "", target: "" },
      { question: "When is a fee waived?", why: "", target: "" },
    ],
  },
  synthesize: {
    title: "Fees",
    shortAnswer: "Every vessel over 8 m pays a fee [P1].",
    keyPoints: ["Vessels over 8 m pay [P1].", "Rescue boats pay nothing [P2]."],
    sections: [
      { title: "Who pays", text: "Every vessel over 8 m pays [P1]. So says the web [W1]. [P1]" },
      { title: "Who does not", text: "Rescue boats pay nothing [P2]. Nobody cites [P9]." },
    ],
    references: [reference("P1", "doc-1#a"), reference("P2", "doc-1#b"), reference("W1", null)],
  },
  verify: {
    scores: { "entity grounding": 0.91, "citation accuracy": 1 },
    bars: {},
    isPassed: true,
    by: "words",
    failures: [],
  },
}

export const RESEARCH_STAGES = [
  stageDone("analyze_query", "clarity 0.90, 2 sub-queries"),
  stageDone("synthesize", "2 sections"),
  stageDone("verify", "passed"),
]
