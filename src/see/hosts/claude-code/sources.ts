import type { Load } from "#ground/contract"
import type { Scope } from "../host.ts"
import { PROJECT_ROOT, type Source } from "../source.ts"

/** The host's own kind of an instruction file; it decides label and permissions. */
export type InstructionKind = "managed" | "user" | "project" | "local" | "memory"

/** The text that the host appends to a path, byte for byte (seen on 2.1.325). */
const LABELS: Readonly<Record<InstructionKind, string>> = {
  managed: "organization-managed policy instructions",
  user: "user's private global instructions for all projects",
  project: "project instructions, checked into the codebase",
  local: "user's private project instructions, not checked in",
  memory: "user's auto-memory, persists across conversations",
}

export function frameOf(path: string, kind: InstructionKind): string {
  return `Contents of ${path} (${LABELS[kind]}):\n\n`
}

/**
 * Sources in the order in which the host loads them. Integers are those the product has always
 * shown; later additions of the host are between them.
 */
export const SOURCES = {
  managedSettings: { source: "managed-settings", priority: 0, reason: "Managed settings" },
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  hostState: { source: "host-state", priority: 0, reason: "Host state file" },
  managedPolicy: { source: "managed-policy", priority: 0.5, reason: "Managed policy" },
  managedRules: { source: "rules", priority: 0.6, reason: "Managed rule" },
  globalUser: { source: "global-user", priority: 1, reason: "User global memory" },
  userRules: { source: "rules", priority: 1.5, reason: "User rule" },
  projectRoot: PROJECT_ROOT,
  autoMemory: { source: "auto-memory", priority: 100.9, reason: "Auto memory of this project" },
  projectSettings: { source: "project-settings", priority: 101, reason: "Project settings" },
  projectLocal: { source: "project-local", priority: 102, reason: "Local project settings" },
  mcpConfig: { source: "mcp-config", priority: 103, reason: "MCP server configuration" },
  outputStyle: { source: "output-style", priority: 103.2, reason: "Output style in use" },
  skills: { source: "skills", priority: 103.5, reason: "Skill" },
  commands: { source: "commands", priority: 104, reason: "Slash command" },
  agents: { source: "agents", priority: 105, reason: "Subagent definition" },
} as const satisfies Readonly<Record<string, Source>>

export function at(base: Source, source: string, reason: string): Source {
  return { source, priority: base.priority, reason }
}

export function scopeOf(kind: InstructionKind): Scope {
  return kind
}

export function loadOf(it: {
  readonly kind: InstructionKind
  readonly isConditional: boolean
  readonly isImported: boolean
}): Load {
  if (it.isConditional) return "conditional"
  if (it.kind === "memory") return "startup-capped"
  return it.isImported ? "import" : "always"
}
