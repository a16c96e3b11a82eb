import { z } from "zod"

export type EventDefinition<Name extends string, Body extends z.ZodType> = {
  readonly name: Name
  readonly version: number
  readonly summary: string
  readonly body: Body
  /** Converts a stored body of an earlier version to this one. */
  readonly lift?: LiftBody
}

type StoredBody = Readonly<Record<string, unknown>>
type LiftBody = (body: StoredBody, version: number) => StoredBody

/** Names are `room.past-tense`; the version rises when the body changes its meaning. */
export function defineEvent<const Name extends `${string}.${string}`, Body extends z.ZodType>(
  name: Name,
  definition: { version: number; summary: string; body: Body; lift?: LiftBody },
): EventDefinition<Name, Body>
export function defineEvent(name: string, definition: object): object {
  // Copies getters as such: the bundle builds `body` at its first use.
  return Object.defineProperties({ name }, Object.getOwnPropertyDescriptors(definition))
}

const RunRef = z.object({ id: z.string() })
const AgentsCommanded = defineEvent("agents.commanded", {
  version: 1,
  summary: "A turn or command is queued for the process that drives a run",
  body: RunRef,
})
const AgentsCreated = defineEvent("agents.created", {
  version: 1,
  summary: "A run was created",
  body: RunRef.extend({ type: z.string(), title: z.string() }),
})
const AgentsUpdated = defineEvent("agents.updated", {
  version: 1,
  summary: "A run's status, title, labels, workflow state or archive state changed",
  body: RunRef.extend({ status: z.string() }),
})
const AgentsAdvanced = defineEvent("agents.advanced", {
  version: 1,
  summary: "A run has new messages; at most four events a second",
  body: RunRef.extend({ seq: z.int() }),
})
const AgentsApprovalRequest = defineEvent("agents.asked", {
  version: 1,
  summary: "An agent asks for an approval",
  body: RunRef.extend({ approvalId: z.string(), title: z.string() }),
})
const AgentsAnswered = defineEvent("agents.answered", {
  version: 1,
  summary: "An approval was answered or expired",
  body: RunRef.extend({ approvalId: z.string(), status: z.string() }),
})
const AgentsOrganised = defineEvent("agents.organised", {
  version: 1,
  summary: "Workflow states, labels or saved views of runs changed",
  body: z.object({ kind: z.string() }),
})
const AgentsDeleted = defineEvent("agents.deleted", {
  version: 1,
  summary: "A run and its messages were deleted",
  body: RunRef,
})
const BoardChanged = defineEvent("board.changed", {
  version: 1,
  summary: "A ticket was added or edited",
  body: z.object({ id: z.string() }),
})
const BoardMoved = defineEvent("board.moved", {
  version: 1,
  summary: "A ticket moved to another lane",
  body: z.object({ id: z.string(), from: z.string(), to: z.string(), actor: z.string() }),
})
const BoardProved = defineEvent("board.proved", {
  version: 1,
  summary: "Evidence for a ticket was captured",
  body: z.object({ id: z.string(), isPassed: z.boolean() }),
})
const CaptureTaken = defineEvent("capture.taken", {
  version: 1,
  summary: "A host's context was captured and differs from the previous capture",
  body: z.object({
    id: z.string(),
    host: z.string(),
    workingDirectory: z.string(),
    files: z.int(),
    tokensInWindow: z.int(),
  }),
})
const ConfigChanged = defineEvent("config.changed", {
  version: 1,
  summary: "A setting was written to or removed from a config file",
  body: z.object({ key: z.string(), layer: z.enum(["user", "project"]), isSet: z.boolean() }),
})
const BranchRef = z.object({ id: z.string(), session: z.string() })
const BranchSpent = BranchRef.extend({ used: z.int(), total: z.int() })
const FoldBranchCreated = defineEvent("fold.branch-created", {
  version: 1,
  summary: "A branch was opened for a sub-task",
  body: BranchRef.extend({ description: z.string(), depth: z.int(), budget: z.int() }),
})
const FoldBudgetWarned = defineEvent("fold.budget-warned", {
  version: 1,
  summary: "A branch has used 80 % of its budget",
  body: BranchSpent,
})
const FoldBudgetExhausted = defineEvent("fold.budget-exhausted", {
  version: 1,
  summary: "A branch has used up its budget; it can only return",
  body: BranchSpent,
})
const FoldTimedOut = defineEvent("fold.timed-out", {
  version: 1,
  summary: "A branch was ended by its timeout",
  body: BranchRef.extend({ seconds: z.int() }),
})
const FoldReturned = defineEvent("fold.returned", {
  version: 1,
  summary: "A branch returned its result",
  body: BranchRef.extend({ used: z.int(), resultTokens: z.int() }),
})
const FoldEnded = defineEvent("fold.ended", {
  version: 1,
  summary: "A branch ended",
  body: BranchRef.extend({ status: z.string(), reason: z.string() }),
})
/** Version 1 called the proxied session `carry`. */
function liftGatewayBody({ carry: proxiedSession, ...body }: StoredBody): StoredBody {
  return proxiedSession === undefined ? body : { proxiedSession, ...body }
}
const GatewayRecorded = defineEvent("gateway.recorded", {
  version: 2,
  lift: liftGatewayBody,
  summary: "A request of a host to its model was recorded",
  body: z.object({ proxiedSession: z.string(), run: z.string().nullable(), seq: z.int() }),
})
const GatewayOpened = defineEvent("gateway.opened", {
  version: 2,
  lift: liftGatewayBody,
  summary: "A proxied session started",
  body: z.object({ proxiedSession: z.string(), run: z.string().nullable(), mode: z.string() }),
})
const GatewayClosed = defineEvent("gateway.closed", {
  version: 2,
  lift: liftGatewayBody,
  summary: "A proxied session ended",
  body: z.object({ proxiedSession: z.string(), run: z.string().nullable() }),
})
const GatewayDeleted = defineEvent("gateway.deleted", {
  version: 2,
  lift: liftGatewayBody,
  summary: "The records of a proxied session were deleted",
  body: z.object({ proxiedSession: z.string(), run: z.string().nullable() }),
})
const GatewayLatchedOff = defineEvent("gateway.latched-off", {
  version: 2,
  lift: liftGatewayBody,
  summary: "A provider refused a folded request; folding is off for the session",
  body: z.object({ proxiedSession: z.string(), run: z.string().nullable(), reason: z.string() }),
})
const GatewayCacheMissed = defineEvent("gateway.cache", {
  version: 1,
  summary: "A request missed the provider's cache at a cost above `gateway.cacheAlertTokens`",
  body: z.object({
    proxiedSession: z.string(),
    run: z.string().nullable(),
    seq: z.int(),
    cause: z.string(),
    isCertain: z.boolean(),
    lostTokens: z.int(),
    lostUsd: z.number().nullable(),
  }),
})
const MemoryRecorded = defineEvent("memory.recorded", {
  version: 1,
  summary: "A memory was written",
  body: z.object({ id: z.string(), kind: z.string(), actor: z.string() }),
})
const MemoryChanged = defineEvent("memory.changed", {
  version: 1,
  summary: "A memory was confirmed, rated or superseded",
  body: z.object({ id: z.string(), state: z.string() }),
})
const MemoryForgotten = defineEvent("memory.forgotten", {
  version: 1,
  summary: "A memory and its file were deleted",
  body: z.object({ id: z.string() }),
})
const MapScanned = defineEvent("map.scanned", {
  version: 1,
  summary: "A scan found changes in the repository",
  body: z.object({ files: z.int(), changed: z.int(), digest: z.string() }),
})
const PackBuiltEvent = defineEvent("pack.built", {
  version: 1,
  summary: "A context package was built and stored",
  body: z.object({ id: z.string(), tokens: z.int(), files: z.int() }),
})
const PipelineRef = z.object({ id: z.string() })
const PipelineStarted = defineEvent("pipeline.started", {
  version: 1,
  summary: "A pipeline run started",
  body: PipelineRef.extend({ agent: z.string(), title: z.string() }),
})
const PipelineAdvanced = defineEvent("pipeline.advanced", {
  version: 1,
  summary: "A pipeline run has a new event",
  body: PipelineRef.extend({ seq: z.int(), status: z.string() }),
})
const PipelineQuestion = defineEvent("pipeline.asked", {
  version: 1,
  summary: "A pipeline run waits for the user",
  body: PipelineRef.extend({ question: z.string() }),
})
const PipelineEnded = defineEvent("pipeline.ended", {
  version: 1,
  summary: "A pipeline run ended",
  body: PipelineRef.extend({ status: z.string(), reason: z.string() }),
})
const KnowledgeChanged = defineEvent("knowledge.changed", {
  version: 1,
  summary: "Documents were added to or removed from the knowledge base",
  body: z.object({ folder: z.string(), documents: z.int(), changed: z.int() }),
})
const SessionsIndexed = defineEvent("sessions.indexed", {
  version: 1,
  summary: "New lines of a host's transcript were indexed",
  body: z.object({ session: z.string(), host: z.string(), lines: z.int() }),
})
const SourcesChanged = defineEvent("sources.changed", {
  version: 1,
  summary: "A source was approved or tested",
  body: z.object({ slug: z.string(), health: z.string() }),
})
const SourcesCredential = defineEvent("sources.credential", {
  version: 1,
  summary: "An agent asked for a credential, or the user answered; never with its value",
  body: z.object({ id: z.string(), name: z.string(), status: z.string() }),
})
const PeopleChanged = defineEvent("people.changed", {
  version: 1,
  summary: "A person, or one of their tokens or sessions, was added, changed or revoked",
  body: z.object({ id: z.string() }),
})
const RemoteChanged = defineEvent("remote.changed", {
  version: 1,
  summary: "A connected machine, one of its runs, or what it shares has changed",
  body: z.object({ id: z.string() }),
})
const StoreCreated = defineEvent("store.created", {
  version: 1,
  summary: "A store was created for this repository",
  body: z.object({ dialect: z.enum(["sqlite", "postgres"]) }),
})
const StoreBackedUp = defineEvent("store.backed-up", {
  version: 1,
  summary: "The store was backed up to a file",
  body: z.object({ file: z.string(), sizeBytes: z.int() }),
})
const StoreRestored = defineEvent("store.restored", {
  version: 1,
  summary: "The store was replaced by a backup; earlier cursors are invalid",
  body: z.object({ file: z.string(), events: z.int() }),
})

