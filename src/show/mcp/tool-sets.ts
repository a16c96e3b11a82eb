import { z } from "zod"
import { ToolSetUnknown } from "./errors.ts"
import { TOOL_SETS, type ToolSetName } from "./tools/tool.ts"

/** `--tools core`, or nothing for the usual ones. */
export function readToolSets(given: unknown): readonly ToolSetName[] {
  const named = ToolSets.parse(given)
  if (named.length === 0) return ["core"]
  const names = named.flatMap((it) => it.split(",")).map((it) => it.trim())
  return [...new Set(names)].map(readToolSet)
}

/** One flag or several, each with one name or several. */
const ToolSets = z.union([
  z.undefined().transform(() => []),
  z.string().transform((it) => [it]),
  z.array(z.string()),
])

function readToolSet(given: string): ToolSetName {
  const known = TOOL_SETS.find((it) => it === given)
  if (known === undefined) throw ToolSetUnknown({ given, known: TOOL_SETS })
  return known
}
