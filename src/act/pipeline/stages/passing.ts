import type { StageConfig } from "#ground/contract"
import type { StageResult } from "../stage.ts"
import { isRecord } from "./records.ts"

/** The repair that an output asks for when the field that must be true is not. */
export function passing(
  { passes }: Pick<StageConfig, "passes">,
  output: unknown,
): Pick<StageResult, "failed"> {
  if (passes === undefined) return {}
  const record = isRecord(output) ? output : {}
  if (record[passes] === true) return {}
  const listed = Array.isArray(record["problems"]) ? record["problems"] : []
  const problems = listed.map((it) => (typeof it === "string" ? it : JSON.stringify(it)))
  const plain = problems.length === 0 ? [`\`${passes}\` is not true`] : problems
  return { failed: { problems: plain, feedback: plain.map((it) => `- ${it}`).join("\n") } }
}
