import { formatScore } from "../../base/format.ts"
import { formatExact, type PackDiff, plural } from "../../contract.ts"
import { FORM_WORDS } from "./words.ts"

type Change = PackDiff["changes"][number]

export type ChangeLine =
  | { readonly kind: "change"; readonly key: string; readonly change: Change }
  | {
      readonly kind: "heading"
      readonly key: string
      readonly name: string
      readonly count?: number
      readonly sum: string
    }

const GROUPS = [
  { change: "added", name: "Added" },
  { change: "removed", name: "Removed" },
  { change: "changed", name: "Changed" },
  { change: "same", name: "Unchanged text" },
] as const satisfies readonly { readonly change: Change["change"]; readonly name: string }[]

export function changeLines({
  changes,
  recordsBefore,
  recordsAfter,
}: PackDiff): readonly ChangeLine[] {
  const records = recordsAfter - recordsBefore
  const files = GROUPS.flatMap(({ change, name }): readonly ChangeLine[] => {
    const members = changes.filter((it) => it.change === change)
    if (members.length === 0) return []
    const grown = members.reduce((sum, it) => sum + it.tokensAfter - it.tokensBefore, 0)
    const rows = members.map((it): ChangeLine => ({ kind: "change", key: it.path, change: it }))
    // The frame around an unchanged text may change, so its tokens count as well.
    const sum = change === "same" && grown === 0 ? "" : formatSigned(grown)
    return [{ kind: "heading", key: `group:${change}`, name, count: members.length, sum }, ...rows]
  })
  if (records === 0) return files
  const name = "Memories, tickets and documents"
  return [...files, { kind: "heading", key: "records", name, sum: formatSigned(records) }]
}

export function describeChange({ formBefore, formAfter, scoreBefore, scoreAfter }: Change): string {
  const form = (it: Change["formBefore"]) => (it === null ? "" : FORM_WORDS[it].description)
  const forms =
    formBefore === null || formAfter === null || formBefore === formAfter
      ? form(formAfter ?? formBefore)
      : `${form(formBefore)} to ${form(formAfter)}`
  const hasMoved =
    scoreBefore !== null &&
    scoreAfter !== null &&
    formatScore(scoreBefore) !== formatScore(scoreAfter)
  const scores = hasMoved ? `${formatScore(scoreBefore)} to ${formatScore(scoreAfter)}` : ""
  return [forms, scores].filter(Boolean).join(", ")
}

export function describeTotals({ from, to, changes }: PackDiff): string {
  const differing = changes.filter((it) => it.change !== "same").length
  return `${plural(differing, "change")}, ${formatExact(from.tokens)} to ${formatExact(to.tokens)} tokens, ${formatSigned(to.tokens - from.tokens)}`
}

export function formatSigned(tokens: number): string {
  if (tokens === 0) return "0"
  return tokens > 0 ? `+${formatExact(tokens)}` : `−${formatExact(-tokens)}`
}
