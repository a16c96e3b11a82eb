import type { AgentType, Provider } from "../contract.ts"

export const TYPES: readonly AgentType[] = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "acp",
  "synthetic",
]

/** The first installed agent if the chosen one is not installed; the synthetic agent is no substitute. */
export function installedInstead(
  chosen: AgentType,
  providers: readonly Pick<Provider, "type" | "isInstalled">[] | undefined,
): AgentType | undefined {
  const isReady = (type: AgentType) =>
    providers?.some((it) => it.type === type && it.isInstalled) === true
  if (providers === undefined || isReady(chosen)) return undefined
  return TYPES.find((it) => it !== "synthetic" && isReady(it))
}
