import type { GatewayManifest, WireItem, WireKind } from "../../contract.ts"
import { KIND_NAMES } from "./words.ts"

export type HeldLine =
  | {
      readonly kind: "heading"
      readonly key: string
      readonly of: WireKind
      readonly count: number
      readonly tokens: number
    }
  | {
      readonly kind: "item"
      readonly key: string
      readonly item: WireItem
      /** In the request, from 0. */
      readonly place: number
      readonly isNew: boolean
      /** Why it came, where it is new and the wire tells. */
      readonly why: string
    }

/** What a request held, by kind, each in the order of the wire; what is new is marked. */
export function heldLines({ items, request }: GatewayManifest): readonly HeldLine[] {
  const fresh = freshPlaces(items, request.added)
  const kinds = Object.keys(KIND_NAMES)
  return kinds.flatMap((name): readonly HeldLine[] => {
    const own = items.flatMap((item, place) => (item.kind === name ? [{ item, place }] : []))
    const first = own[0]
    if (first === undefined) return []
    const tokens = own.reduce((sum, it) => sum + it.item.tokens, 0)
    const of = first.item.kind
    return [
      { kind: "heading", key: `of ${of}`, of, count: own.length, tokens },
      ...own.map(({ item, place }) => ({
        kind: "item" as const,
        key: String(place),
        item,
        place,
        isNew: fresh.has(place),
        why: fresh.has(place) ? (item.why ?? "") : "",
      })),
    ]
  })
}

/** What is the same twice came last the second time: news are taken from the end. */
function freshPlaces(items: readonly WireItem[], added: readonly WireItem[]): ReadonlySet<number> {
  const due = new Map<string, number>()
  for (const it of added) due.set(sameness(it), (due.get(sameness(it)) ?? 0) + 1)
  const places = new Set<number>()
  for (const [place, it] of [...items.entries()].toReversed()) {
    const left = due.get(sameness(it)) ?? 0
    if (left === 0) continue
    due.set(sameness(it), left - 1)
    places.add(place)
  }
  return places
}

function sameness({ kind, name, sha256 }: WireItem): string {
  return `${kind} ${sha256} ${name}`
}
