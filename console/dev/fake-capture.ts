import type {
  Capture,
  CaptureDiff,
  CaptureSummary,
  CaptureText,
  HostName,
  ManifestItem,
  SearchedPath,
} from "../src/contract.ts"
import { CLAUDE_ABSENT, ITEMS, item, looked, ROOT } from "./fake-capture-items.ts"
import { CHANGES, DUPLICATES, NOTES } from "./fake-capture-tables.ts"
import { CLAUDE_MD } from "./fake-capture-text.ts"
import { WORLD_NOW } from "./fake-world.ts"

/**
 * Captures as the server would answer, one host for each state of the page: claude-code is the
 * mock-up's; codex was never asked and does not trust the folder; copilot finds nothing; gemini has
 * 2,000 items with long and hostile names; antigravity was never captured and is not verified.
 */
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const DISCLAIMER =
  "An estimate of what the host loads. The real system prompt may hold content not shown here."

const WINDOW: Readonly<Record<HostName, number>> = {
  "claude-code": 200_000,
  codex: 272_000,
  copilot: 128_000,
  gemini: 1_000_000,
  antigravity: 1_000_000,
}

const IDS: Readonly<Record<string, HostName>> = {
  cap_0mhz1k2c7a: "claude-code",
  cap_0mhz1k2c6b: "claude-code",
  cap_0mhz1k2c5c: "claude-code",
  cap_0mhz1k2c7d: "codex",
  cap_0mhz1k2c7e: "copilot",
  cap_0mhz1k2c7f: "gemini",
}

export function captureList(host: string | null): { captures: CaptureSummary[] } {
  const of = Object.entries(IDS).filter(([, it]) => host === null || it === host)
  return { captures: of.map(([id]) => summaryOf(id)).filter((it) => it !== undefined) }
}

function summaryOf(id: string): CaptureSummary | undefined {
  const host = IDS[id]
  if (host === undefined) return undefined
  const age = { cap_0mhz1k2c6b: 1, cap_0mhz1k2c5c: 3 }[id] ?? 0
  const items = ITEMS[host].map(item)
  const capturedAt = WORLD_NOW - 4 * MINUTE - age * DAY + age * 511 * MINUTE
  return {
    id,
    host,
    hostVersion: "2.1.214",
    workingDirectory: ROOT,
    capturedAt,
    lastSeenAt: capturedAt + age * MINUTE,
    times: age * 2 + 1,
    files: items.length,
    tokensInWindow: sum(items, "tokens") - age * 451,
    tokensOnDemand: sum(items, "tokensOnDemand"),
  }
}

/** The answer of capture.show, and of capture.take for the newest of a host. */
export function captureOf(id: string, asked?: { observe: boolean; trust: boolean }) {
  const summary = summaryOf(id)
  if (summary === undefined) return undefined
  const { host } = summary
  const items = ITEMS[host].map(item)
  const isAsked = asked?.observe === true
  const refuses = isAsked && host === "codex" && !asked.trust
  const isObserved = host === "claude-code" || (isAsked && !refuses)
  const capture: Capture = {
    manifest: {
      id,
      kind: "estimated",
      host,
      hostVersion: "2.1.214",
      workingDirectory: ROOT,
      capturedAt: summary.capturedAt,
      estimator: "claude",
      disclaimer: DISCLAIMER,
      items,
      searched: searchedOf(host, items),
      notes: host === "claude-code" ? NOTES : [],
      totals: {
        files: items.length,
        bytes: sum(items, "bytes"),
        tokensInWindow: sum(items, "tokens"),
        tokensOnDemand: sum(items, "tokensOnDemand"),
      },
    },
    budget: budgetOf(host, items),
    observation: isObserved ? observationOf(items, isAsked) : null,
    observationProblem: refuses
      ? { code: "not-trusted", text: "Codex does not trust this folder yet." }
      : null,
    historyProblem: null,
    isNew: false,
    previous: host === "claude-code" ? (summaryOf(previousOf(id)) ?? null) : null,
    texts: [],
    diff: null,
  }
  return capture
}

