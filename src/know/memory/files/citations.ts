import type { Log } from "#ground/base"
import type { Memory, MemoryCite } from "#ground/contract"

const CITES_AT_ONCE = 16

const MOST_CHECKED_CITES = 5_000

export type CitePlace = { readonly path: string; readonly symbol?: string }

export type HashOf = (place: CitePlace) => Promise<string | undefined>

type CheckedCite = Memory["cites"][number]

/** `path#symbol`; a file name may contain `#`, so the last one counts. */
export function parseCite(cite: string): CitePlace {
  const at = cite.lastIndexOf("#")
  const isWhole = at <= 0 || at === cite.length - 1
  return isWhole ? { path: cite } : { path: cite.slice(0, at), symbol: cite.slice(at + 1) }
}

export function isPathBelowRoot(path: string): boolean {
  return (
    !path.includes("\\") &&
    !path.startsWith("/") &&
    path.split("/").every((it) => it !== "" && it !== "." && it !== "..")
  )
}

/** Looks up each place once. A failed lookup is "unchecked". */
export function createCiteCheck(deps: { readonly hashOf: HashOf; readonly log: Log }) {
  const lookups = new Map<string, Promise<CiteLookup>>()

  function find(cited: CitePlace): Promise<CiteLookup> {
    const key = JSON.stringify([cited.path, cited.symbol])
    const before = lookups.get(key)
    if (before !== undefined) return before
    if (lookups.size >= MOST_CHECKED_CITES) return Promise.resolve("unknown")
    const lookup = look(cited)
    lookups.set(key, lookup)
    return lookup
  }

  async function look(cited: CitePlace): Promise<CiteLookup> {
    try {
      return { sha: isPathBelowRoot(cited.path) ? await deps.hashOf(cited) : undefined }
    } catch (error) {
      deps.log.warn("a citation could not be checked", { error })
      return "unknown"
    }
  }

  return {
    async check(cites: readonly MemoryCite[]): Promise<readonly CheckedCite[]> {
      const checked: CheckedCite[] = []
      for (let at = 0; at < cites.length; at += CITES_AT_ONCE) {
        const some = cites.slice(at, at + CITES_AT_ONCE)
        const results = await Promise.all(some.map((it) => find(placeOf(it))))
        checked.push(...some.map((it, index) => ({ ...it, state: stateOf(it, results[index]) })))
      }
      return checked
    },
  }
}

export function isStale(cites: readonly Pick<CheckedCite, "state">[]): boolean {
  return cites.some((it) => it.state === "changed" || it.state === "gone")
}

type CiteLookup = { readonly sha: string | undefined } | "unknown"

export function placeOf({ path, symbol }: MemoryCite): CitePlace {
  return symbol === undefined ? { path } : { path, symbol }
}

function stateOf(cite: MemoryCite, lookup: CiteLookup | undefined): CheckedCite["state"] {
  if (lookup === undefined || lookup === "unknown") return "unchecked"
  if (lookup.sha === undefined) return "gone"
  // A user may cite without a hash.
  if (cite.sha === "") return "unchecked"
  return lookup.sha === cite.sha ? "fresh" : "changed"
}
