import { z } from "zod"

const Moment = z.int().describe("Milliseconds since 1970")
const Place = z.string().min(1).max(4_096)
const session = z.string().min(1).max(200).optional().describe("Default: the caller itself")

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

export const ClaimTakeInput = z.strictObject({
  paths: z.array(Place).min(1).max(200).describe("Files or folders; a folder is all below it"),
  minutes: z
    .int()
    .min(1)
    .max(1_440)
    .default(60)
    .describe("How long it holds; taking it again renews"),
  session,
})
export const ClaimTaken = z.object({
  claims: z.array(Claim).describe("What is held now; empty when another has one of the paths"),
  held: Claim.nullable().describe("The claim that is in the way, or null"),
})
export type ClaimTaken = z.infer<typeof ClaimTaken>

export const ClaimReleaseInput = z.strictObject({
  paths: z.array(Place).min(1).max(200),
  session,
})
export const ClaimReleased = z.object({
  released: z.array(z.string()),
  notHeld: z.array(z.string()),
})
export type ClaimReleased = z.infer<typeof ClaimReleased>

export const ClaimListInput = z.strictObject({
  path: Place.optional().describe("Only what covers this path"),
})
export const ClaimList = z.object({ claims: z.array(Claim).describe("By path") })
export type ClaimList = z.infer<typeof ClaimList>

const Part = z.string().max(20_000)

export const SessionRegisterInput = z.strictObject({
  slug: z.string().min(1).max(200).describe("A few words for the name of the file"),
  request: Part.min(1).describe("What was asked for"),
  done: z.array(Part).max(200).default([]).describe("What was done, one line each"),
  decisions: z.array(Part).max(200).default([]).describe("What was decided, one line each"),
  finalState: Part.default("").describe("Where the work stands now"),
  date: z.iso.date().optional().describe("Default: today"),
})
export const SessionRegistered = z.object({
  file: z.string().describe("From the root of the repository"),
  indices: z.array(z.string()).describe("Indices that changed with it"),
})
export type SessionRegistered = z.infer<typeof SessionRegistered>
export const SessionIndexInput = z.strictObject({})
export const SessionIndexed = z.object({
  indices: z.array(z.string()).describe("Those that changed"),
})
export type SessionIndexed = z.infer<typeof SessionIndexed>
