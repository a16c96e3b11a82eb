import type { PipelineDocument, PipelinePause, PipelineRun, PipelineShow } from "../src/contract.ts"
import { FAILED, HOSTILE, LEFT } from "./fake-pipeline-ends.ts"
import { eventsOf, QUESTION, STAGES, type Told } from "./fake-pipeline-events.ts"
import { ASKED, CALIBRATED, COMPLETED, REPAIRING } from "./fake-pipeline-stories.ts"
import { WORLD_NOW } from "./fake-world.ts"

const MINUTE = 60_000
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

type Stage = PipelineRun["stages"][number]
type Brief = readonly [status: Stage["status"], ms: number, usd: number, rounds?: number]

type Kept = {
  readonly id: string
  readonly told: readonly Told[]
  readonly agoMs: number
  readonly stages: readonly Brief[]
  readonly run: Partial<PipelineRun>
}

const ahead: Brief = ["waiting", 0, 0]

function stagesOf(briefs: readonly Brief[]): Stage[] {
  return STAGES.map((config, index) => {
    const [status, ms, usd, rounds = status === "waiting" ? 0 : 1] = briefs[index] ?? ahead
    return {
      index,
      name: config.name,
      title: config.title,
      kind: config.kind,
      status,
      attempt: status === "waiting" && rounds === 0 ? 0 : 1,
      rounds,
      summary: null,
      startedAt: ms === 0 ? null : WORLD_NOW - ms,
      endedAt: ms === 0 || status === "running" ? null : WORLD_NOW,
      activities: 3,
      pauses: index === 1,
      repairUnit: index === 3 || index === 4 ? 0 : null,
      cost: { spentUsd: usd, budgetUsd: config.budgetUsd ?? null, unknownCalls: 0 },
    }
  })
}

function shown({ id, told, agoMs, stages, run }: Kept): PipelineShow {
  const events = eventsOf(told, agoMs)
  const all = stagesOf(stages)
  const spentUsd = all.reduce((sum, it) => sum + it.cost.spentUsd, 0)
  const first = events[0]?.body
  const query = first?.type === "run_started" ? first.query : ""
  return {
    run: {
      id,
      agent: "deep-research",
      title: query,
      query,
      status: "running",
      depth: "standard",
      provider: "anthropic",
      session: null,
      createdAt: WORLD_NOW - agoMs,
      updatedAt: events.at(-1)?.at ?? WORLD_NOW,
      endedAt: null,
      lastSeq: events.length,
      stage: null,
      stages: all,
      repairs: [{ first: 3, last: 4, used: 0, most: 2 }],
      pause: null,
      cost: { spentUsd, budgetUsd: 3, unknownCalls: 0 },
      usage: NO_USAGE,
      error: null,
      reason: null,
      isPartial: true,
      from: null,
      prior: null,
      hasDocument: false,
      ...run,
    },
    events: [...events],
  }
}

const PLAN = [
  ["Which date fixes the tariff of a booking?", "handbook"],
  ["What counts as arrival: pilot station, breakwater or berth?", "handbook"],
  ["Which changes by the master count as an amendment?", "changed"],
  ["May the harbour amend a booking on its own after arrival?", "handbook"],
  ["What happens to a quote when a stay is split over two berths?", "handbook"],
  ["How do comparable harbours treat a longer stay?", "changed"],
  ["Which fees are exempt from re-pricing?", "annex B"],
  ["How must the master be told, and by when?", "handbook"],
] as const

const PAUSE: PipelinePause = {
  pauseId: "pause-1",
  stage: 1,
  reason: "configured",
  question: "Is this the plan you want?",
  since: WORLD_NOW - 11 * MINUTE,
  lines: PLAN.map(([text, note]) => ({ text, note })),
  isConfirmingExit: false,
  choices: [
    { key: "1", word: "Proceed", consequence: "Go on with Retrieve, at most $2.30" },
    { key: "2", word: "Amend", consequence: "Say what to change, Web calibration is done again" },
    { key: "3", word: "Exit", consequence: "End here, the research so far is kept" },
  ],
}

export const CONFIRMING: PipelinePause = {
  ...PAUSE,
  question: "Leave this run? What it found so far is kept. 1 yes / 2 no",
  isConfirmingExit: true,
  choices: [
    { key: "1", word: "Yes", consequence: "The run ends, what it found is kept" },
    { key: "2", word: "No", consequence: "The run goes on" },
  ],
}

const past: readonly Brief[] = [
  ["done", 9_400, 0.04],
  ["done", 16_500, 0.11],
]
const paused: readonly Brief[] = [
  ["done", 9_400, 0.04],
  ["paused", 16_000, 0.11],
]
const whole: readonly Brief[] = [
  ...past,
  ["done", 2_800, 0.01],
  ["done", 21_000, 0.38],
  ["done", 4_000, 0.03],
  ["done", 40, 0],
]
const HOSTILE_TEXT = "<img src=x onerror=alert(1)> \u202Eevil"

