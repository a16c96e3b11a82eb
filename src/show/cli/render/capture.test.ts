import { expect, test } from "vitest"
import type { Capture, CaptureSummary, ManifestItem } from "#ground/contract"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) => renderers[name]?.text(output, screen) ?? ""

const item = (label: string, given: Partial<ManifestItem> = {}): ManifestItem => ({
  path: `/x/${label}`,
  label,
  source: "project-root",
  priority: 100,
  order: 0,
  load: "always",
  reason: "Project root memory",
  kind: "instructions",
  tokens: 1_200,
  tokensOnDemand: 0,
  bytes: 10,
  sentBytes: 10,
  sha256: "0".repeat(64),
  modifiedAt: 1,
  scope: "project",
  trust: "project",
  redactions: 0,
  ...given,
})
const skill = (name: string) =>
  item(`.claude/skills/${name}/SKILL.md`, {
    source: "skills",
    load: "name-only",
    kind: "tools",
    tokens: 10,
    tokensOnDemand: 300,
  })

const SUMMARY: CaptureSummary = {
  id: "cap_1",
  host: "claude-code",
  workingDirectory: "/x",
  capturedAt: 0,
  lastSeenAt: 60_000,
  times: 1,
  files: 2,
  tokensInWindow: 1_000,
  tokensOnDemand: 0,
}

const tool = (name: string, isLoaded: boolean) => ({ name, tokens: 13_500, isLoaded, calls: 1 })
const START: Capture["manifest"]["start"] = {
  baseline: { version: "2.1.325", model: "m", measuredAt: "2026-11-17" },
  window: 200_000,
  servers: [
    {
      name: "github",
      scope: "user",
      path: "/home/.claude.json",
      state: "connects",
      digest: "d",
      source: "asked",
      at: 0,
      problem: null,
      tokens: 27_000,
      tokensDeferred: 13_500,
      tools: [tool("search", true), tool("merge", false)],
      calls: 2,
      usedTools: 1,
      lastCallAt: 0,
      off: "claude mcp remove github --scope user",
    },
  ],
  listing: {
    skills: 2,
    budget: 30_000,
    unit: "characters",
    needed: 40_000,
    reason: "1 % of a window",
    shortened: [
      { name: "b", path: "/x/.claude/skills/b/SKILL.md", lostCharacters: 300, isLeftOut: false },
    ],
    unused: [],
  },
  sessions: 4,
  notCounted: [{ name: "git status", kind: "system", reason: "Depends on the tree" }],
}

const CAPTURE: Capture = {
  manifest: {
    id: "cap_2",
    kind: "estimated",
    host: "claude-code",
    hostVersion: "2.1.325",
    workingDirectory: "/x",
    capturedAt: 0,
    estimator: "claude",
    disclaimer: "An estimation.",
    items: [
      item("CLAUDE.md"),
      item("docs/a.md", {
        load: "import",
        reason: "Imported by CLAUDE.md:3",
        importedBy: { path: "/x/CLAUDE.md", line: 3 },
      }),
      skill("a"),
      skill("b"),
      item(`${"deep/".repeat(20)}rule.md`, { load: "conditional", tokens: 0, tokensOnDemand: 5 }),
      item(".claude/settings.json", { load: "config-only", tokens: 0, reason: "Project settings" }),
    ],
    searched: [
      { path: "/x/CLAUDE.md", source: "project-root", outcome: "found" },
      { path: "/x/CLAUDE.local.md", source: "project-root", outcome: "empty", detail: "0 bytes" },
      ...Array.from({ length: 12 }, (_, index) => ({
        path: `/etc/${index}\nfake row`,
        source: "managed",
        outcome: "missing" as const,
      })),
    ],
    notes: [
      { code: "import-unresolved", text: "@gone.md names no file.", path: "/x/CLAUDE.md", line: 4 },
      { code: "host-unverified", text: "From documents only." },
    ],
    totals: { files: 6, bytes: 60, tokensInWindow: 2_420, tokensOnDemand: 605 },
    start: START,
  },
  headline: {
    tokens: 2_420,
    window: 200_000,
    share: 0.0121,
    by: "estimate",
    kinds: [
      { kind: "instructions", tokens: 2_400 },
      { kind: "tools", tokens: 20 },
    ],
    at: 0,
    estimate: 2_420,
  },
  advice: [
    {
      kind: "unused-tools",
      title: "Disable the github server",
      evidence: "1 of 2 tools used in 30 days, 2 calls.",
      tokens: 27_000,
      edit: "claude mcp remove github --scope user",
    },
  ],
  budget: {
    window: 200_000,
    tokens: 2_420,
    share: 0.0121,
    startBudget: 20_000,
    kinds: [
      { kind: "instructions", tokens: 2_400 },
      { kind: "tools", tokens: 20 },
    ],
    biggest: [],
    duplicates: [
      { labels: ["CLAUDE.md", "docs/a.md"], tokens: 50, likeness: 0.77, excerpt: "Amounts are" },
    ],
  },
  observation: {
    by: "transcript",
    at: 0,
    files: [
      { path: "/x/CLAUDE.md", label: "CLAUDE.md", state: "both", sameText: true },
      { path: "/x/docs/a.md", label: "docs/a.md", state: "both", sameText: false },
      {
        path: "/x/new.md",
        label: "new.md",
        state: "observed-only",
        explanation: "File no longer exists",
      },
      { path: "/x/old.md", label: "old.md", state: "estimated-only" },
    ],
    agreed: 1,
    compared: 4,
    accuracy: 0.25,
    categories: [{ name: "System prompt", tokens: 1_842 }],
  },
  observationProblem: null,
  historyProblem: null,
  isNew: true,
  previous: SUMMARY,
  texts: [
    { path: "/x/CLAUDE.md", text: "in the window", later: "later", isCut: true },
    { path: "/x/link.md", text: "", later: "", isCut: false, withheld: "reached by a link" },
  ],
  diff: null,
}

