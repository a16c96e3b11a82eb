import { formatSearch } from "./search.ts"

export type DecisionsAddress = {
  /** Words that a title must have. */
  readonly text: string
  /** Id of the selected decision. */
  readonly at: string
  /** Id of the decision that stands beside the list; empty for none. */
  readonly show: string
  /** The form that adds one stands there instead. */
  readonly add: boolean
}

export function parseDecisions(search: string): DecisionsAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    add: query.get("add") === "yes",
  }
}

export function formatDecisions({ text, at, show, add }: Partial<DecisionsAddress>): string {
  return formatSearch({ text, at, show, add: add === true ? "yes" : "" })
}
