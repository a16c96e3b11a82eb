import type { HostName } from "#ground/contract"
import type { Host } from "./host.ts"

/** Loaded on demand, because each host has its own parsers. */
export async function loadHost(name: HostName): Promise<Host> {
  switch (name) {
    case "claude-code":
      return (await import("./claude-code/claude-code.ts")).claudeCode
    case "codex":
      return (await import("./codex/codex.ts")).codex
    case "copilot":
      return (await import("./copilot/copilot.ts")).copilot
    case "gemini":
      return (await import("./gemini/gemini.ts")).gemini
    case "opencode":
      return (await import("./opencode/opencode.ts")).opencode
    case "antigravity":
      return (await import("./antigravity/antigravity.ts")).antigravity
    default:
      return name satisfies never
  }
}
