import { createHash } from "node:crypto"
import { oneLine } from "#ground/base"
import { PermissionRule } from "#ground/contract"
import { isUsableGlob } from "#see/hosts"
import { titleLine } from "../wire/tool-text.ts"

export const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  "Bash",
  "PowerShell",
  "exec_command",
  "bash",
])

export function formatRule({ decision, tool = "*", command, path }: PermissionRule): string {
  const inside = [command, path].filter((it) => it !== undefined).join(", ")
  const what = inside === "" ? tool : `${tool}(${inside})`
  return oneLine(`${decision} ${what}`, 200)
}

/** Derived from the content, so that the same rule has the same id in settings and project. */
export function ruleId({ decision, tool, command, path }: PermissionRule): string {
  const content = JSON.stringify([decision, tool, command, path])
  return createHash("sha256").update(content).digest("hex").slice(0, 12)
}

export function problemWith({ tool, command, path }: PermissionRule): string | undefined {
  const isEmpty = tool === undefined && command === undefined && path === undefined
  if (isEmpty) return "it has no tool, command or path"
  if (path !== undefined && !isUsableGlob(path))
    return `${titleLine(path)} is not a valid glob pattern`
  const isBareStar = command !== undefined && command !== "*" && /[^\s*]\*$/.test(command)
  // A star directly after text looks like a prefix pattern and is not one.
  return isBareStar && !/\s/.test(command)
    ? `${titleLine(command)} needs a space before *`
    : undefined
}

type ParsedRules =
  | { readonly kind: "rules"; readonly rules: readonly PermissionRule[] }
  | { readonly kind: "wrong"; readonly problem: string }

export function parseRuleText(text: string, decision: PermissionRule["decision"]): ParsedRules {
  const rules: PermissionRule[] = []
  for (const entry of entriesOf(text)) {
    const [, tool, inside] = /^([^()\s]+)(?:\((.+)\))?$/s.exec(entry) ?? []
    if (tool === undefined) return wrong(entry, "is not of the form Tool or Tool(command or path)")
    const about = COMMAND_TOOLS.has(tool) ? { command: inside } : { path: inside }
    const parsed = PermissionRule.safeParse({
      decision,
      tool,
      ...(inside === undefined ? {} : about),
    })
    if (!parsed.success) return wrong(entry, "is too long")
    const problem = problemWith(parsed.data)
    if (problem !== undefined) return wrong(entry, `is invalid: ${problem}`)
    rules.push(parsed.data)
  }
  return { kind: "rules", rules }
}

function wrong(entry: string, what: string): ParsedRules {
  return { kind: "wrong", problem: `${titleLine(entry)} ${what}` }
}

function entriesOf(text: string): readonly string[] {
  const entries: string[] = []
  let entry = ""
  for (const piece of text.split(";")) {
    entry = entry === "" ? piece : `${entry};${piece}`
    const isOpen = entry.includes("(") && !entry.trimEnd().endsWith(")")
    if (isOpen) continue
    entries.push(entry.trim())
    entry = ""
  }
  return [...entries, entry.trim()].filter((it) => it !== "")
}
