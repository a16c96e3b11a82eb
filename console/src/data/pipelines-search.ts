import type { Depth } from "../contract.ts"
import { formatSearch, oneOf } from "./search.ts"

/** Depths of the contract, in its order; a test holds the two together. */
export const DEPTHS_OF_PIPELINES = ["quick", "standard", "deep"] as const satisfies readonly Depth[]

/** Statuses as people ask for them: `live` works, `paused` waits, `ended` is over unfinished. */
export const FACETS_OF_PIPELINES = ["all", "paused", "live", "completed", "ended"] as const
export type PipelinesFacet = (typeof FACETS_OF_PIPELINES)[number]

export type PipelinesAddress = {
  /** Words of the question. */
  readonly text: string
  /** Slug of the agent; empty for all. */
  readonly agent: string
  readonly status: PipelinesFacet
  /** Id of the selected run. */
  readonly at: string
  /** The form that starts a run stands beside the list. */
  readonly add: boolean
  /** The agent with which the form begins. */
  readonly start: string
}

export function parsePipelines(search: string): PipelinesAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    agent: query.get("agent") ?? "",
    status: oneOf(FACETS_OF_PIPELINES, query.get("status")) ?? "all",
    at: query.get("at") ?? "",
    add: query.get("add") === "yes",
    start: query.get("start") ?? "",
  }
}

export function formatPipelines({ status, add, ...rest }: Partial<PipelinesAddress>): string {
  const { text, agent, at, start } = rest
  return formatSearch({
    text,
    agent,
    status: status === "all" ? "" : status,
    at,
    add: add === true ? "yes" : "",
    start,
  })
}
