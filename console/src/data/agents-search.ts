import { formatSearch, oneOf } from "./search.ts"

export const TABS_OF_AGENTS = ["stages", "prompts", "runs"] as const
export type AgentsTab = (typeof TABS_OF_AGENTS)[number]

export type AgentsAddress = {
  readonly text: string
  /** Slug of the selected agent. */
  readonly at: string
  /** Slug of the agent that stands beside the list; empty for none. */
  readonly show: string
  readonly tab: AgentsTab
}

export function parseAgents(search: string): AgentsAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    tab: oneOf(TABS_OF_AGENTS, query.get("tab")) ?? "stages",
  }
}

export function formatAgents({ tab, ...rest }: Partial<AgentsAddress>): string {
  const { text, at, show } = rest
  return formatSearch({ text, at, show, tab: tab === "stages" ? "" : tab })
}
