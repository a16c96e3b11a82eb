import type { KbTier } from "../contract.ts"
import { formatSearch, oneOf } from "./search.ts"

/** Tiers of the contract, in its order; a test holds the two together. */
export const TIERS_OF_KNOWLEDGE = ["primary", "guide", "web"] as const satisfies readonly KbTier[]

export type KnowledgeAddress = {
  /** What is looked for; empty for folders and documents. */
  readonly text: string
  readonly tier: KbTier | null
  /** Whether cross-references are followed from each hit. */
  readonly hops: boolean
  /** Key of the selected line. */
  readonly at: string
  /** Id of the paragraph beside the list; empty for none. */
  readonly show: string
  /** Id of the document beside the list, where no paragraph is shown. */
  readonly document: string
  /** The form that adds a folder stands there instead. */
  readonly add: boolean
}

export function parseKnowledge(search: string): KnowledgeAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    tier: oneOf(TIERS_OF_KNOWLEDGE, query.get("tier")) ?? null,
    hops: query.get("hops") === "yes",
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    document: query.get("document") ?? "",
    add: query.get("add") === "yes",
  }
}

export function formatKnowledge({ hops, add, ...rest }: Partial<KnowledgeAddress>): string {
  const { text, tier, at, show, document } = rest
  return formatSearch({
    text,
    tier,
    hops: hops === true ? "yes" : "",
    at,
    show,
    document,
    add: add === true ? "yes" : "",
  })
}
