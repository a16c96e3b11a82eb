import type { VerdictKind, VerdictLine } from "#ground/contract"
import { checkRiskPaths, createRiskPaths } from "../risk-paths.ts"

/** An edit of the log that a list of risk patterns would have meant. */
export type TriedHit = {
  readonly at: number
  readonly session: string
  readonly host: string
  readonly path: string
  readonly pattern: string
  /** What was said to it then. */
  readonly was: VerdictKind
}

export type Tried = {
  readonly patterns: readonly {
    readonly pattern: string
    /** Edits that it decides: it means them, or takes them back. */
    readonly edits: number
    readonly problem: string | null
  }[]
  readonly looked: number
  /** The newest first. */
  readonly hits: readonly TriedHit[]
}

/** "Try a rule on yesterday": the edits of the log that a list of risk patterns would have meant. */
export function tryPatterns(verdicts: readonly VerdictLine[], patterns: readonly string[]): Tried {
  const riskPaths = createRiskPaths(patterns)
  const edits = editsIn(verdicts)
  const decided = edits.map((edit) => ({ edit, deciding: riskPaths.decidingFor(edit.path) }))
  const hits = decided.flatMap(({ edit, deciding }) =>
    deciding === undefined || deciding.takesBack ? [] : [{ ...edit, pattern: deciding.pattern }],
  )
  const uses = checkRiskPaths(patterns, []).map((use) => ({
    pattern: use.pattern,
    edits: decided.filter((it) => it.deciding?.pattern === use.pattern).length,
    problem: use.kind === "unusable" ? use.why : null,
  }))
  return { patterns: uses, looked: edits.length, hits: hits.toSorted((a, b) => b.at - a.at) }
}

type LoggedEdit = Omit<TriedHit, "pattern">

/**
 * An edit that was asked about before it was made stands twice in the log, before and after: what
 * follows on one that was asked about is the same edit.
 */
function editsIn(verdicts: readonly VerdictLine[]): readonly LoggedEdit[] {
  const asked = new Set<string>()
  const edits: LoggedEdit[] = []
  for (const line of verdicts.toSorted((a, b) => a.at - b.at)) {
    if (line.event !== "before-edit" && line.event !== "after-edit") continue
    const { at, session, host, verdict: was } = line
    for (const path of line.paths) {
      const key = JSON.stringify([session, path])
      const isKnown = line.event === "after-edit" && asked.delete(key)
      if (isKnown) continue
      if (line.event === "before-edit") asked.add(key)
      edits.push({ at, session, host, path, was })
    }
  }
  return edits
}
