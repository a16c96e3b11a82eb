import type { AgentEvent, Message } from "../../../contract.ts"
import {
  type Activity,
  type ApprovalEntry,
  type ContextStart,
  type Entry,
  type EntryPosition,
  type EventOf,
  eventOf,
  type Group,
  type MessageEntry,
  type PauseEntry,
  pipelinePart,
  type QuietEntry,
} from "./entry.ts"

/** Folds messages in order of sequence numbers into entries; each message is in exactly one. */
export function foldMessages(messages: readonly Message[]): readonly Entry[] {
  const fold: Fold = {
    top: [],
    activities: new Map(),
    asks: new Map(),
    pauses: new Map(),
    lastSaid: "",
  }
  for (const message of messages) addMessage(fold, message)
  return gatherSmall(fold.top)
}

type Mutable<One> = { -readonly [Key in keyof One]: One[Key] }
type GrowingActivity = Omit<Mutable<Activity>, "updates" | "children" | "told"> & {
  updates: Message[]
  children: Entry[]
  told: Message[]
}
type GrowingMessages = Omit<MessageEntry | ContextStart, "told"> & { told: Message[] }
type GrowingQuiet = Omit<QuietEntry, "messages"> & { messages: Message[] }

type Fold = {
  readonly top: Entry[]
  readonly activities: Map<string, GrowingActivity>
  readonly asks: Map<string, Mutable<ApprovalEntry>>
  /** The newest pause of each pipeline. */
  readonly pauses: Map<string, Mutable<PauseEntry>>
  lastSaid: string
}

function addMessage(fold: Fold, message: Message): void {
  const event = eventOf(message)
  if (event === undefined) {
    if (!placePipeline(fold, message)) placePlain(fold, message)
    return
  }
  switch (event.event) {
    case "activity.started":
      return startActivity(fold, message, event)
    case "activity.updated": {
      const activity = activityOf(fold, message, event.activityId)
      activity.updates.push(message)
      activity.title = event.title ?? activity.title
      return
    }
    case "activity.ended":
      activityOf(fold, message, event.activityId).ended = { message, event }
      return
    case "approval.requested":
      return askFor(fold, message, event)
    case "approval.resolved":
      return answer(fold, message, event)
    case "message":
      return addText(fold, message, event)
    case "turn.ended":
      return endTurn(fold, message, event)
    case "error":
      fold.top.push({ ...placed(message), kind: "error", message, told: [] })
      return
    default:
      // Also an event of a newer server.
      return QUIET.has(event.event) ? addHostEvent(fold.top, message) : note(fold.top, message)
  }
}

const QUIET: ReadonlySet<AgentEvent["event"]> = new Set([
  "session.started",
  "turn.started",
  "context.file",
  "context.usage",
  "cost",
  "text.delta",
])

/** At the top level even if a nested activity requests it: a waiting approval must be visible. */
function askFor(fold: Fold, message: Message, event: EventOf<"approval.requested">): void {
  const ask: Mutable<ApprovalEntry> = {
    ...placed(message),
    kind: "approval",
    message,
    event,
    resolved: null,
  }
  fold.asks.set(event.approvalId, ask)
  fold.top.push(ask)
}

function answer({ asks, top }: Fold, message: Message, event: EventOf<"approval.resolved">): void {
  const ask = asks.get(event.approvalId)
  if (ask === undefined || ask.resolved !== null) note(top, message)
  else ask.resolved = { message, event }
}

function placed(message: Message): EntryPosition {
  return { key: `m${message.seq}`, seq: message.seq, at: message.timestamp }
}

/** True if the message opens or ends a pause. */
function placePipeline({ top, pauses }: Fold, message: Message): boolean {
  const part = pipelinePart(message)
  if (part === undefined) return false
  const open = pauses.get(part.id)
  if (open !== undefined && part.part !== "document") open.isOver = true
  if (part.part === "answer" && open !== undefined && open.answer === null) {
    open.answer = message
    return true
  }
  if (part.part !== "pause") return false
  const { id: pipeline, pause } = part
  const entry: Mutable<PauseEntry> = {
    ...placed(message),
    kind: "pause",
    message,
    pipeline,
    pause,
    answer: null,
    isOver: false,
  }
  pauses.set(pipeline, entry)
  top.push(entry)
  return true
}

