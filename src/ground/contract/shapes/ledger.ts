import { z } from "zod"

const Moment = z.int().describe("Milliseconds since 1970")

/** A session's lease on a path; on a folder, on everything below it. */
export const Claim = z.object({
  path: z.string().describe("Relative to the repository root"),
  session: z.string(),
  fence: z.int().positive().describe("Fencing token; higher for every later holder of the path"),
  machine: z.string(),
  isHolderAlive: z.boolean().nullable().describe("Null for a process of another machine"),
  takenAt: Moment,
  heartbeatAt: Moment,
  expiresAt: Moment.describe("Wall-clock time; a heartbeat extends it"),
})
export type Claim = z.infer<typeof Claim>

export const ClaimTaken = z.object({
  claims: z
    .array(Claim)
    .describe("Claims held now; empty if another session holds one of the paths"),
  held: Claim.nullable().describe("The conflicting claim, or null"),
})
export type ClaimTaken = z.infer<typeof ClaimTaken>

export const ClaimReleased = z.object({
  released: z.array(z.string()),
  notHeld: z.array(z.string()),
})
export type ClaimReleased = z.infer<typeof ClaimReleased>

export const ClaimList = z.object({ claims: z.array(Claim).describe("By path") })
export type ClaimList = z.infer<typeof ClaimList>

export const SessionRegistered = z.object({
  file: z.string().describe("Relative to the repository root"),
  indices: z.array(z.string()).describe("Updated index files"),
  archived: z.array(z.string()).describe("Archived old sessions, from level 5 on"),
  proposal: z
    .object({ text: z.string(), files: z.array(z.string()) })
    .nullable()
    .describe("A lesson that many sessions share and no memory records"),
})
export type SessionRegistered = z.infer<typeof SessionRegistered>
export const SessionIndexed = z.object({
  indices: z.array(z.string()).describe("Updated index files"),
})
export type SessionIndexed = z.infer<typeof SessionIndexed>

/** A session of a ledger, running or ended. */
export const LiveSession = z.object({
  session: z.string(),
  host: z.string().nullable(),
  startedAt: Moment.nullable(),
  lastAt: Moment,
  edits: z.int().nonnegative(),
  files: z.int().nonnegative(),
  drifted: z.int().nonnegative().describe("Important files changed since the last registration"),
  claims: z.int().nonnegative(),
  isRegistered: z.boolean(),
})
export type LiveSession = z.infer<typeof LiveSession>

/** A registered session, as a file of the repository. */
export const LoggedSession = z.object({
  file: z.string(),
  date: z.string(),
  title: z.string(),
  request: z.string().describe("First line of the request"),
})
export type LoggedSession = z.infer<typeof LoggedSession>

export const SessionList = z.object({
  live: z.array(LiveSession).describe("Newest first"),
  logged: z.array(LoggedSession).describe("Newest first"),
  loggedCount: z.int().nonnegative(),
})
export type SessionList = z.infer<typeof SessionList>

export const SessionShow = z.object({
  live: LiveSession.nullable(),
  files: z.array(
    z.object({
      path: z.string(),
      edits: z.int().positive(),
      firstAt: Moment,
      lastAt: Moment,
      isImportant: z.boolean(),
    }),
  ),
  outside: z
    .array(z.object({ path: z.string(), at: Moment }))
    .describe("Changed by others meanwhile"),
  registered: z.array(z.object({ file: z.string(), at: Moment })),
  nudges: z.array(z.object({ at: Moment })),
  simulations: z.array(
    z.object({ id: z.string(), risk: z.number(), at: Moment, paths: z.array(z.string()) }),
  ),
  loaded: z
    .array(
      z.object({
        path: z.string(),
        kind: z.string(),
        reason: z.string(),
        parent: z.string().nullable(),
        at: Moment,
      }),
    )
    .describe("Instructions that the host reported as loaded"),
  claims: z.array(Claim),
  text: z.string().nullable().describe("Text of the file, for a registered session"),
})
export type SessionShow = z.infer<typeof SessionShow>

export const ActivityEntry = z.object({
  at: Moment,
  session: z.string(),
  kind: z.enum(["opened", "modified", "outside", "simulated", "registered", "nudged"]),
  path: z.string().nullable(),
  tool: z.string().nullable(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const SessionActivity = z.object({
  entries: z.array(ActivityEntry).describe("Oldest first"),
})
export type SessionActivity = z.infer<typeof SessionActivity>
