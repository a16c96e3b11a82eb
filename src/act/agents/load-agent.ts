import type { AgentType } from "#ground/contract"
import type { Agent } from "./agent.ts"

/** `acpCommand` is the setting `agents.acp`. */
export async function loadAgent(type: AgentType, acpCommand = ""): Promise<Agent> {
  switch (type) {
    case "claude-code":
      return (await import("./claude-code/claude-code.ts")).claudeCode
    case "codex":
      return (await import("./codex/codex.ts")).codex
    case "copilot":
      return (await import("./copilot/copilot.ts")).copilot
    case "gemini":
      return (await import("./acp/acp.ts")).gemini
    case "opencode":
      return (await import("./acp/acp.ts")).opencode
    case "acp":
      return (await import("./acp/acp.ts")).configuredAgent(acpCommand)
    case "synthetic":
      return (await import("./synthetic/synthetic.ts")).synthetic
    default:
      return type satisfies never
  }
}

export async function agentScripts(): Promise<readonly string[]> {
  return [...(await import("./synthetic/scripts.ts")).SCRIPTS.keys()]
}
