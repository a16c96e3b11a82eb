import { visibleLine } from "../../base/format.ts"
import {
  formatExact,
  type KbBy,
  type KbDocument,
  type KbHit,
  type KbStatus,
  type KbTier,
  plural,
} from "../../contract.ts"

export const TIERS: Readonly<
  Record<KbTier, { readonly label: string; readonly description: string }>
> = {
  primary: { label: "Primary", description: "authoritative: rules, specifications, contracts" },
  guide: { label: "Guide", description: "explains the primary documents, does not overrule them" },
  web: { label: "Web", description: "from the web, least trusted" },
}

export function describeSearchMethod({ meaning, note, related = false }: KbBy): string {
  if (meaning !== null) return `Searched by words and by meaning (${visibleLine(meaning)})`
  const how = related ? "Searched by words and related words" : "Searched by words only"
  return note === null ? how : `${how}: ${visibleLine(note)}`
}

export function describeTotals({ documents, paragraphs, references }: KbStatus): string {
  return [
    plural(documents, "document"),
    plural(paragraphs, "paragraph"),
    plural(references, "reference"),
  ].join(", ")
}

export function describeReasons({ words, meaning, hop, matched }: KbHit): string {
  const which = matched.length === 0 ? "" : ` (${matched.map(visibleLine).join(", ")})`
  const kind = matched.length === 0 ? "related words" : "words"
  const parts = [
    words === null ? "" : `${kind}, rank ${formatExact(words)}${which}`,
    meaning === null ? "" : `meaning, rank ${formatExact(meaning)}`,
    hop === null ? "" : `${plural(hop.depth, "hop")} over ${visibleLine(hop.kind)}`,
  ].filter((it) => it !== "")
  if (words !== null && meaning !== null) return `both: ${parts.join("; ")}`
  return parts.join("; ")
}

export function formatHeadings(headings: readonly string[]): string {
  return headings.map(visibleLine).join(" / ")
}

export function describeDocument({ paragraphs, references }: KbDocument): string {
  return `${plural(paragraphs, "paragraph")}, ${plural(references, "reference")}`
}
