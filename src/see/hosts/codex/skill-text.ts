import { isScalar, parseDocument } from "yaml"
import { LONGEST_HEAD_UNITS } from "../limits.ts"
import { isFields } from "../record.ts"
import { firstCharacters, onOneLine } from "../unicode.ts"
import { LONGEST_DESCRIPTION_CHARACTERS, LONGEST_SKILL_NAME_CHARACTERS } from "./limits.ts"

export type SkillText = { readonly name: string; readonly description: string }

/** Name and description at the head of a SKILL.md; undefined when Codex drops the skill. */
export function readSkillText(text: string, folderName: string): SkillText | undefined {
  const block = frontmatterOf(text)
  if (block === undefined) return undefined
  const fields = parseFields(block) ?? parseFields(quoteLooseLines(block))
  if (fields === undefined) return undefined
  const given = onOneLine(fields("name") ?? "")
  const name = given === "" ? folderName : given
  const description = onOneLine(fields("description") ?? "")
  const isTooLong = Array.from(name).length > LONGEST_SKILL_NAME_CHARACTERS
  return isTooLong || description === "" ? undefined : { name, description: cut(description) }
}

/** The lines between two lines of three dashes, of which the first must be the very first. */
function frontmatterOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/)
  const isFence = (line: string | undefined) =>
    line !== undefined && /^[ \t\r]*---[ \t\r]*$/.test(line)
  if (!isFence(lines[0])) return undefined
  const end = lines.findIndex((line, index) => index > 0 && isFence(line))
  const block = end <= 1 ? undefined : lines.slice(1, end).join("\n")
  return block === undefined || block.length > LONGEST_HEAD_UNITS ? undefined : block
}

type FieldReader = (name: string) => string | undefined

/** A double key is an error here, as it is for the YAML reader of Codex. */
function parseFields(yaml: string): FieldReader | undefined {
  const document = parseDocument(yaml, { prettyErrors: false, logLevel: "silent" })
  if (document.errors.length > 0 || !isWhole(document)) return undefined
  return (name) => {
    const node: unknown = document.has(name) ? document.get(name, true) : undefined
    if (!isScalar(node) || node.value === null) return undefined
    return typeof node.value === "string" ? node.value : node.source
  }
}

/** An alias without an anchor shows only when the document is used. */
function isWhole(document: { toJS(): unknown }): boolean {
  try {
    return isFields(document.toJS())
  } catch {
    return false
  }
}

/** `description: Build for AWS: ECS` is no YAML; Codex puts such a value in quotes and tries again. */
function quoteLooseLines(yaml: string): string {
  return yaml
    .split("\n")
    .map((line) => {
      const colon = line.indexOf(":")
      const key = line.slice(0, Math.max(colon, 0))
      const [, gap, value] = /^(\s+)(\S.*)$/.exec(line.slice(colon + 1)) ?? []
      if (key.trim() === "" || gap === undefined || value === undefined) return line
      const commentAt = value.search(/^#|(?<!\s)\s+#/)
      const comment = commentAt === -1 ? "" : value.slice(commentAt)
      const scalar = value.slice(0, value.length - comment.length).trimEnd()
      return isLoose(scalar) ? `${key}:${gap}'${scalar.replaceAll("'", "''")}'${comment}` : line
    })
    .join("\n")
}

function isLoose(scalar: string): boolean {
  if (/^['"|>]/.test(scalar)) return false
  const isBrokenFlow = /^[[{@`]/.test(scalar) && parseDocument(scalar).errors.length > 0
  return isBrokenFlow || /:\s/.test(scalar)
}

function cut(description: string): string {
  const isShort = Array.from(description).length <= LONGEST_DESCRIPTION_CHARACTERS
  if (isShort) return description
  const room = LONGEST_DESCRIPTION_CHARACTERS - DOTS.length
  return firstCharacters(description, room) + DOTS
}

const DOTS = "..."
