import { parseJsonRecord } from "#ground/base/json"
import { visible, visibleLine } from "../base/format.ts"
import type { Approval } from "../contract.ts"

export type ApprovalQuestion = {
  readonly verb: "run" | "change" | "use"
  readonly subject: string
  readonly text: string
  /** A row offers Allow only if this is true: no part of the request is left out. */
  readonly isWhole: boolean
}

const COMMAND_FIELDS = ["command", "cmd", "script"] as const
/** Only the reason; leaving it out of a row hides nothing that the command does. */
const WHY_FIELD = "description"

export function describeAsk({ tool, title, input, ...approval }: Approval): ApprovalQuestion {
  const fields = parseJsonRecord(input)
  const path = approval.path ?? (fields === undefined ? null : fileIn(fields))
  const command = fields === undefined ? undefined : commandIn(fields)
  if (command !== undefined) {
    const shownFields = new Set<string>([command.field, WHY_FIELD])
    const rest = Object.entries(fields ?? {}).filter(([name]) => !shownFields.has(name))
    const more = rest.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    const text = visible([command.text, ...more].join("\n"))
    return { verb: "run", subject: visibleLine(command.text), text, isWhole: isOneLine(text) }
  }
  const text = fields === undefined ? visible(input) : visible(JSON.stringify(fields, null, 2))
  // The new file content does not fit a row; the user has to open it.
  if (path !== null) return { verb: "change", subject: visibleLine(path), text, isWhole: false }
  const isCommand = /bash|shell|exec|command/i.test(tool) && fields === undefined
  if (isCommand && input !== "") {
    return { verb: "run", subject: visibleLine(input), text, isWhole: isOneLine(text) }
  }
  const isNamed = title.toLowerCase().includes(tool.toLowerCase())
  const words = [isNamed ? "" : tool, title].filter((it) => it !== "")
  const subject = visibleLine(words.join(", "))
  return { verb: "use", subject, text, isWhole: false }
}

/**
 * The rule that "Always allow" writes: this command, this file, or a tool that has neither. Null if
 * the engine writes no rule.
 */
export function describeRule(approval: Approval): string | null {
  const { tool } = approval
  const fields = parseJsonRecord(approval.input) ?? {}
  // A request beyond the tool's sandbox is never allowed by a rule.
  if (fields["dangerouslyDisableSandbox"] === true) return null
  const name = visibleLine(tool)
  if (describeAsk(approval).verb === "run") return `allow ${name} to run exactly this command`
  const path = approval.path ?? fileIn(fields)
  if (path !== null) return `allow ${name} on ${visibleLine(path)}`
  return tool.startsWith("mcp__") ? `allow ${name} with any arguments` : null
}

export function describeAnswer({ status, answeredBy }: Approval): string {
  switch (status) {
    case "open":
      return "not answered yet"
    case "expired":
      return "expired without an answer"
    case "allowed":
    case "denied":
      return answeredBy === null ? status : `${status} by ${visibleLine(answeredBy)}`
    default:
      return status satisfies never
  }
}

type Fields = Readonly<Record<string, unknown>>

function commandIn(fields: Fields): { field: string; text: string } | undefined {
  const field = COMMAND_FIELDS.find((it) => fields[it] !== undefined)
  const command = field === undefined ? undefined : fields[field]
  if (field === undefined) return undefined
  if (typeof command === "string") return { field, text: command }
  const isWords = Array.isArray(command) && command.every((it) => typeof it === "string")
  // An argument list is shown as JSON: joined by spaces, two arguments would look like one.
  return isWords ? { field, text: JSON.stringify(command) } : undefined
}

function fileIn(fields: Fields): string | null {
  const file = fields["file_path"] ?? fields["notebook_path"] ?? fields["path"]
  return typeof file === "string" && file !== "" ? file : null
}

function isOneLine(text: string): boolean {
  return !/[\n\t]/.test(text)
}
