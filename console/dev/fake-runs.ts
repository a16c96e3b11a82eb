import type { Approval, Permissions, Run } from "../src/contract.ts"
import { APPROVALS, permissionsOf, RULES, runId } from "./fake-runs-tables.ts"
import { WORLD_NOW, type WorldState } from "./fake-world.ts"

/** What the fake server knows of runs; answers change it, as the real one's would. */
export type FakeRuns = {
  runs: Run[]
  approvals: Approval[]
  permissions: Permissions
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ROOT = "/home/ada/code/tideline"

/** Eleven runs one could have had today, some that try to break the page, and 400 before them. */
export function worldRuns(state: WorldState): FakeRuns {
  if (state === "empty") return { runs: [], approvals: [], permissions: permissionsOf([]) }
  return {
    runs: [...TODAY, ...HOSTILE, ...earlier(400)],
    approvals: APPROVALS.map((it) => ({ ...it })),
    permissions: permissionsOf(RULES),
  }
}

type Given = Partial<Omit<Run, "cost">> & { readonly usd?: number | null; readonly tokens?: number }

export function aRun(number: number, title: string, given: Given = {}): Run {
  const { usd = null, tokens = 0, ...rest } = given
  const at = rest.createdAt ?? WORLD_NOW - number * MINUTE
  const isEnded = ["completed", "failed", "stopped", "interrupted"].includes(
    rest.status ?? "completed",
  )
  return {
    id: runId(number),
    type: "claude-code",
    title,
    isTitleOwn: false,
    prompt: title,
    status: "completed",
    cwd: ROOT,
    model: "sonnet",
    mode: "ask",
    sessionId: `ses-${number}`,
    hostVersion: "2.1.214",
    createdAt: at,
    startedAt: at,
    endedAt: isEnded ? at + 6 * MINUTE : null,
    updatedAt: at + 6 * MINUTE,
    lastSeq: 40 + number,
    turns: 1,
    error: null,
    cost: {
      usage: {
        input: Math.round(tokens * 0.2),
        output: Math.round(tokens * 0.1),
        cacheRead: Math.round(tokens * 0.7),
        cacheWrite: 0,
      },
      reportedUsd: usd,
      computedUsd: usd,
    },
    budgetUsd: null,
    budgetTokens: null,
    contextUsed: tokens === 0 ? null : tokens,
    contextWindow: tokens === 0 ? null : 200_000,
    labels: [],
    workflow: "todo",
    isArchived: false,
    origin: "started",
    openApprovals: 0,
    queuedTurns: 0,
    ...rest,
  }
}

const TODAY: readonly Run[] = [
  aRun(31, "Make quotes and invoices agree to the cent", {
    status: "waiting",
    tokens: 62_400,
    usd: 0.84,
    budgetUsd: 2,
    openApprovals: 1,
    queuedTurns: 1,
    labels: ["tariff"],
    workflow: "in progress",
    createdAt: WORLD_NOW - 372_000,
  }),
  aRun(35, "Rename harbour to port in the public API", {
    status: "waiting",
    type: "codex",
    model: "gpt-5.3-codex",
    mode: "edits",
    tokens: 164_000,
    openApprovals: 2,
    createdAt: WORLD_NOW - 21 * MINUTE,
  }),
  aRun(36, "Ask the tide service what it knows about ice", {
    status: "waiting",
    tokens: 31_000,
    usd: 0.22,
    openApprovals: 2,
    createdAt: WORLD_NOW - 44 * MINUTE,
  }),
  aRun(33, "Port the pilotage calendar to the new clock", {
    status: "running",
    tokens: 94_000,
    usd: 1.12,
    mode: "auto",
    workflow: "in progress",
    createdAt: WORLD_NOW - 848_000,
  }),
  aRun(32, "Add a retry with jitter to the tide feed", {
    status: "running",
    type: "codex",
    model: "gpt-5.3-codex",
    tokens: 196_200,
    createdAt: WORLD_NOW - 352_000,
  }),
  aRun(34, "Describe the tariff tables in the handbook", {
    status: "queued",
    model: null,
    startedAt: null,
    createdAt: WORLD_NOW - 30_000,
  }),
  aRun(30, "Split allocate() into search and commit", {
    tokens: 106_000,
    usd: 1.48,
    workflow: "needs review",
    labels: ["berths", "refactor"],
    createdAt: WORLD_NOW - 31 * MINUTE,
  }),
  aRun(29, "Type the harbour-master webhook payload", {
    type: "copilot",
    model: "claude-sonnet-4.5",
    createdAt: WORLD_NOW - 58 * MINUTE,
  }),
  aRun(28, "Upgrade the spatial index to 5.0", {
    status: "failed",
    tokens: 168_000,
    usd: 1.94,
    error: "The model is overloaded; the third attempt failed too.",
    createdAt: WORLD_NOW - 84 * MINUTE,
  }),
  aRun(27, "A demo run without any key", {
    type: "synthetic",
    model: null,
    tokens: 8_200,
    usd: 0.01,
    createdAt: WORLD_NOW - 2 * HOUR,
  }),
  aRun(26, "Rewrite the booking grid without a canvas", {
    status: "stopped",
    mode: "plan",
    tokens: 78_400,
    usd: 0.77,
    createdAt: WORLD_NOW - 155 * MINUTE,
  }),
  aRun(25, "Explain why night pilotage is billed twice", {
    status: "interrupted",
    tokens: 59_200,
    usd: 0.36,
    createdAt: WORLD_NOW - 172 * MINUTE,
  }),
]

/** Titles come from prompts and from models: they may hold anything. */
export const HOSTILE_TITLES = [
  `Read ${"the whole of the very long ".repeat(12)}tariff`,
  "<img src=x onerror=alert(1)> & <script>alert(2)</script>",
  "Fix \u202Egpj.exe\u0007 in\nthe lobby",
  "Ελληνικά, עברית, 中文, and \u{1F6A2}\u200D\u{1F525}",
  "\u0000",
]
const HOSTILE: readonly Run[] = HOSTILE_TITLES.map((title, i) =>
  aRun(20 - i, title, {
    labels: ["hostile", "\u202Eevil"],
    model: "a-model-whose-name-is-longer-than-any-column-may-ever-be",
    cwd: `${ROOT}/${"deep/".repeat(20)}`,
    tokens: 12_000_000,
    usd: 1_234.5,
    createdAt: WORLD_NOW - (30 + i) * HOUR,
  }),
)

const VERBS = ["Sort", "Explain", "Test", "Move", "Describe", "Split", "Type"]
const THINGS = ["the berths", "the tide feed", "fees of a lay-by", "the pilot's calendar"]

const ENDS: readonly Run["status"][] = ["failed", "completed", "completed", "stopped"]

function earlier(count: number): readonly Run[] {
  return Array.from({ length: count }, (_, i) =>
    aRun(1_000 + i, `${VERBS[i % 7]} ${THINGS[i % 4]}, ${i + 1}`, {
      type: i % 3 === 0 ? "codex" : "claude-code",
      status: ENDS[i % 11] ?? "completed",
      tokens: 9_000 + ((i * 7_919) % 150_000),
      usd: i % 3 === 0 ? null : ((i * 37) % 200) / 100,
      workflow: i % 5 === 0 ? "done" : "todo",
      labels: i % 6 === 0 ? ["berths"] : [],
      isArchived: i % 9 === 0,
      createdAt: WORLD_NOW - (40 + i * 3) * HOUR,
    }),
  )
}
