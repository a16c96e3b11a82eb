import { formatSearch, oneOf } from "./search.ts"

const MAP_TABS = ["symbols", "imports", "importers", "changed"] as const
export type MapTab = (typeof MAP_TABS)[number]

export type MapSearch = {
  /** What is looked for; empty for the tree. */
  readonly text: string
  /** Whether that is words of a task, or a part of a path. */
  readonly by: "words" | "path"
  /** Folders that are open. */
  readonly open: readonly string[]
  /** The selected row of the tree: a path. */
  readonly at: string
  /** What stands beside the tree: a file, or path#symbol; empty for nothing. */
  readonly show: string
  /** What is listed of a file. */
  readonly tab: MapTab
  /** How far callers and called are followed. */
  readonly hops: 1 | 2
}

export function parseMap(search: string): MapSearch {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    by: query.get("by") === "path" ? "path" : "words",
    open: query.getAll("open").filter((it) => it !== ""),
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    tab: oneOf(MAP_TABS, query.get("tab")) ?? "symbols",
    hops: query.get("hops") === "1" ? 1 : 2,
  }
}

export function formatMap({ text, by, open, at, show, tab, hops }: Partial<MapSearch>): string {
  return formatSearch({
    text,
    by: by === "path" ? by : "",
    open,
    at,
    show,
    tab: tab === "symbols" ? "" : tab,
    hops: hops === 1 ? hops : "",
  })
}
