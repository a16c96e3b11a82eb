import type { Capture, CaptureChange, HostName } from "../src/contract.ts"
import { HOME, pathOf, ROOT } from "./fake-capture-items.ts"
import { CLAUDE_MD_LINES } from "./fake-capture-text.ts"

export const NOTES: Capture["manifest"]["notes"] = [
  {
    code: "import-unresolved",
    text: "@docs/berths.md is named and does not exist; the host sends the words as they stand.",
    path: `${ROOT}/docs/conventions.md`,
    line: 41,
  },
  {
    code: "file-cut",
    text: "Only the first 200 of 318 lines are sent; the rest is read on demand.",
    path: `${HOME}/.claude/projects/tideline/memory/MEMORY.md`,
  },
  {
    code: "rule-never-matches",
    text: "paths: src/billing/** matches no file of this repository.",
    path: `${ROOT}/.claude/rules/money.md`,
    line: 2,
  },
]

export const DUPLICATES: Capture["budget"]["duplicates"] = [
  {
    labels: ["CLAUDE.md", "docs/conventions.md"],
    tokens: 212,
    likeness: 1,
    excerpt: "Amounts are integers in minor units, never floats. Rounding lives in one place",
  },
  {
    labels: ["~/.claude/CLAUDE.md", "~/code/CLAUDE.md", ".claude/rules/testing.md"],
    tokens: 96,
    likeness: 0.86,
    excerpt: "Run the checks before you say that something is done",
  },
]

const change = (label: string, it: Omit<CaptureChange, "path" | "label">): CaptureChange => ({
  path: pathOf(label),
  label,
  ...it,
})

export const CHANGES: CaptureChange[] = [
  change("docs/tariffs.md", { change: "added", tokensBefore: 0, tokensAfter: 3_140 }),
  change("docs/prices.md", {
    change: "removed",
    tokensBefore: 2_894,
    tokensAfter: 0,
    linesRemoved: 2,
    lines: [
      { sign: "-", before: 1, text: "# Prices" },
      { sign: "-", before: 2, text: "Every price is in euro cents." },
    ],
  }),
  change("CLAUDE.md", {
    change: "changed",
    tokensBefore: 2_302,
    tokensAfter: 2_486,
    linesAdded: 9,
    linesRemoved: 3,
    lines: CLAUDE_MD_LINES,
  }),
  change("~/.claude/projects/tideline/memory/MEMORY.md", {
    change: "changed",
    tokensBefore: 1_151,
    tokensAfter: 1_212,
    linesAdded: 4,
  }),
  change("hook: boot", { change: "changed", tokensBefore: 886, tokensAfter: 846 }),
  change("CLAUDE.local.md", { change: "moved", tokensBefore: 164, tokensAfter: 164 }),
]

export function captureHosts() {
  const host = (name: HostName, title: string, installed: string | null) => ({
    name,
    title,
    factsVersion: installed ?? "1.0.0",
    isVerified: name !== "antigravity",
    installed,
    program: installed === null ? null : `/usr/local/bin/${name}`,
    canObserve: name === "claude-code" || name === "codex",
  })
  return {
    hosts: [
      host("claude-code", "Claude Code", "2.1.214"),
      host("codex", "Codex", "0.144.0"),
      host("copilot", "Copilot CLI", "0.0.421"),
      host("gemini", "Gemini CLI", null),
      host("antigravity", "Antigravity", null),
    ],
  }
}

const USER = `${HOME}/.claude/settings.json`
const PROJECT = `${ROOT}/.claude/settings.json`

const LAYERS = [
  { layer: "managed", path: "/etc/claude-code/managed-settings.json", outcome: "missing" },
  { layer: "local", path: `${ROOT}/.claude/settings.local.json`, outcome: "missing" },
  { layer: "project", path: PROJECT, outcome: "found" },
  {
    layer: "user",
    path: USER,
    outcome: "broken",
    problem: "line 14, column 3: a comma is missing; the part before it was read",
  },
]

const SETTINGS = [
  {
    key: "model",
    value: '"opus"',
    layer: "project",
    path: PROJECT,
    hidden: [{ layer: "user", path: USER, value: '"sonnet"' }],
  },
  {
    key: "permissions.allow",
    value: '["Bash(npm run check)","Bash(npm run db:check *)","Read(./docs/**)"]',
    layer: "project",
    path: PROJECT,
    hidden: [],
  },
  {
    key: "env.FEED_KEY",
    value: '"[redacted: api-key 7c1e]"',
    layer: "project",
    path: PROJECT,
    hidden: [],
  },
  { key: "includeCoAuthoredBy", value: "false", layer: "user", path: USER, hidden: [] },
]

const SERVERS = [
  {
    name: "quartermaster",
    scope: "project",
    path: `${ROOT}/.mcp.json`,
    transport: "stdio",
    target: "qm mcp",
    state: "approved",
  },
  {
    name: "postgres-readonly",
    scope: "user",
    path: `${HOME}/.claude.json`,
    transport: "http",
    target: "http://127.0.0.1:5433/mcp",
    state: "waits for approval",
  },
]

export function captureSettings(host: HostName) {
  return {
    host,
    workingDirectory: ROOT,
    layers: LAYERS,
    settings: SETTINGS,
    mcpServers: SERVERS,
  }
}
