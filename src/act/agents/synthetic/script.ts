import { z } from "zod"
import { AgentEvent } from "#ground/contract"
import { ScriptInvalid, ScriptUnknown } from "../wire/errors.ts"
import { oneLine, parseRecord } from "../wire/text.ts"
import { SCRIPTS } from "./scripts.ts"

/** One line of a script: an event, and how long after the one before it comes. */
export type Step = { readonly afterMs: number; readonly event: AgentEvent }

/** A script of a demo has some thousands of lines; each is an event in memory. */
const MOST_STEPS = 100_000

/** An hour between two events is a mistake in the unit. */
const After = z.number().nonnegative().max(3_600_000).default(0)

/** What is to be played: a shipped script by its name, or JSON lines. */
export function readScript(script: string): readonly Step[] {
  const isName = !script.trimStart().startsWith("{")
  if (!isName) return parseScript(script)
  const name = script.trim()
  const shipped = SCRIPTS.get(name)
  if (shipped === undefined)
    throw ScriptUnknown({ name: oneLine(name), names: [...SCRIPTS.keys()] })
  return shipped()
}

function parseScript(text: string): readonly Step[] {
  const lines = text.split("\n")
  if (lines.length > MOST_STEPS) {
    throw ScriptInvalid({ line: MOST_STEPS + 1, problem: `more than ${MOST_STEPS} lines` })
  }
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [parseStep(line, index + 1)]))
}

function parseStep(text: string, line: number): Step {
  const record = parseRecord(text)
  if (record === undefined) throw ScriptInvalid({ line, problem: "not a JSON object" })
  const after = After.safeParse(record["after"])
  if (!after.success) throw ScriptInvalid({ line, problem: "`after` is no time in milliseconds" })
  const event = AgentEvent.safeParse(record)
  if (event.success) return { afterMs: after.data, event: event.data }
  const [issue] = event.error.issues
  const problem = oneLine(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`)
  throw ScriptInvalid({ line, problem })
}
