import path from "node:path"
import { z } from "zod"
import { parseJsonRecord } from "#ground/base"
import { type AgentEvent, type AgentsContext, ContextPart, type Message } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { changesIn } from "../wire/unified-diff.ts"

/** Files, changed files and compactions of one run; the newest of them stay. */
const MAX_LISTED = 2_000

type File = {
  readonly path: string
  readonly reason: string
  readonly tokens: number | null
  readonly seq: number
  readonly turn: number
}
type Change = AgentsContext["changes"][number]
type Part = AgentsContext["parts"][number]
type About = { readonly path: string; readonly isRead: boolean }

type State = Pick<AgentsContext, "used" | "window" | "kinds"> & {
  cwd: string | undefined
  /** Counted from the first turn; what comes before it belongs to it. */
  turn: number
  /** Number of the message that told of the last compaction. */
  compactedAt: number
  readonly files: Map<string, File>
  readonly changes: Map<string, Change>
  readonly parts: Map<string, Part>
  readonly compactions: AgentsContext["compactions"]
  /** Activities that read or edit a file and have not ended. */
  readonly open: Map<string, About>
}

/** What is in an agent's window, where it came from and what the run changed, page by page. */
export function createContextView() {
  const state: State = {
    used: null,
    window: null,
    kinds: [],
    cwd: undefined,
    turn: 0,
    compactedAt: 0,
    files: new Map(),
    changes: new Map(),
    parts: new Map(),
    compactions: [],
    open: new Map(),
  }
  return {
    /** The next messages, in their order. */
    take(messages: readonly Message[]): void {
      for (const message of messages) takeOne(state, message)
    },
    result(): AgentsContext {
      const { used, window, kinds, compactions, changes, files, parts } = state
      return {
        used,
        window,
        // The wire is another room's to know; whoever puts both together fills it in.
        wire: null,
        kinds: [...kinds],
        files: [...files.values()].map((it) => shown(state, it)),
        parts: [...parts.values()],
        compactions: [...compactions],
        changes: [...changes.values()],
      }
    },
  }
}

function shown({ turn, compactedAt }: State, file: File): AgentsContext["files"][number] {
  const { turn: cameIn, ...rest } = file
  return {
    ...rest,
    isThisTurn: Math.max(1, cameIn) === Math.max(1, turn),
    isBeforeCompaction: file.seq < compactedAt,
  }
}

function takeOne(state: State, message: Message): void {
  if (message.type === "context") return takeCapture(state, message)
  if (message.type === "user") return takeParts(state, message)
  const event = eventOf(message)
  if (event !== undefined) follow(state, event, message)
}

const Parts = z.array(ContextPart.omit({ text: true }))

/** What a turn was told before its own words; the same part again is newer. */
function takeParts(state: State, { metadata, seq }: Message): void {
  const parts = Parts.safeParse(metadata["parts"])
  for (const part of parts.success ? parts.data : []) {
    putLast(state.parts, part.label, { ...part, seq })
  }
}

function follow(state: State, event: AgentEvent, { seq, timestamp }: Message): void {
  switch (event.event) {
    case "session.started":
      state.cwd = event.cwd
      break
    case "turn.started":
      state.turn += 1
      break
    case "turn.ended":
      state.open.clear()
      break
    case "context.usage":
      Object.assign(state, { used: event.used, window: event.window, kinds: event.kinds })
      break
    case "context.compacted":
      state.used = event.tokensAfter ?? state.used
      state.compactedAt = seq
      state.compactions.push({ seq, at: timestamp })
      if (state.compactions.length > MAX_LISTED) state.compactions.shift()
      break
    case "context.file":
      addFile(state, { ...event, tokens: event.tokens ?? null, seq })
      break
    case "activity.started":
      beginActivity(state, event)
      break
    case "activity.ended":
      endActivity(state, event, seq)
      break
    default:
      break
  }
}

type Ended = Extract<AgentEvent, { event: "activity.ended" }>

function beginActivity(
  state: State,
  event: Extract<AgentEvent, { event: "activity.started" }>,
): void {
  if (event.path === undefined) return
  state.open.set(event.activityId, { path: event.path, isRead: event.kind === "read" })
}

/** Only what was really read is in the window, and only what was really edited has changed. */
function endActivity(state: State, event: Ended, seq: number): void {
  const about = state.open.get(event.activityId)
  state.open.delete(event.activityId)
  if (event.outcome !== "done") return
  if (about?.isRead === true) {
    addFile(state, { path: about.path, reason: "read", tokens: null, seq })
  }
  const changes = changesIn(event.diff ?? "")
  // A header has lost the slash of an absolute path; the tool was given the path itself.
  const known = changes.length === 1 ? about?.path : undefined
  for (const change of changes) {
    addChange(state, { ...change, path: known ?? headerPath(state, change.path), seq })
  }
}

/** The same file again is newer; why it came stays, unless the window was compacted since. */
function addFile(state: State, file: Omit<File, "turn">): void {
  const { key, label } = placeOf(state, file.path)
  const before = state.files.get(key)
  const isKept = before !== undefined && before.seq >= state.compactedAt
  const { reason, tokens } = file
  putLast(state.files, key, {
    path: label,
    reason: isKept ? before.reason : reason,
    tokens: tokens ?? (isKept ? before.tokens : null),
    seq: file.seq,
    turn: state.turn,
  })
}

function addChange(state: State, change: Change): void {
  const { key, label } = placeOf(state, change.path)
  const before = state.changes.get(key)
  putLast(state.changes, key, {
    path: label,
    added: change.added + (before?.added ?? 0),
    removed: change.removed + (before?.removed ?? 0),
    seq: change.seq,
  })
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_LISTED && oldest !== undefined) map.delete(oldest)
}

/** One file under one name: from the working directory when it lies below it. */
function placeOf({ cwd }: State, file: string): { readonly key: string; readonly label: string } {
  // A name in angle brackets is no file.
  if (cwd === undefined || file.startsWith("<")) return { key: file, label: file }
  const key = path.resolve(cwd, file)
  const way = path.relative(cwd, key)
  const isBelow = way !== "" && !way.startsWith("..") && !path.isAbsolute(way)
  return { key, label: isBelow ? way : key }
}

function headerPath({ cwd }: State, name: string): string {
  const rooted = `/${name}`
  return cwd !== undefined && rooted.startsWith(`${cwd}/`) ? rooted : name
}

/** The figures of the context message, as far as a list of files needs them. */
const CaptureRaw = z.object({
  type: z.literal("context_estimation"),
  files: z.array(z.object({ path: z.string(), source: z.string() })),
})

/** Found and shown in the message, but read by the host alone: settings, servers, its own state. */
const NOT_IN_WINDOW = /settings$|^host-state$|^mcp-config$|^hooks$/

function takeCapture(state: State, { raw, seq }: Message): void {
  const capture = CaptureRaw.safeParse(parseJsonRecord(raw ?? ""))
  if (!capture.success) return
  const inWindow = capture.data.files.filter((it) => !NOT_IN_WINDOW.test(it.source))
  for (const { path: file, source } of inWindow) {
    addFile(state, { path: file, reason: source, tokens: null, seq })
  }
}
