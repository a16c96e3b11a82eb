import type { VerdictLine } from "#ground/contract"
import { parseJson } from "./parse-json.ts"
import type { Scene } from "./scene.ts"

/** What the log and the model saw of a story. */
export type Seen = {
  readonly verdicts: readonly VerdictLine[]
  /** Size of our context at the start; null when it did not reach the model. */
  readonly bootBytes: number | null
  readonly hasPackage: boolean
  readonly wasRiskRefused: boolean
  /** How often the end was held up. */
  readonly nudges: number
}

export function lookAt(
  asked: readonly string[],
  verdicts: readonly VerdictLine[],
  { marks }: Pick<Scene, "marks">,
): Seen {
  const main = asked.filter((it) => it.includes(marks.main))
  const ofAgents = asked.filter((it) => !it.includes(marks.main) && it.includes(marks.agent))
  return {
    verdicts,
    bootBytes: sizeOfContext(main[0] ?? "", marks.boot),
    hasPackage: ofAgents.some((it) => it.includes(marks.package)),
    wasRiskRefused: verdicts.some((it) => it.rule === "risk" && it.verdict === "deny"),
    nudges: verdicts.filter((it) => it.rule === "drift" && it.verdict === "block").length,
  }
}

/** The text with the mark in it, without what the host puts before and after it. */
function sizeOfContext(body: string, mark: string): number | null {
  const texts = textsIn(parseJson(body)).filter((it) => it.includes(mark))
  const [shortest] = texts.toSorted((a, b) => a.length - b.length)
  if (shortest === undefined) return null
  const [before = "", after = ""] = splitAt(shortest.replace(HEAD_OF_HOST, ""), mark)
  return Buffer.byteLength(`${before}${mark}${after.replace(REST_OF_HOST, "")}`)
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

/** Claude Code has our text and its own in one message; ours has no headings. */
const HEAD_OF_HOST = /^[\s\S]*?SessionStart hook additional context: /
const REST_OF_HOST = /\n\n# [\s\S]*$/

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap((it) => textsIn(it))
}
