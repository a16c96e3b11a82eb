import type { Clock } from "#ground/base"
import type { SourceHealth } from "#ground/contract"
import { type Circuit, createCircuit } from "./circuit.ts"
import { createLine, type Line } from "./line.ts"

/** What this process knows of one source. */
export type Standing = {
  readonly digest: string
  readonly circuit: Circuit
  readonly line: Line
  health: SourceHealth
  problem: string | null
  tools: readonly string[] | null
}

export type Keeper = ReturnType<typeof createKeeper>

/** The standing of each source that was asked, and the servers that are still being ended. */
export function createKeeper(clock: Clock) {
  const standings = new Map<string, Standing>()
  const ending = new Set<Promise<void>>()

  function onEnding(ended: Promise<void>): void {
    const tracked = ended.catch(() => {}).finally(() => ending.delete(tracked))
    ending.add(tracked)
  }

  function newStanding(digest: string): Standing {
    const [circuit, line] = [createCircuit(clock), createLine(clock, onEnding)]
    return { digest, circuit, line, health: "unknown", problem: null, tools: null }
  }

  return {
    find: (slug: string): Standing | undefined => standings.get(slug),
    /** Of what is described now; what was known of another description is forgotten. */
    of(slug: string, digest: string): Standing {
      const known = standings.get(slug)
      if (known?.digest === digest) return known
      known?.line.hangUp()
      const made = newStanding(digest)
      standings.set(slug, made)
      return made
    },
    async close(): Promise<void> {
      for (const { line } of standings.values()) line.hangUp()
      standings.clear()
      await Promise.all(ending)
    },
  }
}