function placePlain({ top }: Fold, message: Message): void {
  switch (message.type) {
    case "user":
      top.push({ ...placed(message), kind: "user", message, told: [] })
      return
    case "assistant":
    case "response":
      top.push({ ...placed(message), kind: "said", message, told: [] })
      return
    case "error":
      top.push({ ...placed(message), kind: "error", message, told: [] })
      return
    case "context":
      top.push({ ...placed(message), kind: "context", message, told: [] })
      return
    case "system":
    case "tool":
      note(top, message)
      return
    default:
      message.type satisfies never
      note(top, message)
  }
}

function note(among: Entry[], message: Message): void {
  among.push({ ...placed(message), kind: "note", message })
}

function addHostEvent(among: Entry[], message: Message): void {
  const last = among.at(-1)
  if (isOpenHostGroup(last)) last.messages.push(message)
  else if (isFollowed(last)) last.told.push(message)
  else among.push({ ...placed(message), kind: "quiet", messages: [message] })
}

function isOpenHostGroup(entry: Entry | undefined): entry is GrowingQuiet {
  return entry?.kind === "quiet"
}
function isFollowed(entry: Entry | undefined): entry is GrowingMessages | GrowingActivity {
  return entry !== undefined && "told" in entry
}

function startActivity(fold: Fold, message: Message, event: EventOf<"activity.started">): void {
  const existing = fold.activities.get(event.activityId)
  if (existing !== undefined && existing.started === null) {
    existing.started = { message, event }
    return
  }
  // Looked up before the activity is registered: one that names itself as its parent is at the top
  // level.
  const list = listFor(fold, event.parentId)
  if (existing !== undefined) return note(list, message)
  const activity = newActivity(message, event.activityId)
  activity.started = { message, event }
  fold.activities.set(event.activityId, activity)
  list.push(activity)
}

function activityOf(fold: Fold, message: Message, id: string): GrowingActivity {
  const existing = fold.activities.get(id)
  // A second end would hide the first, so it starts its own entry.
  const isOver = existing?.ended !== null && existing !== undefined
  if (existing !== undefined && !isOver) return existing
  const activity = newActivity(message, id)
  if (isOver) activity.key = `m${message.seq}`
  fold.activities.set(id, activity)
  fold.top.push(activity)
  return activity
}

function newActivity(message: Message, id: string): GrowingActivity {
  const { seq, at } = placed(message)
  return {
    kind: "activity",
    key: `a:${id}`,
    seq,
    at,
    id,
    started: null,
    updates: [],
    title: null,
    ended: null,
    children: [],
    told: [],
  }
}

function listFor(fold: Fold, parentId: string | undefined): Entry[] {
  const parent = parentId === undefined ? undefined : fold.activities.get(parentId)
  return parent?.children ?? fold.top
}

function addText(fold: Fold, message: Message, event: EventOf<"message">): void {
  const list = listFor(fold, event.parentId)
  switch (event.type) {
    case "user":
      list.push({ ...placed(message), kind: "user", message, told: [] })
      return
    case "system":
      return note(list, message)
    case "assistant":
    case "response":
      if (list === fold.top) fold.lastSaid = message.content
      list.push({ ...placed(message), kind: "said", message, told: [] })
      return
    default:
      event.type satisfies never
  }
}

function endTurn(fold: Fold, message: Message, event: EventOf<"turn.ended">): void {
  const isRepeated = message.content === "" || message.content === fold.lastSaid
  fold.top.push({ ...placed(message), kind: "turn", message, event, isRepeated })
}

/** From three reads on, they are one expandable row. */
const SMALL_FROM = 3
const SMALL_KINDS: ReadonlySet<string> = new Set([
  "read",
  "search",
  "fetch",
  "mcp",
  "plan",
  "other",
])

function gatherSmall(entries: readonly Entry[]): readonly Entry[] {
  const gathered: Entry[] = []
  let run: Entry[] = []
  const flush = () => {
    const [first] = run
    if (first !== undefined && run.length >= SMALL_FROM) gathered.push(groupOf(first, run))
    else gathered.push(...run)
    run = []
  }
  for (const entry of entries) {
    if (isSmall(entry)) {
      run.push(entry)
      continue
    }
    flush()
    gathered.push(entry)
  }
  flush()
  return gathered
}

function groupOf(first: Entry, children: readonly Entry[]): Group {
  return { kind: "group", key: `g:${first.key}`, seq: first.seq, at: first.at, children }
}

function isSmall(entry: Entry): boolean {
  if (entry.kind !== "activity" || entry.children.length > 0) return false
  const outcome = entry.ended?.event.outcome ?? "done"
  return outcome === "done" && SMALL_KINDS.has(entry.started?.event.kind ?? "other")
}
