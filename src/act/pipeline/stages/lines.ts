import { MOST_SUMMARY_CHARACTERS } from "./limits.ts"
import { isRecord } from "./records.ts"

/** An output in one line, for the row of its stage. */
export function summarize(output: unknown): string {
  if (!isRecord(output))
    return oneLine(typeof output === "string" ? output : JSON.stringify(output))
  const counted = [
    typeof output["clarity"] === "number" ? `clarity ${output["clarity"].toFixed(2)}` : undefined,
    countOf(output["subQueries"], ["sub-query", "sub-queries"]),
    countOf(output["sections"], ["section", "sections"]),
    countOf(output["references"], ["reference", "references"]),
    countOf(output["steps"], ["step", "steps"]),
    countOf(output["problems"], ["problem", "problems"]),
    countOf(output["remarks"], ["remark", "remarks"]),
  ].filter((it) => it !== undefined)
  if (counted.length > 0) return counted.join(", ")
  const words = Object.values(output).find((it) => typeof it === "string" && it.trim() !== "")
  return oneLine(typeof words === "string" ? words : JSON.stringify(output))
}

export function countOf(list: unknown, [one, many]: readonly [string, string]) {
  if (!Array.isArray(list)) return undefined
  return `${list.length} ${list.length === 1 ? one : many}`
}

export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MOST_SUMMARY_CHARACTERS
    ? `${line.slice(0, MOST_SUMMARY_CHARACTERS - 1).trimEnd()}…`
    : line
}
