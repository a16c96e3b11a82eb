import type { AgentEvent, Message } from "#ground/contract"
import { isRecord, oneLine, parseRecord } from "../wire/text.ts"

/** A message, and the event it was made of. */
export type Heard = { readonly message: Message; readonly event: AgentEvent | undefined }

type Named<Name extends AgentEvent["event"]> = Extract<AgentEvent, { event: Name }>

/** Each file that a diff of the run changed, with its lines, in the order of the last change. */
export function changedFiles(heard: readonly Heard[]): readonly string[] {
  const files = new Map<string, { added: number; removed: number }>()
  for (const diff of heard.flatMap(diffOf)) {
    for (const change of changesIn(diff)) {
      const before = files.get(change.path) ?? { added: 0, removed: 0 }
      files.delete(change.path)
      files.set(change.path, {
        added: before.added + change.added,
        removed: before.removed + change.removed,
      })
    }
  }
  return [...files].map(([path, it]) => `${path} (+${it.added} -${it.removed})`)
}

function diffOf({ event }: Heard): readonly string[] {
  return event?.event === "activity.ended" && event.diff !== undefined ? [event.diff] : []
}

type Change = { readonly path: string; readonly added: number; readonly removed: number }

/** One diff may be of several files; the name after a deletion is /dev/null. */
function changesIn(diff: string): readonly Change[] {
  // A line that was taken out may begin like the name of a file; a name is followed by another.
  const parts = diff.split(/^--- (?=.*\n\+\+\+ )/m).slice(1)
  return parts.map((part) => {
    const [from = "", to = "", ...lines] = part.split("\n")
    const after = to.replace(/^\+\+\+ /, "")
    const named = after === "/dev/null" ? from : after
    return {
      path: named.replace(/^[ab]\//, ""),
      added: lines.filter((it) => it.startsWith("+")).length,
      removed: lines.filter((it) => it.startsWith("-")).length,
    }
  })
}

/** Tools that failed, by what they were to do, and errors of the run. */
export function failures(heard: readonly Heard[]): readonly string[] {
  const titles = new Map<string, string>()
  return heard.flatMap(({ message, event }) => {
    if (event?.event === "activity.started") titles.set(event.activityId, event.title)
    if (message.type === "error") return [message.content]
    if (event?.event !== "activity.ended" || event.outcome !== "failed") return []
    return [`${titles.get(event.activityId) ?? "A tool"}: ${oneLine(message.content)}`]
  })
}

/** What somebody said no to. */
export function denials(heard: readonly Heard[]): readonly string[] {
  const titles = new Map<string, string>()
  return heard.flatMap(({ event }) => {
    if (event?.event === "approval.requested") titles.set(event.approvalId, event.title)
    if (event?.event !== "approval.resolved" || event.decision !== "deny") return []
    return [`Denied by ${event.by}: ${titles.get(event.approvalId) ?? "a question"}`]
  })
}

/** The steps of the agent's own list that are not done, as it last wrote it. */
export function lastPlan(heard: readonly Heard[]): readonly string[] {
  const plans = heard.flatMap(({ event }) => (isPlan(event) ? [event.input] : []))
  const todos = parseRecord(plans.at(-1) ?? "")?.["todos"]
  if (!Array.isArray(todos)) return []
  return todos.flatMap((it: unknown) => {
    const isOpen = isRecord(it) && it["status"] !== "completed"
    const text = isOpen ? it["content"] : undefined
    return typeof text === "string" ? [text] : []
  })
}

function isPlan(event: AgentEvent | undefined): event is Named<"activity.started"> {
  return event?.event === "activity.started" && event.kind === "plan"
}
