import { inputText, titleLine } from "../wire/tool-text.ts"
import { wholeDiff, writtenDiff } from "../wire/unified-diff.ts"
import type { Change, Item } from "./schema.ts"

type Activity = Exclude<Item, { type: "agentMessage" | "contextCompaction" }>

export function startedActivity(item: Activity, redact: (text: string) => string) {
  const { title, ...rest } = describedActivity(item)
  return { ...rest, title: titleLine(redact(title)) || rest.tool }
}

function describedActivity(item: Activity) {
  switch (item.type) {
    case "commandExecution":
      return about("command", "exec_command", { title: bare(item.command), input: item.command })
    case "fileChange": {
      const paths = item.changes.map((it) => it.path)
      const input = inputText(item.changes.map(changeOf))
      return about("edit", "apply_patch", { title: paths.join(", "), input, path: paths[0] })
    }
    case "mcpToolCall": {
      const tool = `${item.server}.${item.tool}`
      return about("mcp", tool, { title: tool, input: inputText(item.arguments) })
    }
    case "collabAgentToolCall": {
      const prompt = item.prompt ?? ""
      return about("agent", item.tool, { title: `${item.tool} ${prompt}`, input: prompt })
    }
    case "webSearch":
      return about("search", "web_search", { title: item.query, input: item.query })
    case "imageView":
      return about("read", "view_image", { title: item.path, input: item.path, path: item.path })
    case "plan":
      return about("plan", "plan", { title: item.text, input: "" })
    default:
      return item satisfies never
  }
}

/** A moved file has two names, and the approval must show both. */
function changeOf({ path, kind }: Change): object {
  const { type, move_path: to } = kind
  return typeof to === "string" ? { path, kind: type, to } : { path, kind: type }
}

export function pathsOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ path, kind }) =>
    typeof kind.move_path === "string" ? [path, kind.move_path] : [path],
  )
}

type ItemSummary = {
  readonly title: string
  readonly input: string
  readonly path?: string | undefined
}

function about<const Kind extends string>(kind: Kind, tool: string, it: ItemSummary) {
  return { kind, tool, input: it.input, path: it.path, title: it.title }
}

function bare(command: string): string {
  return /^\S*sh -l?c '(?<inner>[\s\S]*)'$/.exec(command)?.groups?.["inner"] ?? command
}

export function endedActivity(item: Activity) {
  switch (item.type) {
    case "commandExecution":
      return { ...ending(item.status, item.durationMs), output: item.aggregatedOutput ?? "" }
    case "fileChange":
      return { ...ending(item.status), output: "", diff: diffOf(item) }
    case "mcpToolCall": {
      const output = item.error?.message ?? inputText(item.result)
      return { ...ending(item.status, item.durationMs), output }
    }
    case "collabAgentToolCall":
      return { ...ending(item.status), output: "" }
    case "plan":
      return { ...ending("completed"), output: item.text }
    case "webSearch":
    case "imageView":
      return { ...ending("completed"), output: "" }
    default:
      return item satisfies never
  }
}

function ending(status: string, durationMs?: number | null) {
  const failed = status === "failed" ? "failed" : "done"
  const outcome = status === "declined" ? "denied" : failed
  const took = durationMs === undefined || durationMs === null ? undefined : Math.round(durationMs)
  return { outcome, durationMs: took } as const
}

function diffOf(item: Extract<Item, { type: "fileChange" }>): string | undefined {
  const wasMade = item.status === "completed" || item.status === "inProgress"
  return wasMade && item.changes.length > 0 ? item.changes.map(changeDiff).join("") : undefined
}

function changeDiff(change: Change): string {
  switch (change.kind.type) {
    case "add":
      return wholeDiff(change.path, change.diff, "added")
    case "delete":
      return wholeDiff(change.path, change.diff, "deleted")
    default:
      return writtenDiff(change.path, change.diff)
  }
}
