import { z } from "zod"

const Moment = z.int().describe("Milliseconds since 1970")

/** A session works on a path; on a folder, on all below it. */
export const Claim = z.object({
  path: z.string().describe("From the root of the repository"),
  session: z.string(),
  fence: z.int().positive().describe("Every later hold of the path has a higher one"),
  machine: z.string(),
  isHolderAlive: z.boolean().nullable().describe("null for a process of another machine"),
  takenAt: Moment,
  heartbeatAt: Moment,
  expiresAt: Moment.describe("By the wall clock; a heartbeat moves it"),
})
export type Claim = z.infer<typeof Claim>

export const ClaimTaken = z.object({
  claims: z.array(Claim).describe("What is held now; empty when another has one of the paths"),
  held: Claim.nullable().describe("The claim that is in the way, or null"),
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
  file: z.string().describe("From the root of the repository"),
  indices: z.array(z.string()).describe("Indices that changed with it"),
  archived: z.array(z.string()).describe("Old sessions that went to the archive, from level 5 on"),
  proposal: z
    .object({ text: z.string(), files: z.array(z.string()) })
    .nullable()
    .describe("A lesson that many sessions share and nobody has written down as a memory"),
})
export type SessionRegistered = z.infer<typeof SessionRegistered>
export const SessionIndexed = z.object({
  indices: z.array(z.string()).describe("Those that changed"),
})
export type SessionIndexed = z.infer<typeof SessionIndexed>

/** A session as its ledger shows it: alive, or over and not yet swept. */
export const LiveSession = z.object({
  session: z.string(),
  host: z.string().nullable(),
  startedAt: Moment.nullable(),
  lastAt: Moment,
  edits: z.int().nonnegative(),
  files: z.int().nonnegative(),
  drifted: z.int().nonnegative().describe("Important files changed since it was last registered"),
  claims: z.int().nonnegative(),
  isRegistered: z.boolean(),
})
export type LiveSession = z.infer<typeof LiveSession>

/** A session that was written down, as a file of the repository. */
export const LoggedSession = z.object({
  file: z.string(),
  date: z.string(),
  title: z.string(),
  request: z.string().describe("Its first line"),
})
export type LoggedSession = z.infer<typeof LoggedSession>

export const SessionList = z.object({
  live: z.array(LiveSession).describe("The latest first"),
  logged: z.array(LoggedSession).describe("The latest first"),
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
    .describe("Instructions the host said it loaded"),
  claims: z.array(Claim),
  text: z.string().nullable().describe("Of the file, for one that was written down"),
})
export type SessionShow = z.infer<typeof SessionShow>

/** One line of a ledger, of any session. */
export const ActivityEntry = z.object({
  at: Moment,
  session: z.string(),
  kind: z.enum(["opened", "modified", "outside", "simulated", "registered", "nudged"]),
  path: z.string().nullable(),
  tool: z.string().nullable(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const SessionActivity = z.object({
  entries: z.array(ActivityEntry).describe("The oldest first"),
})
export type SessionActivity = z.infer<typeof SessionActivity>