function budgetOf(host: HostName, items: readonly ManifestItem[]): Capture["budget"] {
  const tokens = sum(items, "tokens")
  return {
    window: WINDOW[host],
    tokens,
    share: tokens / WINDOW[host],
    startBudget: 20_000,
    kinds: kindsOf(items),
    biggest: items
      .toSorted((a, b) => b.tokens - a.tokens)
      .filter((it) => it.tokens > 0)
      .slice(0, 10)
      .map(({ path, label, tokens: of }) => ({ path, label, tokens: of })),
    duplicates: host === "claude-code" ? DUPLICATES : [],
  }
}

function previousOf(id: string): string {
  const all = Object.keys(IDS).filter((it) => IDS[it] === IDS[id])
  return all[all.indexOf(id) + 1] ?? ""
}

export function newestOf(host: string): string {
  const known = Object.entries(IDS).find(([, it]) => it === host)
  return known?.[0] ?? "cap_0mhz1k2c7e"
}

function searchedOf(host: HostName, items: readonly ManifestItem[]): SearchedPath[] {
  const found = items
    .filter((it) => !it.path.startsWith("<") && it.load !== "name-only")
    .map((it): SearchedPath => ({ path: it.path, source: it.source, outcome: "found" }))
  if (host === "claude-code") return [...found, ...CLAUDE_ABSENT]
  if (host !== "copilot") return found
  return [
    looked("missing", ".github/copilot-instructions.md", {}),
    looked("missing", "AGENTS.md", { source: "project-root" }),
    looked("missing", ".github/instructions", { source: "path-instructions" }),
    looked("missing", "~/.copilot/copilot-instructions.md", { source: "global-user" }),
  ]
}

function observationOf(items: readonly ManifestItem[], isAsked: boolean): Capture["observation"] {
  const steps = items.filter((it) => it.tokens > 0 && it.load !== "name-only")
  const files = steps.map(({ path, label, tokens }) => {
    if (label === ".claude/rules/testing.md") {
      const explanation = "The last session began before this file was written"
      return { path, label, state: "estimated-only" as const, explanation }
    }
    return { path, label, state: "both" as const, sameText: true, tokens: tokens + (tokens % 7) }
  })
  const only = {
    path: `${ROOT}/src/AGENTS.md`,
    label: "src/AGENTS.md",
    state: "observed-only" as const,
    tokens: 118,
    explanation: "Read while the session went on, not at its start",
  }
  const all = steps.length > 5 ? [...files, only] : files
  const agreed = all.filter((it) => it.state === "both").length
  return {
    by: isAsked ? "host" : "transcript",
    at: WORLD_NOW - 4 * MINUTE,
    hostVersion: "2.1.214",
    files: all,
    agreed,
    compared: all.length,
    accuracy: agreed / all.length,
    categories: [
      { name: "System prompt", tokens: 3_104 },
      { name: "System tools", tokens: 11_920 },
      { name: "Memory files", tokens: 10_388 },
    ],
  }
}

function kindsOf(items: readonly ManifestItem[]): Capture["budget"]["kinds"] {
  const byKind = Map.groupBy(items, (it) => it.kind)
  return [...byKind].map(([kind, of]) => ({ kind, tokens: sum(of, "tokens") }))
}

export function captureDiff(from: string, to: string): CaptureDiff | undefined {
  const [before, after] = [summaryOf(from), summaryOf(to)]
  if (before === undefined || after === undefined) return undefined
  const changes = from === to ? [] : CHANGES
  const { tokensInWindow: tokensBefore } = before
  return { from: before, to: after, changes, tokensBefore, tokensAfter: after.tokensInWindow }
}

export function captureText(path: string): CaptureText {
  if (path.startsWith("<")) {
    const withheld = "This is no file: the host makes it when it starts."
    return { path, text: "", later: "", isCut: false, withheld }
  }
  const name = path.split("/").at(-1) ?? ""
  const isLong = name === "MEMORY.md"
  if (name === "SKILL.md") {
    const later = "# Review a tariff\n\n1. Read the closed month.\n2. Compare to the cent.\n"
    return { path, text: "tariff-review: checks a change of tariffs", later, isCut: false }
  }
  const text = path.endsWith("/CLAUDE.md") ? CLAUDE_MD : `# ${name}\n\n- One rule.\n`
  return { path, text: isLong ? text.repeat(40) : text, later: "", isCut: isLong }
}

function sum(items: readonly ManifestItem[], field: "tokens" | "tokensOnDemand" | "bytes"): number {
  return items.reduce((total, it) => total + it[field], 0)
}