export const PIPELINES: readonly PipelineShow[] = [
  {
    id: "p-13",
    told: REPAIRING,
    agoMs: 743_600,
    stages: [
      ...past,
      ["done", 2_800, 0.01],
      ["running", 14_000, 0.38, 1],
      ["waiting", 0, 0.03, 1],
    ] as const,
    run: { stage: 3, prior: "p-11", repairs: [{ first: 3, last: 4, used: 1, most: 2 }] },
  },
  {
    id: "p-12",
    told: [...CALIBRATED, ASKED],
    agoMs: 11 * MINUTE + 25_700,
    stages: paused,
    run: { status: "paused" as const, stage: 1, pause: PAUSE, prior: "p-11" },
  },
  {
    id: "p-11",
    told: COMPLETED,
    agoMs: 26 * 60 * MINUTE,
    stages: whole,
    run: {
      status: "completed" as const,
      endedAt: WORLD_NOW - 25 * 60 * MINUTE,
      reason: "All four scores passed.",
      isPartial: false,
      hasDocument: true,
    },
  },
  {
    id: "p-10",
    told: LEFT,
    agoMs: 27 * 60 * MINUTE,
    stages: past,
    run: {
      status: "breakout" as const,
      endedAt: WORLD_NOW - 27 * 60 * MINUTE + 64_100,
      reason: "You left it at Web calibration. The research so far is kept.",
    },
  },
  {
    id: "p-9",
    told: FAILED,
    agoMs: 50 * 60 * MINUTE,
    stages: [["failed", 60_000, 0]] as const,
    run: {
      status: "failed" as const,
      endedAt: WORLD_NOW - 49 * 60 * MINUTE,
      reason: "The model did not answer.",
      error: {
        code: "MODEL_TIMED_OUT",
        message: "The model did not answer in 60 seconds.",
        hint: "Try again, or raise model.timeout.",
      },
      cost: { spentUsd: 0, budgetUsd: 3, unknownCalls: 1 },
    },
  },
  {
    id: "p-8",
    told: CALIBRATED,
    agoMs: 51 * 60 * MINUTE,
    stages: past,
    run: { status: "interrupted" as const, stage: 2 },
  },
  {
    id: "p-7",
    told: HOSTILE,
    agoMs: 52 * 60 * MINUTE,
    stages: [["paused", 300, 0]] as const,
    run: {
      status: "paused" as const,
      stage: 0,
      pause: {
        ...PAUSE,
        stage: 0,
        question: HOSTILE_TEXT,
        lines: [{ text: HOSTILE_TEXT, note: HOSTILE_TEXT }],
      },
    },
  },
].map((it) => shown(it))

export const DOCUMENT: PipelineDocument = {
  id: "p-11",
  title: QUESTION,
  isPartial: false,
  markdown: [
    `# ${QUESTION}`,
    "A booking may be re-priced after arrival only for an amendment that the master asked for, and only within 24 hours [P1, P2].",
    "## Key points",
    "- The tariff of the booking date holds until arrival [P2].\n- Arrival is the pilot's report inside the breakwater [P7].\n- Comparable harbours charge from the hour of the request [W1].",
    "## What counts as arrival",
    "A vessel has arrived when the pilot reports her inside the breakwater, not when the first line is ashore [P7]. Until that report the quote stands [P2].",
    "## References",
    "- [P1] Re-pricing Order § 3 (Re-pricing Order)\n- [P2] Tariff § 2.1 (Tariff)\n- [P7] Harbour Handbook § 4.2 (Harbour Handbook)\n- [W1] Dues of small harbours <https://harbours.example/dues>",
    "## Details\n\n| verification | score | needed |\n|---|---|---|\n| citations | 0.86 | at least 0.75 |\n| contradictions | 0 | at most 0 |",
  ].join("\n\n"),
  references: [
    reference("P1", "Re-pricing Order", {
      citation: "Re-pricing Order § 3",
      paragraph: "kp_reprice3",
    }),
    reference("P2", "Tariff", { citation: "Tariff § 2.1", paragraph: "kp_tariff21" }),
    {
      ...reference("P7", "Harbour Handbook", {
        citation: "Harbour Handbook § 4.2",
        paragraph: "kp_arrival42",
      }),
      isPrior: true,
    },
    {
      label: "W1",
      title: "Dues of small harbours",
      citation: "Dues of small harbours",
      paragraph: null,
      url: "https://harbours.example/dues",
      isPrior: false,
    },
  ],
}

function reference(label: string, title: string, more: { citation: string; paragraph: string }) {
  return { label, title, ...more, url: null, isPrior: false }
}