const SwarmChanged = defineEvent("swarm.changed", {
  version: 1,
  summary: "A workstream of a swarm changed its state",
  body: z.object({ id: z.string() }),
})
const WorktreesChanged = defineEvent("worktrees.changed", {
  version: 1,
  summary: "A worktree was created or removed",
  body: z.object({ name: z.string(), isRemoved: z.boolean() }),
})

/** All events; `emit` accepts no others. */
export const EVENTS = [
  AgentsAdvanced,
  AgentsAnswered,
  AgentsApprovalRequest,
  AgentsCommanded,
  AgentsCreated,
  AgentsDeleted,
  AgentsUpdated,
  AgentsOrganised,
  BoardChanged,
  BoardMoved,
  BoardProved,
  CaptureTaken,
  ConfigChanged,
  FoldBranchCreated,
  FoldBudgetExhausted,
  FoldBudgetWarned,
  FoldEnded,
  FoldReturned,
  FoldTimedOut,
  GatewayClosed,
  GatewayCacheMissed,
  GatewayDeleted,
  GatewayLatchedOff,
  GatewayOpened,
  GatewayRecorded,
  KnowledgeChanged,
  MapScanned,
  MemoryChanged,
  MemoryForgotten,
  MemoryRecorded,
  PackBuiltEvent,
  PeopleChanged,
  RemoteChanged,
  StoreCreated,
  PipelineAdvanced,
  PipelineQuestion,
  PipelineEnded,
  PipelineStarted,
  SessionsIndexed,
  SourcesChanged,
  SourcesCredential,
  StoreBackedUp,
  StoreRestored,
  SwarmChanged,
  WorktreesChanged,
] as const

