import { formatSearch, oneOf, wholeOrNull } from "./search.ts"

const FOLD_TABS = ["result", "trail", "prompt", "restored"] as const
export type FoldTab = (typeof FOLD_TABS)[number]

export type FoldAddress = {
  /** What the trails are searched for; empty for the tree. */
  readonly text: string
  /** Also branches that ended more than an hour ago. */
  readonly all: boolean
  /** Rows of the tree that are closed. */
  readonly closed: readonly string[]
  /** Key of the selected row. */
  readonly at: string
  /** The branch that stands beside the list; empty for none. */
  readonly show: string
  /** What is shown of it. */
  readonly tab: FoldTab
  /** Number of the step whose text is open. */
  readonly step: number | null
}

export function parseFold(search: string): FoldAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    all: query.get("all") === "yes",
    closed: query.getAll("closed").filter((it) => it !== ""),
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    tab: oneOf(FOLD_TABS, query.get("tab")) ?? "result",
    step: wholeOrNull(query.get("step")),
  }
}

export function formatFold({ all, tab, ...rest }: Partial<FoldAddress>): string {
  const { text, closed, at, show, step } = rest
  return formatSearch({
    text,
    all: all === true ? "yes" : "",
    closed,
    at,
    show,
    tab: tab === "result" ? "" : tab,
    step,
  })
}
