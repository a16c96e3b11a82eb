import type { AgentMode, ContextKind } from "#ground/contract"

/**
 * The host's own switch. Its bypassPermissions is not used: it is refused to root and cannot be set
 * on a session that was not launched with it (seen on 2.1.325). `auto` is our own yes to what the
 * host asks, which leaves the host's deny rules and policies in force.
 */
export function permissionMode(mode: AgentMode): "plan" | "default" | "acceptEdits" {
  switch (mode) {
    case "plan":
      return "plan"
    case "ask":
      return "default"
    case "edits":
    case "auto":
      return "acceptEdits"
    default:
      return mode satisfies never
  }
}

/** Categories of the host's own count, by what they are to us; the rest of the window is free. */
const KINDS: Readonly<Record<string, ContextKind>> = {
  system_prompt: "instructions",
  memory_files: "memory",
  custom_agents: "tools",
  mcp_tools: "tools",
  system_tools: "tools",
  skills: "tools",
  messages: "history",
}

export function contextKind(category: string): ContextKind {
  return KINDS[category] ?? "instructions"
}
