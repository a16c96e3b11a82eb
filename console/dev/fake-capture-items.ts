import { createHash } from "node:crypto"
import type { ContextKind, HostName, ManifestItem, SearchedPath } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** What the hosts of the fake world load, and where they look in vain. */
export const HOME = "/home/ada"
export const ROOT = "/home/ada/code/tideline"
const MINUTE = 60_000

type Spec = {
  readonly label: string
  readonly kind?: ContextKind
  readonly load?: ManifestItem["load"]
  readonly source: string
  readonly priority: number
  readonly reason: string
  readonly tokens: number
  readonly later?: number
  readonly scope?: string
  readonly redactions?: number
  readonly importedBy?: ManifestItem["importedBy"]
}

export function item(spec: Spec, order: number): ManifestItem {
  const { label, tokens, later = 0, importedBy } = spec
  const path = pathOf(label)
  return {
    path,
    label,
    source: spec.source,
    priority: spec.priority,
    order,
    load: spec.load ?? "always",
    reason: spec.reason,
    kind: spec.kind ?? "instructions",
    tokens,
    tokensOnDemand: later,
    bytes: Math.round((tokens + later) * 3.97) + 12,
    sentBytes: Math.round(tokens * 3.88),
    sha256: createHash("sha256").update(path).digest("hex"),
    modifiedAt: WORLD_NOW - 36 * MINUTE - order * 97 * MINUTE,
    scope: spec.scope ?? (label.startsWith("~") ? "user" : "project"),
    trust: label.startsWith("~") ? "own" : "project",
    ...(importedBy && { importedBy }),
    redactions: spec.redactions ?? 0,
  }
}

export function pathOf(label: string): string {
  if (label.includes(":") && !label.includes("/")) return `<${label}>`
  if (label.startsWith("~/")) return `${HOME}${label.slice(1)}`
  return label.startsWith("/") ? label : `${ROOT}/${label}`
}

const imported = (line: number) => ({ path: `${ROOT}/CLAUDE.md`, line })
const names = (folder: string, file: (i: number) => string, tokens: readonly number[]) =>
  tokens.map(
    (it, i): Spec => ({
      label: `.claude/${folder}/${file(i)}`,
      kind: "tools",
      load: "name-only",
      source: folder,
      priority: folder === "commands" ? 104 : 105,
      reason: "Name and description",
      tokens: it,
      later: 640 + ((i * 7 + folder.length) % 9) * 205,
    }),
  )

const SKILLS = ["tariff-review", "berth-search", "month-close", "pilotage", "release", "incident"]
const AGENTS = ["repo-mapper", "test-writer", "reviewer", "migrator"]
const COMMANDS = ["fix", "ship", "plan", "audit", "close", "quote", "trace", "tidy", "why"]

const CLAUDE: readonly Spec[] = [
  {
    label: "~/.claude/settings.json",
    load: "config-only",
    source: "user-settings",
    priority: 0,
    reason: "User settings",
    tokens: 0,
  },
  {
    label: "~/.claude/CLAUDE.md",
    source: "global-user",
    priority: 1,
    reason: "User global memory",
    tokens: 642,
  },
  {
    label: "~/.claude/rules/commits.md",
    source: "user-rules",
    priority: 1,
    reason: "User rule, no paths",
    tokens: 318,
  },
  {
    label: "~/code/CLAUDE.md",
    source: "parent-directory",
    priority: 2,
    reason: "Parent directory, 1 level up",
    tokens: 211,
  },
  {
    label: "CLAUDE.md",
    source: "project-root",
    priority: 100,
    reason: "Project root memory",
    tokens: 2_486,
    redactions: 1,
  },
  {
    label: "docs/conventions.md",
    load: "import",
    source: "import",
    priority: 100,
    reason: "Imported by CLAUDE.md:11",
    tokens: 1_904,
    importedBy: imported(11),
  },
  {
    label: "docs/tariffs.md",
    kind: "knowledge",
    load: "import",
    source: "import",
    priority: 100,
    reason: "Imported by CLAUDE.md:12",
    tokens: 3_140,
    importedBy: imported(12),
  },
  {
    label: ".claude/settings.json",
    load: "config-only",
    source: "project-settings",
    priority: 101,
    reason: "Project settings",
    tokens: 0,
  },
  {
    label: "CLAUDE.local.md",
    source: "project-local",
    priority: 102,
    reason: "Local memory, not in git",
    tokens: 164,
    scope: "local",
  },
  {
    label: ".claude/rules/testing.md",
    source: "project-rules",
    priority: 102,
    reason: "Project rule, no paths",
    tokens: 402,
  },
  {
    label: ".claude/rules/money.md",
    load: "conditional",
    source: "project-rules",
    priority: 102,
    reason: "Only when src/tariff/** is read",
    tokens: 0,
    later: 502,
  },
  {
    label: "~/.claude/projects/tideline/memory/MEMORY.md",
    kind: "memory",
    load: "startup-capped",
    source: "auto-memory",
    priority: 103,
    reason: "First 200 of 318 lines",
    tokens: 1_212,
    later: 702,
    scope: "memory",
  },
  ...names("skills", (i) => `${SKILLS[i]}/SKILL.md`, [70, 64, 61, 66, 58, 69]),
  ...names("agents", (i) => `${AGENTS[i]}.md`, [80, 71, 69, 76]),
  ...names("commands", (i) => `${COMMANDS[i]}.md`, [24, 22, 25, 23, 24, 22, 26, 23, 23]),
  {
    label: "mcp: quartermaster",
    kind: "tools",
    source: "mcp-config",
    priority: 103,
    reason: "11 tool definitions",
    tokens: 3_612,
  },
  {
    label: "mcp: postgres-readonly",
    kind: "tools",
    source: "mcp-config",
    priority: 103,
    reason: "5 tool definitions",
    tokens: 1_148,
  },
  {
    label: "hook: boot",
    kind: "history",
    source: "hook",
    priority: 106,
    reason: "Added at session start",
    tokens: 846,
  },
]