type Definition = (typeof EVENTS)[number]
export type EventName = Definition["name"]
export type EventBody<Name extends EventName> = z.infer<Extract<Definition, { name: Name }>["body"]>

type RoomOf<Name extends string> = Name extends `${infer Room}.${string}` ? Room : never

export type EventRoom = RoomOf<EventName>

/** Accepts only the room's own events. */
export type Emit<Room extends EventRoom> = <Name extends Extract<EventName, `${Room}.${string}`>>(
  name: Name,
  body: EventBody<Name>,
) => void

/**
 * A position in the journal. The epoch changes when a store is created or restored, so that a
 * cursor of another history is recognised.
 */
export const Cursor = z.object({ epoch: z.string().min(1), seq: z.int().nonnegative() })
export type Cursor = z.infer<typeof Cursor>

/** The name may be unknown to this version of the product. */
export const JournalEntry = z.object({
  epoch: z.string(),
  seq: z.int().positive(),
  id: z.string(),
  at: z.int(),
  name: z.string(),
  version: z.int().positive(),
  body: z.record(z.string(), z.unknown()),
})
export type JournalEntry = z.infer<typeof JournalEntry>

const DEFINITIONS = new Map<string, EventDefinition<string, z.ZodType>>(
  EVENTS.map((it) => [it.name, it]),
)

/** A stored entry in the current version of its event; stored rows are never changed. */
export function liftEntry(entry: JournalEntry): JournalEntry {
  const definition = DEFINITIONS.get(entry.name)
  if (definition?.lift === undefined || entry.version >= definition.version) return entry
  const body = definition.lift(entry.body, entry.version)
  return { ...entry, version: definition.version, body }
}
