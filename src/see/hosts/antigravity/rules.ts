import { splitFrontmatter, textField } from "../frontmatter.ts"
import type { Found } from "../host.ts"
import type { Look } from "../look.ts"
import { textsOf } from "../record.ts"
import { firstCharacters } from "../unicode.ts"
import { LONGEST_RULE_CHARACTERS } from "./limits.ts"

type RuleParts = Pick<Found, "load" | "sent" | "later"> & {
  readonly patterns?: readonly string[]
}

/** How a rule enters the window, by the trigger at its head. */
export function ruleParts(look: Look, at: string, text: string): RuleParts {
  const { fields, body } = splitFrontmatter(text)
  const kept = firstCharacters(body, LONGEST_RULE_CHARACTERS)
  const isCut = kept.length < body.length
  if (isCut) {
    const about = `Rules have room for ${LONGEST_RULE_CHARACTERS} characters; this one is longer.`
    look.note({ code: "file-cut", text: about, path: at })
  }
  switch (textField(fields, "trigger")) {
    case "glob":
      return { load: "conditional", sent: "", later: kept, patterns: globsOf(fields["globs"]) }
    case "model_decision":
      return { load: "name-only", sent: textField(fields, "description"), later: kept }
    case "manual":
      return { load: "on-demand", sent: "", later: kept }
    default:
      return { load: isCut ? "startup-capped" : "always", sent: kept, later: "" }
  }
}

function globsOf(given: unknown): readonly string[] {
  if (typeof given !== "string") return textsOf(given) ?? []
  return given
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "")
}
