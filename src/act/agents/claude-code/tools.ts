import type { ActivityKind } from "#ground/contract"
import { textField, titleLine } from "../wire/tool-text.ts"
import { hunksDiff, wholeDiff } from "../wire/unified-diff.ts"
import { Patch } from "./schema.ts"

const KINDS: Readonly<Record<string, ActivityKind>> = {
  Read: "read",
  NotebookRead: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Bash: "command",
  PowerShell: "command",
  BashOutput: "command",
  Glob: "search",
  Grep: "search",
  ToolSearch: "search",
  WebSearch: "search",
  WebFetch: "fetch",
  Agent: "agent",
  Task: "agent",
  Workflow: "agent",
  TodoWrite: "plan",
  ExitPlanMode: "plan",
}

export function kindOf(tool: string): ActivityKind {
  return tool.startsWith("mcp__") ? "mcp" : (KINDS[tool] ?? "other")
}

export function pathOf(input: unknown): string | undefined {
  return textField(input, "file_path", "notebook_path", "path")
}

/**
 * The model writes the description and may put anything there, so it comes after the other fields.
 */
export function titleOf(tool: string, input: unknown, redact: (text: string) => string): string {
  const about = textField(input, "command", "pattern", "query", "url", "description", "prompt")
  return titleLine(redact(`${tool} ${pathOf(input) ?? about ?? ""}`))
}

export function diffOf(toolUseResult: unknown): string | undefined {
  const patch = Patch.safeParse(toolUseResult)
  if (!patch.success) return undefined
  const { filePath, structuredPatch, content, originalFile } = patch.data
  if (structuredPatch.length > 0) return hunksDiff(filePath, structuredPatch)
  const isNew = content !== undefined && (originalFile === null || originalFile === undefined)
  return isNew ? wholeDiff(filePath, content, "added") : undefined
}
