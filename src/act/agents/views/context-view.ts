import path from "node:path"
import { z } from "zod"
import { isInside, parseJsonRecord } from "#ground/base"
import { type AgentEvent, type AgentsContext, ContextPart, type Message } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { changesIn } from "../wire/unified-diff.ts"

/** Files, changed files and compactions of one run; the newest stay. */
const MAX_LISTED = 2_000

type ContextFile = {
  readonly path: string
  readonly reason: string
  readonly tokens: number | null
  readonly seq: number
  readonly turn: number
}
type Change = AgentsContext["changes"][number]

const Parts = z.array(ContextPart.omit({ text: true }))

const CapturedFiles = z.object({
  type: z.literal("context_estimation"),
  files: z.array(z.object({ path: z.string(), source: z.string() })),
})

const WindowItems = z.array(
  z.object({ path: z.string(), reason: z.string(), tokens: z.int().nonnegative() }),
)

/** For messages without `inWindow`. In the context message, but read only by the host: settings, servers, its own state. */
const NOT_IN_WINDOW = /settings$|^host-state$|^mcp-config$|^hooks$/

export function createContextView() {
  const files = new Map<string, ContextFile>()
  const changes = new Map<string, Change>()
  const parts = new Map<string, AgentsContext["parts"][number]>()
  const compactions: AgentsContext["compactions"] = []
  const open = new Map<string, { readonly path: string; readonly isRead: boolean }>()
  let usage: Pick<AgentsContext, "used" | "window" | "kinds"> = {
    used: null,
    window: null,
    kinds: [],
  }
  let cwd: string | undefined
  let turn = 0
  let compactedAt = 0

  function nameOf(file: string): { readonly key: string; readonly label: string } {
    // A name in angle brackets is not a file.
    if (cwd === undefined || file.startsWith("<")) return { key: file, label: file }
    const key = path.resolve(cwd, file)
    const way = path.relative(cwd, key)
    return { key, label: way !== "" && isInside(cwd, key) ? way : key }
  }
  /**
   * A repeated file replaces the earlier entry; its reason stays, unless the window was compacted
   * since.
   */
  function addFile({ path: file, reason, tokens, seq }: Omit<ContextFile, "turn">): void {
    const { key, label } = nameOf(file)
    const before = files.get(key)
    const entry = before !== undefined && before.seq >= compactedAt ? before : undefined
    putLast(files, key, {
      path: label,
      reason: entry?.reason ?? reason,
      tokens: tokens ?? entry?.tokens ?? null,
      seq,
      turn,
    })
  }
  function addChange({ path: file, added, removed, seq }: Change): void {
    const { key, label } = nameOf(file)
    const before = changes.get(key)
    putLast(changes, key, {
      path: label,
      added: added + (before?.added ?? 0),
      removed: removed + (before?.removed ?? 0),
      seq,
    })
  }
  /** Only files that were really read are in the window, and only really edited ones changed. */
  function endActivity(event: Extract<AgentEvent, { event: "activity.ended" }>, seq: number): void {
    const activity = open.get(event.activityId)
    open.delete(event.activityId)
    if (event.outcome !== "done") return
    if (activity?.isRead === true) {
      addFile({ path: activity.path, reason: "read", tokens: null, seq })
    }
    const changed = changesIn(event.diff ?? "")
    for (const change of changed) {
      // A diff header has lost the slash of an absolute path; the tool's input has the path itself.
      const rooted = `/${change.path}`
      const isRooted = cwd !== undefined && rooted.startsWith(`${cwd}/`)
      const inHeader = isRooted ? rooted : change.path
      const file = changed.length === 1 ? (activity?.path ?? inHeader) : inHeader
      addChange({ ...change, path: file, seq })
    }
  }
  function takeEvent(event: AgentEvent, { seq, timestamp }: Message): void {
    switch (event.event) {
      case "session.started":
        cwd = event.cwd
        break
      case "turn.started":
        turn += 1
        break
      case "turn.ended":
        open.clear()
        break
      case "context.usage":
        usage = { used: event.used, window: event.window, kinds: event.kinds }
        break
      case "context.compacted":
        usage = { ...usage, used: event.tokensAfter ?? usage.used }
        compactedAt = seq
        compactions.push({ seq, at: timestamp })
        if (compactions.length > MAX_LISTED) compactions.shift()
        break
      case "context.file":
        addFile({ ...event, tokens: event.tokens ?? null, seq })
        break
      case "activity.started":
        if (event.path === undefined) break
        open.set(event.activityId, { path: event.path, isRead: event.kind === "read" })
        break
      case "activity.ended":
        endActivity(event, seq)
        break
      default:
        break
    }
  }
  function takeMessage(message: Message): void {
    const { type, metadata, raw, seq } = message
    if (type === "user") {
      for (const part of Parts.safeParse(metadata["parts"]).data ?? []) {
        putLast(parts, part.label, { ...part, seq })
      }
    } else if (type === "context") {
      const inWindow = WindowItems.safeParse(metadata["inWindow"]).data
      for (const it of inWindow ?? []) addFile({ ...it, seq })
      if (inWindow !== undefined) return
      const captured = CapturedFiles.safeParse(parseJsonRecord(raw ?? "")).data?.files ?? []
      for (const { path: file, source } of captured) {
        if (NOT_IN_WINDOW.test(source)) continue
        addFile({ path: file, reason: source, tokens: null, seq })
      }
    } else {
      const event = eventOf(message)
      if (event !== undefined) takeEvent(event, message)
    }
  }
  return {
    take: (messages: readonly Message[]): void => messages.forEach(takeMessage),
    result: (): AgentsContext => ({
      used: usage.used,
      window: usage.window,
      // Filled in by the code that also has the gateway.
      wire: null,
      kinds: [...usage.kinds],
      files: [...files.values()].map(({ turn: cameIn, ...file }) => ({
        ...file,
        isThisTurn: Math.max(1, cameIn) === Math.max(1, turn),
        isBeforeCompaction: file.seq < compactedAt,
      })),
      parts: [...parts.values()],
      compactions: [...compactions],
      changes: [...changes.values()],
    }),
  }
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_LISTED && oldest !== undefined) map.delete(oldest)
}
