import { formatSearch, oneOf, wholeOrNull } from "./search.ts"

const GATEWAY_WHO = ["all", "main", "agents"] as const
/** Whose requests are listed: all, those of the main conversation, or those of sub-agents. */
export type GatewayWho = (typeof GATEWAY_WHO)[number]
const GATEWAY_TABS = ["held", "exact", "headers"] as const
export type GatewayTab = (typeof GATEWAY_TABS)[number]

export type GatewayAddress = {
  readonly who: GatewayWho
  /** Also requests before the newest few hundred. */
  readonly all: boolean
  /** Key of the selected request: its carry, a dot, its number. */
  readonly at: string
  /** What the pane beside the list shows of it. */
  readonly tab: GatewayTab
  /** What is looked for in the exact request. */
  readonly find: string
  /** Place of the first piece of the page that is shown. */
  readonly from: number | null
  /** Place of the piece whose text is open. */
  readonly piece: number | null
}

/** The run, or the carry, of an address like /runs/rn_1/gateway; undefined for every other one. */
export function gatewayIdAt(path: string): string | undefined {
  const id = /^\/runs\/([^/]+)\/gateway$/.exec(path)?.[1]
  if (id === undefined) return undefined
  try {
    return decodeURIComponent(id)
  } catch {
    // A stray % is no code for a character: then the id is what stands there.
    return id
  }
}

export function parseGateway(search: string): GatewayAddress {
  const query = new URLSearchParams(search)
  return {
    who: oneOf(GATEWAY_WHO, query.get("who")) ?? "all",
    all: query.get("all") === "yes",
    at: query.get("at") ?? "",
    tab: oneOf(GATEWAY_TABS, query.get("tab")) ?? "held",
    find: query.get("find") ?? "",
    from: wholeOrNull(query.get("from")),
    piece: wholeOrNull(query.get("piece")),
  }
}

export function formatGateway({ who, all, tab, ...rest }: Partial<GatewayAddress>): string {
  const { at, find, from, piece } = rest
  return formatSearch({
    who: who === "all" ? "" : who,
    all: all === true ? "yes" : "",
    at,
    tab: tab === "held" ? "" : tab,
    find,
    from,
    piece,
  })
}
