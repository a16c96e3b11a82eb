import { z } from "zod"

/** From least to most: each may do what the ones before it may. */
export const ROLES = ["viewer", "operator", "owner"] as const
export const Role = z.enum(ROLES)
export type Role = z.infer<typeof Role>

/** One line: approvals, runs and moves store it as the name of their author. */
export const PersonName = z
  .string()
  .max(60)
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} .@_-]{0,58}[\p{L}\p{N}])?$/u,
    "letters and digits, at most 60",
  )

const PersonId = z.string().min(1).max(100)

export const Person = z.object({
  id: PersonId,
  name: PersonName,
  role: Role,
  createdAt: z.int(),
  createdBy: z.string().describe("Name of the person, or owner for the machine's own user"),
  revokedAt: z.int().nullable(),
  usedAt: z.int().nullable().describe("Last request with one of their keys"),
  sessions: z.int().nonnegative().describe("Browsers that are signed in"),
  tokens: z.int().nonnegative().describe("Tokens that are valid"),
})
export type Person = z.infer<typeof Person>

export const PeopleList = z.object({
  people: z.array(Person).describe("By name; for a caller who is not an owner, only themselves"),
})
export type PeopleList = z.infer<typeof PeopleList>

export const Invitation = z.object({
  person: Person,
  link: z.string().describe("Signs in one browser, once; shown only here"),
  expiresAt: z.int(),
})
export type Invitation = z.infer<typeof Invitation>

/** `tools` opens only /mcp, so that an agent cannot answer its own approvals. */
export const TokenScope = z.enum(["all", "tools"])
export type TokenScope = z.infer<typeof TokenScope>

export const PersonToken = z.object({
  id: z.string(),
  person: PersonName,
  label: z.string(),
  scope: TokenScope,
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
  usedAt: z.int().nullable(),
  endedAt: z.int().nullable().describe("When it was revoked"),
})
export type PersonToken = z.infer<typeof PersonToken>

export const PersonTokens = z.object({ tokens: z.array(PersonToken).describe("Newest first") })
export type PersonTokens = z.infer<typeof PersonTokens>

export const IssuedToken = PersonToken.extend({ token: z.string().describe("Shown only here") })
export type IssuedToken = z.infer<typeof IssuedToken>

const AuditOutcome = z.enum(["done", "denied", "failed"])

/** One write of a person: no text, no secret. */
export const AuditEntry = z.object({
  seq: z.int().positive(),
  at: z.int().describe("Time of the database"),
  person: z.string().describe("Name, or owner for the machine's own user"),
  role: Role,
  via: z.string().describe("Surface: http, mcp, cli"),
  operation: z.string(),
  ids: z.array(z.string()).describe("Ids in the input and output"),
  outcome: AuditOutcome,
  code: z.string().nullable().describe("Error code, if it failed"),
  hash: z.string().describe("SHA-256 over this entry and the hash before it"),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditLog = z.object({
  entries: z.array(AuditEntry).describe("Newest last"),
  head: z.object({ seq: z.int().nonnegative(), hash: z.string() }),
})
export type AuditLog = z.infer<typeof AuditLog>

/** The person of the store who sends a request. */
export type CallingPerson = {
  readonly id: string
  readonly name: string
  readonly role: Role
}