export const looked = (
  outcome: SearchedPath["outcome"],
  label: string,
  more: Partial<SearchedPath>,
) => ({
  path: pathOf(label),
  source: "project-root",
  outcome,
  ...more,
})

export const CLAUDE_ABSENT: readonly SearchedPath[] = [
  looked("missing", "/etc/claude-code/CLAUDE.md", { source: "managed-policy" }),
  looked("missing", "/etc/claude-code/managed-settings.json", { source: "managed-settings" }),
  looked("missing", "/home/CLAUDE.md", { source: "parent-directory", detail: "3 levels up" }),
  looked("missing", "~/CLAUDE.md", { source: "parent-directory", detail: "2 levels up" }),
  looked("empty", "~/code/CLAUDE.local.md", { source: "parent-directory", detail: "1 level up" }),
  looked("missing", ".claude/CLAUDE.md", {}),
  looked("missing", ".claude/settings.local.json", { source: "project-local" }),
  looked("missing", "~/.claude/output-styles", { source: "output-style" }),
  looked("missing", "~/.claude/skills", { source: "skills" }),
  looked("missing", "~/.claude/agents", { source: "agents" }),
]

/** Names that would turn the line round, move the cursor, or fill the screen. */
const HOSTILE = [
  "docs/\u202Egpj.exe.md",
  "docs/zero\u200Bwidth\u2066isolated.md",
  "docs/bell\u0007escape\u001b[2J.md",
  "docs/new\nline.md",
  "docs/\u05E9\u05DC\u05D5\u05DD.md",
  `docs/${"very-long-name-".repeat(14)}.md`,
  `${"a-folder-of-a-folder/".repeat(18)}GEMINI.md`,
  "docs/<img src=x onerror=alert(1)>.md",
] as const

export const ITEMS: Readonly<Record<HostName, readonly Spec[]>> = {
  "claude-code": CLAUDE,
  codex: [
    {
      label: "~/.codex/config.toml",
      load: "config-only",
      source: "user-settings",
      priority: 0,
      reason: "User settings",
      tokens: 0,
    },
    {
      label: "~/.codex/AGENTS.md",
      source: "global-user",
      priority: 1,
      reason: "User global memory",
      tokens: 420,
    },
    {
      label: "AGENTS.md",
      source: "project-root",
      priority: 100,
      reason: "Project root memory",
      tokens: 2_310,
    },
  ],
  copilot: [],
  gemini: Array.from({ length: 2_000 }, (_, i) => manySpec(i)),
  antigravity: [],
}

function manySpec(i: number): Spec {
  const hostile = HOSTILE[i]
  const label = hostile ?? `packages/part-${String(i).padStart(4, "0")}/GEMINI.md`
  const isLater = i % 5 === 4
  return {
    label,
    load: isLater ? "conditional" : "always",
    source: "subdirectory",
    priority: 200 + i,
    reason: isLater ? `Only when packages/part-${i} is read` : "Found below the working directory",
    tokens: isLater ? 0 : 40 + ((i * 37) % 90),
    later: isLater ? 300 + (i % 70) : 0,
  }
}
