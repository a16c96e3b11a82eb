import type { AgentType } from "#ground/contract"
import type { Agent } from "./agent.ts"

export async function loadAgent(type: AgentType): Promise<Agent> {
  switch (type) {
    case "claude-code":
      return (await import("./claude-code/claude-code.ts")).claudeCode
    case "codex":
      return (await import("./codex/codex.ts")).codex
    case "copilot":
      return (await import("./copilot/copilot.ts")).copilot
    case "synthetic":
      return (await import("./synthetic/synthetic.ts")).synthetic
    default:
      return type satisfies never
  }
}

export async function agentScripts(): Promise<readonly string[]> {
  return [...(await import("./synthetic/scripts.ts")).SCRIPTS.keys()]
}
