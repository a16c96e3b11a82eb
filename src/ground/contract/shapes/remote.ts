import { z } from "zod"
import { AgentType } from "./agent.ts"

/** Names of a person's machine and repositories; never a path. */
export const RemoteName = z
  .string()
  .min(1)
  .max(60)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u, "letters, digits, dots, dashes, at most 60")

export const RunnerId = z
  .string()
  .max(40)
  .regex(/^rn_[0-9a-f]{32}$/, "an id of a runner")

const SHARED_KINDS = ["sessions", "board", "memory"] as const
export const SharedKind = z.enum(SHARED_KINDS)
export type SharedKind = z.infer<typeof SharedKind>

export const RemoteRepository = z.strictObject({
  name: RemoteName,
  shares: z.array(SharedKind).max(SHARED_KINDS.length).describe("Empty if nothing is shared"),
})
export type RemoteRepository = z.infer<typeof RemoteRepository>

export const RemoteRunner = z.object({
  id: z.string(),
  name: z.string(),
  person: z.string().describe("Whose token the runner uses"),
  repositories: z.array(RemoteRepository),
  isConnected: z.boolean().describe("Whether it asked for work within the last 15 seconds"),
  seenAt: z.int(),
})
export type RemoteRunner = z.infer<typeof RemoteRunner>

export const RemoteRunners = z.object({ runners: z.array(RemoteRunner) })
export type RemoteRunners = z.infer<typeof RemoteRunners>

/** A runner asks before it works; `auto` and `edits` would decide on that machine from elsewhere. */
export const RemoteMode = z.enum(["plan", "ask"])

const REMOTE_STATES = ["waiting", "running", "denied", "done", "failed", "stopped"] as const
export const RemoteState = z.enum(REMOTE_STATES)
export type RemoteState = z.infer<typeof RemoteState>

export const RemoteRun = z.object({
  id: z.string(),
  runner: z.string(),
  repository: z.string(),
  type: AgentType,
  prompt: z.string(),
  mode: RemoteMode,
  requestedBy: z.string(),
  state: RemoteState,
  note: z.string().describe("Reason of a denial or failure"),
  isStopWanted: z.boolean(),
  lastSeq: z.int().nonnegative().describe("Number of the last message that the server has"),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export type RemoteRun = z.infer<typeof RemoteRun>

export const RemoteRuns = z.object({ runs: z.array(RemoteRun) })
export type RemoteRuns = z.infer<typeof RemoteRuns>

/** A message of a run on a runner, as that machine stores it: redacted and shortened. */
export const RemoteMessage = z.strictObject({
  seq: z.int().positive(),
  kind: z.string().max(60),
  text: z.string().max(20_000),
  at: z.int(),
})
export type RemoteMessage = z.infer<typeof RemoteMessage>

export const RemoteMessages = z.object({ messages: z.array(RemoteMessage) })
export type RemoteMessages = z.infer<typeof RemoteMessages>

export const SharedItem = z.strictObject({
  repository: RemoteName,
  kind: SharedKind,
  id: z.string().min(1).max(200),
  title: z.string().max(300),
  text: z.string().max(4_000),
})
export type SharedItem = z.infer<typeof SharedItem>

export const SharedItems = z.object({
  items: z.array(SharedItem.extend({ runner: z.string(), at: z.int() })),
})
export type SharedItems = z.infer<typeof SharedItems>

export const RemoteReported = z.object({ accepted: z.int().nonnegative() })
export type RemoteReported = z.infer<typeof RemoteReported>