test("[CLI-13] a capture prints the total, loaded items, items on demand, settings, searched paths and notes", () => {
  const text = render("capture.take", CAPTURE)
  const parts = [
    "claude-code 2.1.325 in /x",
    "2,420 tokens before the first prompt, 1.2 % of 200.0k, 605 more on demand, 1 part not counted",
    "Estimate; system prompt and tools as measured with version 2.1.325, model m, on 2026-11-17.",
    "Loaded, in load order",
    "1  █  CLAUDE.md",
    "2  █    docs/a.md",
    "Descriptions of 2 skills",
    "MCP servers",
    "github  27,000 tokens  1 loaded, 1 deferred  2 calls in 30 days  1 of 2 tools used",
    "1 of 2 skills with a shortened description",
    "The listing needs 40,000 characters; its budget is 30,000, 1 % of a window.",
    "Not counted, size unknown",
    "Loaded on demand: 605 tokens",
    "Settings files, not sent to the model",
    "Searched: 1 of 14 paths found",
    ", 12 missing; --json lists them",
    "empty   CLAUDE.local.md",
    "@gone.md names no file.  CLAUDE.md:4",
    "1 of 4 observed, accuracy 25.0 % (last session, 1970-01-01 00:00)",
    "observed only",
    "1,842  System prompt",
    "# /x/CLAUDE.md",
    "(truncated)",
    "reached by a link",
    "Capture cap_2. Compare: qm capture diff cap_1 cap_2",
    "An estimation.",
    "Suggested cuts: 27,000 tokens in 1 place",
    "Disable the github server  27,000 tokens",
    "claude mcp remove github --scope user",
  ]
  const places = parts.map((it) => text.indexOf(it))
  expect(parts.filter((_, index) => places[index] === -1)).toEqual([])
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(text).not.toContain("\nfake row")
  expect(text).toContain("…/rule.md")
})

test("[CLI-13] an empty capture, an untrusted folder, a failed history and the source of a report are stated", () => {
  const nothing: Capture = {
    ...CAPTURE,
    manifest: { ...CAPTURE.manifest, items: [], searched: [], notes: [] },
    budget: { ...CAPTURE.budget, kinds: [], duplicates: [] },
    observation: null,
    observationProblem: { code: "not-trusted", text: "It does not trust this folder yet." },
    historyProblem: "The disk is full. [STORAGE_FULL]",
    texts: [],
  }
  const text = render("capture.take", nothing)
  expect(text).toContain("None of your files is loaded before the first prompt.")
  expect(text).toContain("create a CLAUDE.md in this folder")
  expect(text).toContain("yet. Start the host there once, or add --trust.")
  expect(text).toContain("Not stored in the history: The disk is full.")
  const atRoot = { ...nothing, manifest: { ...nothing.manifest, workingDirectory: "/" } }
  expect(render("capture.take", atRoot)).toContain("the root directory")
  const asked = { ...CAPTURE.observation, by: "host", files: [], categories: [] }
  expect(render("capture.show", { ...CAPTURE, observation: asked })).toContain(
    "(reported by the host now)",
  )
  const recorded = { ...asked, by: "wire", session: "s-1" }
  expect(render("capture.show", { ...CAPTURE, observation: recorded })).toContain(
    "(recorded by the gateway at 1970-01-01 00:00, session s-1)",
  )
  const secret = { ...CAPTURE, advice: CAPTURE.advice.map((it) => ({ ...it, tokens: 0 })) }
  expect(render("capture.take", secret)).toContain("Suggested cuts: 1 place\n")
  const one = { ...CAPTURE.manifest, items: [skill("only")] }
  expect(render("capture.take", { ...CAPTURE, manifest: one })).toContain("Description of 1 skill")
})

