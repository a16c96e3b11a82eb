import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  ClaimList,
  ClaimReleased,
  ClaimTaken,
  SessionActivity,
  SessionIndexed,
  SessionList,
  SessionRegistered,
  SessionShow,
} from "../shapes/ledger.ts"

const InputPath = z.string().min(1).max(4_096)

const session = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Session id (default: the caller's own)")

const Part = z.string().max(20_000)

const Moment = z.int().describe("Milliseconds since 1970")

export const claimOperations = defineOperations("claim", {
  take: {
    summary: "Claim files you work on, so that other sessions see it; all or none",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["paths"],
      group: "Sessions",
      examples: ["qm claim take src/billing docs/billing.md --minutes 30"],
    },
    input: z.strictObject({
      paths: z
        .array(InputPath)
        .min(1)
        .max(200)
        .describe("Files or folders; a folder includes everything below it"),
      minutes: z
        .int()
        .min(1)
        .max(1_440)
        .default(60)
        .describe("Minutes until the claim expires; claim again to renew"),
      session,
    }),
    output: ClaimTaken,
  },
  release: {
    summary: "Release claimed files",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["paths"], group: "Sessions", examples: ["qm claim release src/billing"] },
    input: z.strictObject({
      paths: listedBy(
        "claim.list",
        z.array(InputPath).min(1).max(200).describe("Files or folders to release"),
      ),
      session,
    }),
    output: ClaimReleased,
  },
  list: {
    summary: "List claimed files and the sessions that hold them",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["claim"],
      aliases: ["claim list"],
      args: ["path"],
      group: "Sessions",
      examples: ["qm claim", "qm claim src/billing"],
    },
    input: z.strictObject({
      path: InputPath.optional().describe("Only claims that cover this path"),
    }),
    output: ClaimList,
    rows: { field: "claims", id: "path", title: ["session"] },
  },
})

export const sessionOperations = defineOperations("session", {
  register: {
    summary: "Write a session record to the repository: request, work, decisions",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions", "register"],
      aliases: ["session register"],
      args: ["slug", "request"],
      group: "Sessions",
      examples: ['qm sessions register fix-login "Fix the login" --done "Added a test"'],
    },
    input: z.strictObject({
      slug: z.string().min(1).max(200).describe("Short name for the file, such as fix-login"),
      request: Part.min(1).describe("What the user asked for"),
      done: z.array(Part).max(200).default([]).describe("One thing that was done"),
      decisions: z.array(Part).max(200).default([]).describe("One decision that was made"),
      finalState: Part.default("").describe("State of the work at the end"),
      date: z.iso.date().optional().describe("Date as YYYY-MM-DD (default: today)"),
      session,
    }),
    output: SessionRegistered,
  },
  index: {
    summary: "Rebuild the indexes of session records and memories",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions", "index"],
      aliases: ["session index"],
      group: "Sessions",
      examples: ["qm sessions index"],
    },
    input: z.strictObject({}),
    output: SessionIndexed,
  },
  list: {
    summary: "List recent sessions that hooks reported here, and session records",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions", "recent"],
      aliases: ["session", "session list"],
      group: "Sessions",
      examples: ["qm sessions recent", "qm sessions recent --since-hours 24"],
    },
    input: z.strictObject({
      sinceHours: z
        .number()
        .positive()
        .max(24 * 365)
        .default(24 * 7)
        .describe("Only sessions of the last hours"),
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of sessions"),
    }),
    output: SessionList,
    rows: { field: "live", id: "session", title: ["host"] },
  },
  show: {
    summary: "Show what a session edited, loaded and claimed, or a session record",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions", "ledger"],
      aliases: ["session show"],
      args: ["session"],
      group: "Sessions",
      examples: ["qm sessions ledger 0f3c2a9e"],
    },
    input: z.strictObject({
      session: listedBy(
        "session.list",
        z
          .string()
          .min(1)
          .max(10_000)
          .describe("Session id of the host, or file name of a session record"),
      ),
    }),
    output: SessionShow,
  },
  activity: {
    summary: "Show recent entries of all session ledgers, oldest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["watch"],
      group: "Sessions",
      examples: ["qm watch --follow"],
      summary: "Show what sessions do in this repository, live with --follow",
      omit: ["after"],
      extraFlags: [{ name: "follow", type: "boolean", description: "Continue until Ctrl-C" }],
      notes: ["With --json: one line for each entry."],
    },
    input: z.strictObject({
      after: Moment.optional().describe("Only entries after this time"),
      limit: z
        .int()
        .min(1)
        .max(1_000)
        .default(20)
        .describe("Number of recent entries to show first"),
    }),
    output: SessionActivity,
  },
})
