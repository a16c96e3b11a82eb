import { formatSearch, oneOf, wholeOrNull } from "./search.ts"

const PACK_TABS = ["summary", "markdown", "xml", "json"] as const
export type PackTab = (typeof PACK_TABS)[number]
const PACK_PANES = ["candidates", "chosen", "preview"] as const
export type PackPane = (typeof PACK_PANES)[number]
const PACK_KINDS = ["files", "symbols"] as const

export type PackSearch = {
  readonly task: string
  /** Tokens it may have; null for what the config says. */
  readonly budget: number | null
  readonly role: string
  /** Paths that must be in it, and that must not. */
  readonly pins: readonly string[]
  readonly drops: readonly string[]
  /** Paths whose form a person chose. */
  readonly full: readonly string[]
  readonly symbols: readonly string[]
  readonly signatures: readonly string[]
  readonly mention: readonly string[]
  /** Paths in the order a person chose; the rest follows. */
  readonly order: readonly string[]
  /** Path of the selected row, or the key of a group. */
  readonly at: string
  /** In which of the three columns keys move; where there is no room, the one that is shown. */
  readonly pane: PackPane
  /** In which format the preview is written. */
  readonly tab: PackTab
  /** Only chosen files of this kind. */
  readonly kind: (typeof PACK_KINDS)[number] | null
  /** Groups of candidates that are not as they are by default. */
  readonly turned: readonly string[]
  /** The kept package that is shown; empty for the one being built. */
  readonly id: string
  /** Whether two kept packages are compared, and which; empty for the newest two. */
  readonly compare: boolean
  readonly from: string
  readonly to: string
}

export function parsePack(search: string): PackSearch {
  const query = new URLSearchParams(search)
  const list = (name: string) => [...new Set(query.getAll(name).filter((it) => it !== ""))]
  return {
    task: query.get("task") ?? "",
    budget: wholeOrNull(query.get("budget")),
    role: query.get("role") ?? "",
    pins: list("pin"),
    drops: list("drop"),
    full: list("full"),
    symbols: list("symbols"),
    signatures: list("signatures"),
    mention: list("mention"),
    order: list("order"),
    at: query.get("at") ?? "",
    pane: oneOf(PACK_PANES, query.get("pane")) ?? "candidates",
    tab: oneOf(PACK_TABS, query.get("tab")) ?? "summary",
    kind: oneOf(PACK_KINDS, query.get("kind")) ?? null,
    turned: list("turned"),
    id: query.get("id") ?? "",
    compare: query.get("compare") === "yes",
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
  }
}

export function formatPack(search: Partial<PackSearch>): string {
  const { pins, drops, tab, pane, compare, ...rest } = search
  const { task, budget, role, full, symbols, signatures, mention, order } = rest
  const { at, kind, turned, id, from, to } = rest
  return formatSearch({
    task,
    budget,
    role,
    pin: pins,
    drop: drops,
    full,
    symbols,
    signatures,
    mention,
    order,
    at,
    pane: pane === "candidates" ? "" : pane,
    tab: tab === "summary" ? "" : tab,
    kind,
    turned,
    id,
    compare: compare === true ? "yes" : "",
    from,
    to,
  })
}
