import type { RunStatus } from "#ground/contract"
import type { Claim } from "../kept/writer.ts"
import type { Live } from "./live.ts"

export type Working = {
  readonly claim: Claim
  /** Undefined until its agent is there to be told something. */
  live: Live | undefined
  readonly done: Promise<RunStatus>
}

export type Roster = ReturnType<typeof createRoster>

/** Which runs this process works on, and who wants to know when that changes. */
export function createRoster() {
  const working = new Map<string, Working>()
  const changed = new Set<() => void>()
  const tell = (): void => {
    for (const it of changed) it()
  }
  return {
    size: () => working.size,
    has: (runId: string): boolean => working.has(runId),
    find: (runId: string): Working | undefined => working.get(runId),
    all: (): Working[] => [...working.values()],
    claims: (): Claim[] => [...working.values()].map((it) => it.claim),
    ready: (): Claim[] =>
      [...working.values()].flatMap((it) => (it.live === undefined ? [] : [it.claim])),
    onChange: (listener: () => void) => void changed.add(listener),
    tell,
    add: (runId: string, it: Working) => void working.set(runId, it),
    remove(runId: string): void {
      working.delete(runId)
      tell()
    },
  }
}