test("[CLI-13] a comparison of captures prints a mark, tokens and lines for each change", () => {
  const change = { path: "/x/a", label: "a", tokensBefore: 5, tokensAfter: 9 }
  const lines = [
    { sign: " ", before: 1, after: 1, text: "same" },
    { sign: "-", before: 2, text: "old" },
    { sign: "+", after: 2, text: "new" },
  ]
  const diff = {
    from: SUMMARY,
    to: { ...SUMMARY, id: "cap_2" },
    changes: [
      { ...change, change: "changed", linesAdded: 1, linesRemoved: 1, lines },
      { ...change, change: "removed", tokensAfter: 0 },
    ],
    tokensBefore: 1_000,
    tokensAfter: 999,
  }
  expect(render("capture.diff", diff)).toMatchInlineSnapshot(`
    "Changes cap_1 (1970-01-01 00:00) to cap_2, 1,000 to 999 tokens
      ~ a  changed, +4 tokens, +1 -1 lines
            same
          - old
          + new
      - a  removed, -5 tokens"
  `)
  expect(render("capture.diff", { ...diff, changes: [] })).toMatch(/^Nothing changed from cap_1/)
  expect(render("capture.take", { ...CAPTURE, diff })).toContain("~ a  changed")
})

test("[CLI-13] stored captures, texts and settings are printed", () => {
  expect(render("capture.list", { captures: [] })).toContain("No capture is stored yet.")
  const again = { ...SUMMARY, times: 3, lastRun: "run_1" }
  const listed = render("capture.list", { captures: [SUMMARY, again] })
  expect(listed.split("\n").map((it) => it.split(/\s{2,}/).slice(5, 7))).toEqual([
    ["Seen", "Last run"],
    ["once", "none"],
    ["3 times", "run_1"],
  ])
  const text = { path: "/x", text: "now", later: "later", isCut: false }
  expect(render("capture.text", text)).toBe("now\nlater")
  expect(render("capture.text", { ...text, withheld: "by a link" })).toBe("by a link")
  const settings = {
    host: "claude-code",
    workingDirectory: "/x",
    layers: [{ layer: "user", path: "/u.json", outcome: "broken", problem: "line 1" }],
    settings: [
      {
        key: "model",
        value: '"a"',
        layer: "local",
        path: "/l.json",
        hidden: [{ layer: "user", path: "/u.json", value: '"b"' }],
      },
    ],
    mcpServers: [],
  }
  const shown = render("capture.settings", settings)
  expect(shown).toContain('overrides "b"')
  expect(shown).toContain("MCP servers\n  none")
})

test("[CLI-13] after a report the headline is the host's own, with the estimate beside it", () => {
  const headline = {
    ...CAPTURE.headline,
    tokens: 13_000,
    window: 1_000_000,
    share: 0.013,
    by: "host" as const,
    estimate: 12_670,
  }
  const text = render("capture.take", { ...CAPTURE, headline })
  expect(text).toContain("13,000 tokens before the first prompt, 1.3 % of 1.0M")
  expect(text).toContain(
    "Reported by the host at 1970-01-01 00:00; our estimate is 12,670, 2.5 % lower.",
  )
})

test("[T5][CLI-13] capture lint exits with 1 if there is something to cut or the budget is exceeded", () => {
  const lint = {
    host: "claude-code",
    workingDirectory: "/x",
    tokens: 900,
    startBudget: 1_000,
    problems: [],
  }
  const printer = renderers["capture.lint"]
  expect(printer?.exitCode(lint)).toBe(0)
  expect(printer?.exitCode({ ...lint, problems: CAPTURE.advice })).toBe(1)
  expect(printer?.exitCode({ ...lint, tokens: 1_001 })).toBe(1)
  expect(render("capture.lint", lint)).toBe(
    "Nothing to cut. 900 of 1,000 tokens before the first prompt",
  )
})
