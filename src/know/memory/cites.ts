import type { Log } from "#ground/base"
import type { Memory, MemoryCite } from "#ground/contract"
import { CITES_AT_ONCE, MOST_CHECKED_CITES } from "./limits.ts"

/** Code by its path from the root, or one symbol of it. */
export type Place = { readonly path: string; readonly symbol?: string }

/** Of the code of now; undefined when it is gone. */
export type HashOf = (place: Place) => Promise<string | undefined>

export type CheckedCite = Memory["cites"][number]

/** `path#symbol`; a name may have a `#` of its own, so that only the last one counts. */
export function parseCite(cite: string): Place {
  const at = cite.lastIndexOf("#")
  const isWhole = at <= 0 || at === cite.length - 1
  return isWhole ? { path: cite } : { path: cite.slice(0, at), symbol: cite.slice(at + 1) }
}

/** A path below the root, written as git does; anything else leads out, or nowhere. */
export function isInside(path: string): boolean {
  return (
    !path.includes("\\") &&
    !path.startsWith("/") &&
    path.split("/").every((it) => it !== "" && it !== "." && it !== "..")
  )
}

/**
 * Looks citations up, each place once for an answer. What cannot be looked up is unchecked, which
 * is no proof of anything.
 */
export function createCiteCheck(deps: { readonly hashOf: HashOf; readonly log: Log }) {
  const known = new Map<string, Promise<Found>>()

  function find(place: Place): Promise<Found> {
    const key = JSON.stringify([place.path, place.symbol])
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= MOST_CHECKED_CITES) return Promise.resolve("unknown")
    const found = look(place)
    known.set(key, found)
    return found
  }

  async function look(place: Place): Promise<Found> {
    try {
      return { sha: isInside(place.path) ? await deps.hashOf(place) : undefined }
    } catch (error) {
      deps.log.warn("a citation could not be looked up", { error })
      return "unknown"
    }
  }

  return {
    async check(cites: readonly MemoryCite[]): Promise<readonly CheckedCite[]> {
      const checked: CheckedCite[] = []
      for (let at = 0; at < cites.length; at += CITES_AT_ONCE) {
        const some = cites.slice(at, at + CITES_AT_ONCE)
        const found = await Promise.all(some.map((it) => find(placeOf(it))))
        checked.push(...some.map((it, index) => ({ ...it, state: stateOf(it, found[index]) })))
      }
      return checked
    },
  }
}

/** Code it rests on has changed or is gone. */
export function isStale(cites: readonly Pick<CheckedCite, "state">[]): boolean {
  return cites.some((it) => it.state === "changed" || it.state === "gone")
}

type Found = { readonly sha: string | undefined } | "unknown"

export function placeOf({ path, symbol }: MemoryCite): Place {
  return symbol === undefined ? { path } : { path, symbol }
}

function stateOf(cite: MemoryCite, found: Found | undefined): CheckedCite["state"] {
  if (found === undefined || found === "unknown") return "unchecked"
  if (found.sha === undefined) return "gone"
  // A person may cite without a hash: there is nothing to compare it with.
  if (cite.sha === "") return "unchecked"
  return found.sha === cite.sha ? "fresh" : "changed"
}
