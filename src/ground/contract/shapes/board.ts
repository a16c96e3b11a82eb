import { z } from "zod"

const Moment = z.int().describe("Milliseconds since 1970")

export const LANES = ["backlog", "working", "testing", "conclusion"] as const
export const Lane = z.enum(LANES)
export type Lane = z.infer<typeof Lane>

export const TicketType = z.enum(["feature", "bug", "chore", "docs", "spike"])
export type TicketType = z.infer<typeof TicketType>

export const TicketPriority = z.enum(["P0", "P1", "P2", "P3"])
export type TicketPriority = z.infer<typeof TicketPriority>

export const TicketSeverity = z.enum(["critical", "major", "minor", "trivial"])
export type TicketSeverity = z.infer<typeof TicketSeverity>

/** `qa` is a person who judges work in testing; `evict` is the swarm that gives up a workstream. */
export const BoardActor = z.enum(["human", "auto", "qa", "evict"])
export type BoardActor = z.infer<typeof BoardActor>

export const TicketCriterion = z.object({ text: z.string(), isDone: z.boolean() })
export type TicketCriterion = z.infer<typeof TicketCriterion>

const TicketSla = z.object({
  days: z.number().nullable().describe("Days from creation to conclusion; null for none"),
  dueAt: Moment.nullable(),
  state: z
    .enum(["none", "met", "soon", "overdue"])
    .describe("soon: three quarters of the time have passed"),
})

export const Ticket = z.object({
  id: z.string(),
  number: z.int().describe("For people; may change when clones are merged"),
  title: z.string(),
  type: TicketType,
  priority: TicketPriority,
  severity: TicketSeverity.nullable(),
  lane: Lane.describe("From the event log, never from the file"),
  laneSince: Moment,
  complexity: z.number().describe("Points"),
  paths: z.array(z.string()).describe("Files the work is expected to touch"),
  dependencies: z.array(z.string()),
  openDependencies: z.array(z.string()).describe("Dependencies that are not concluded"),
  acceptance: z.array(TicketCriterion),
  blockedReason: z.string().nullable(),
  sla: TicketSla,
  wsjf: z.number().describe("Cost of delay divided by complexity; higher comes first"),
  isReady: z.boolean().describe("In backlog, not blocked, all dependencies concluded"),
  isAutomated: z.boolean().describe("Whether automation ever moved it"),
  isDropped: z.boolean().describe("Closed from the backlog, without work"),
  createdAt: Moment,
  file: z.string().describe("Relative to the repository root"),
})
export type Ticket = z.infer<typeof Ticket>

export const TicketEvidence = z.object({
  id: z.string(),
  command: z.string(),
  exitCode: z.int().nullable().describe("Null if a signal or the time limit ended it"),
  tree: z.string().describe("Id of the working tree, or `unsettled` if it changed during the run"),
  outputHash: z.string().describe("sha256 of the stored output"),
  outputBytes: z.int(),
  durationMs: z.int(),
  at: Moment,
})
export type TicketEvidence = z.infer<typeof TicketEvidence>

const BoardMover = z.object({
  agent: z.string().optional(),
  runId: z.string().optional(),
  workstream: z.string().optional(),
  person: z.string().optional().describe("The person of the team, also behind an agent"),
})

export const BoardEvent = z.object({
  id: z.string(),
  ticket: z.string(),
  at: Moment,
  kind: z.enum(["move", "approve", "reject", "undo", "evidence"]),
  actor: BoardActor,
  session: z.string(),
  by: BoardMover.nullable(),
  from: Lane.nullable(),
  to: Lane.nullable(),
  inverse: z.object({ from: Lane, to: Lane }).nullable(),
  undoes: z.string().nullable(),
  feedback: z.string().nullable(),
  evidence: TicketEvidence.nullable(),
  voidReason: z.string().nullable().describe("Why the event has no effect; null if it has one"),
})
export type BoardEvent = z.infer<typeof BoardEvent>

export const TicketProblem = z.object({ file: z.string(), problem: z.string() })
export type TicketProblem = z.infer<typeof TicketProblem>

export const Board = z.object({
  lanes: z.array(
    z.object({ lane: Lane, tickets: z.int(), limit: z.int().describe("0 for no limit") }),
  ),
  tickets: z
    .array(Ticket)
    .describe("By lane, then by urgency: cost of delay divided by complexity"),
  total: z.int(),
  ready: z.int(),
  problems: z.array(TicketProblem),
})
export type Board = z.infer<typeof Board>

export const TicketDetail = z.object({
  ticket: Ticket,
  body: z.string(),
  events: z.array(BoardEvent).describe("Newest first"),
  evidence: z.array(TicketEvidence).describe("Newest first"),
})
export type TicketDetail = z.infer<typeof TicketDetail>

export const TicketList = z.object({ tickets: z.array(Ticket), total: z.int() })
export type TicketList = z.infer<typeof TicketList>

export const BoardEvents = z.object({
  events: z.array(BoardEvent).describe("Newest first"),
  total: z.int(),
  problems: z.array(TicketProblem),
})
export type BoardEvents = z.infer<typeof BoardEvents>

export const EvidenceCaptured = z.object({
  evidence: TicketEvidence,
  isPassed: z.boolean(),
  tail: z.string().describe("The last lines of the output, redacted"),
})
export type EvidenceCaptured = z.infer<typeof EvidenceCaptured>
