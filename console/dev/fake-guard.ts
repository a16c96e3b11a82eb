import type { GuardTry, GuardVerdicts, VerdictLine } from "../src/contract.ts"
import { CLAUDE, CODEX } from "./fake-ledger-tables.ts"
import { WORLD_NOW, type WorldState } from "./fake-world.ts"

type Body = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly answer: unknown }

const SECOND = 1_000
const HOUR = 3_600 * SECOND

/** The log of the fake world; an override adds a line. */
export type FakeGuard = { verdicts: readonly VerdictLine[] }

export function worldGuard(state: WorldState): FakeGuard {
  return { verdicts: state === "empty" ? [] : [...TOLD, ...QUIET] }
}

/** The operations of the guard; undefined for every other address. */
export function answerGuard(world: FakeGuard, url: URL, body: Body): Answer | undefined {
  switch (url.pathname) {
    case "/api/guard/verdicts":
      return ok(listed(world, url.searchParams))
    case "/api/guard/try":
      return ok(tried(world, url.searchParams))
    case "/api/guard/override":
      return ok(overridden(world, body))
    case "/api/guard/simulate":
      return ok(simulated(body))
    default:
      return undefined
  }
}

const ok = (answer: unknown): Answer => ({ status: 200, answer })

function line(secondsAgo: number, given: Partial<VerdictLine>): VerdictLine {
  return {
    at: WORLD_NOW - secondsAgo * SECOND,
    host: "claude-code",
    event: "before-edit",
    session: CLAUDE,
    tool: "Edit",
    paths: ["src/tariff/rounding.ts"],
    rule: null,
    verdict: "silent",
    text: "",
    ms: 3.2,
    ...given,
  }
}

const TOLD: readonly VerdictLine[] = [
  line(62, {
    rule: "risk",
    verdict: "deny",
    text: 'src/tariff/rounding.ts is of high risk (src/tariff/**), and no simulation covers this edit.\nRun: qm simulate src/tariff/rounding.ts\nOr record why it may be edited all the same: qm override src/tariff/rounding.ts --reason "..."',
  }),
  line(240, {
    host: "codex",
    session: CODEX,
    tool: "apply_patch",
    rule: "concurrency",
    verdict: "deny",
    paths: ["src/tariff/rounding.ts", "src/invoice/invoice.ts", "it's a file.md"],
    text: "src/tariff/rounding.ts is claimed by another live session since 07:36.",
  }),
  line(600, {
    rule: "concurrency",
    verdict: "warn",
    paths: ["src/invoice/invoice.ts"],
    text: "Another session edited src/invoice/invoice.ts 4 min ago. Read it again before you change it.",
  }),
  line(1_080, {
    event: "stop",
    tool: null,
    paths: [],
    rule: "drift",
    verdict: "block",
    text: "3 important files changed and nothing was written down.",
  }),
  line(1_400, {
    rule: "risk",
    verdict: "override",
    text: "Ada: the rounding table is generated, the tests are enough",
  }),
  line(1_900, {
    event: "agent-start",
    tool: null,
    paths: [],
    rule: "package",
    verdict: "context",
    text: "Package of 11 files for: which callers round twice?",
    ms: 121,
  }),
  line(2_600, {
    rule: "pitfall",
    verdict: "context",
    text: "Remembered about this file: half cents in split stays.",
  }),
  line(2_700, {
    session: "a/../\u202Eb<img src=x onerror=alert(1)>",
    host: "antigravity",
    paths: ["docs/\u202Efdp.exe", "a\nb"],
    rule: "track",
    verdict: "deny",
    text: "\u0007<img src=x onerror=alert(1)> [a](javascript:alert(1))",
  }),
  line(3_840, {
    event: "session-start",
    tool: null,
    paths: [],
    rule: "boot",
    verdict: "context",
    text: "2 commits ahead of origin/main, 1 behind, as of 6 min ago. 3 live sessions, 6 claims.",
    ms: 24.6,
  }),
]

/** Most events have nothing to be said about; some of them were yesterday. */
const QUIET: readonly VerdictLine[] = Array.from({ length: 180 }, (_, i) =>
  line(4_000 + i * 420, {
    event: i % 3 === 0 ? "after-edit" : "before-edit",
    rule: i % 3 === 0 ? "track" : null,
    paths: [`src/${["tariff", "invoice", "pilotage"][i % 3]}/part-${i % 17}.ts`],
  }),
)

function countsOf(verdicts: readonly VerdictLine[]): GuardVerdicts["counts"] {
  const counts = { silent: 0, context: 0, warn: 0, deny: 0, block: 0, override: 0 }
  for (const it of verdicts) counts[it.verdict] += 1
  return counts
}

function listed({ verdicts }: FakeGuard, query: URLSearchParams): GuardVerdicts {
  const fits = (name: string, value: string | null) =>
    query.get(name) === null || query.get(name) === value
  const since = WORLD_NOW - Number(query.get("sinceHours") ?? 24) * HOUR
  const all = verdicts
    .filter((it) => it.at >= since)
    .filter((it) => fits("session", it.session) && fits("rule", it.rule))
    .filter((it) => fits("verdict", it.verdict))
    .toSorted((a, b) => b.at - a.at)
  const limit = Number(query.get("limit") ?? 200)
  return { verdicts: all.slice(0, limit), counts: countsOf(all), isCut: all.length > limit }
}

function tried({ verdicts }: FakeGuard, query: URLSearchParams): GuardTry {
  const since = WORLD_NOW - Number(query.get("sinceHours") ?? 24) * HOUR
  const edits = verdicts.filter((it) => it.event === "before-edit" && it.at >= since)
  const patterns = (query.get("patterns") ?? "").split(",").map((it) => it.trim())
  const fits = (pattern: string, path: string) => path.startsWith(pattern.replace(/\*.*$/, ""))
  const hits = edits.flatMap((it) =>
    it.paths.flatMap((path) => {
      const pattern = patterns.findLast((one) => one !== "" && fits(one, path))
      const { at, session, host, verdict: was } = it
      return pattern === undefined ? [] : [{ at, session, host, path, pattern, was }]
    }),
  )
  return {
    patterns: patterns
      .filter((it) => it !== "")
      .map((pattern) => ({
        pattern,
        edits: hits.filter((it) => it.pattern === pattern).length,
        files: pattern.startsWith("src/") ? 12 : 0,
        problem: pattern.includes("[") ? "the bracket is not closed" : null,
      })),
    looked: edits.length,
    hits: hits.slice(0, Number(query.get("limit") ?? 200)),
    isCut: false,
  }
}

function overridden(world: FakeGuard, { paths, reason, minutes }: Body) {
  const all = Array.isArray(paths) ? paths.map(String) : []
  const said = { rule: "risk", verdict: "override", paths: all, text: String(reason) } as const
  world.verdicts = [line(0, said), ...world.verdicts]
  const until = WORLD_NOW + Number(minutes ?? 30) * 60 * SECOND
  return { id: "ov_1", paths: all, reason: String(reason), until }
}

function simulated({ paths }: Body) {
  const all = Array.isArray(paths) ? paths.map(String) : []
  return {
    receipt: {
      id: "sim_2",
      paths: all.map((path) => ({ path, blobId: null })),
      treeId: "t1",
      reach: [],
      tests: [],
      risk: 0.62,
      reasons: [{ text: "7 files lean on it", number: 0.5 }],
      at: WORLD_NOW,
    },
    reachCount: 7,
    testCount: 3,
    changedWith: [],
    claims: [],
    notes: [],
  }
}
