import { z } from "zod"
import {
  ClaimList,
  ClaimReleased,
  ClaimTaken,
  SessionActivity,
  SessionIndexed,
  SessionList,
  SessionRegistered,
  SessionShow,
} from "../ledger.ts"
import { defineOperations } from "../operation.ts"

const Place = z.string().min(1).max(4_096)

const session = z.string().min(1).max(200).optional().describe("Default: the caller itself")

const Part = z.string().max(20_000)

const Moment = z.int().describe("Milliseconds since 1970")

export const claimOperations = defineOperations("claim", {
  take: {
    summary: "Say that you work on files, so that other sessions see it; all of them or none",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["paths"], group: "Know" },
    input: z.strictObject({
      paths: z.array(Place).min(1).max(200).describe("Files or folders; a folder is all below it"),
      minutes: z
        .int()
        .min(1)
        .max(1_440)
        .default(60)
        .describe("How long it holds; taking it again renews"),
      session,
    }),
    output: ClaimTaken,
  },
  release: {
    summary: "Give back files that you said you work on",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["paths"], group: "Know" },
    input: z.strictObject({
      paths: z.array(Place).min(1).max(200),
      session,
    }),
    output: ClaimReleased,
  },
  list: {
    summary: "List who works on which files",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["claim"], alsoWords: ["claim", "list"], args: ["path"], group: "Know" },
    input: z.strictObject({
      path: Place.optional().describe("Only what covers this path"),
    }),
    output: ClaimList,
  },
})

export const sessionOperations = defineOperations("session", {
  register: {
    summary: "Write down what a session was asked and did, in a file of the repository",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug", "request"], group: "Know" },
    input: z.strictObject({
      slug: z.string().min(1).max(200).describe("A few words for the name of the file"),
      request: Part.min(1).describe("What was asked for"),
      done: z.array(Part).max(200).default([]).describe("What was done, one line each"),
      decisions: z.array(Part).max(200).default([]).describe("What was decided, one line each"),
      finalState: Part.default("").describe("Where the work stands now"),
      date: z.iso.date().optional().describe("Default: today"),
      session,
    }),
    output: SessionRegistered,
  },
  index: {
    summary: "Make the lists of sessions and of what is remembered anew",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { group: "Know" },
    input: z.strictObject({}),
    output: SessionIndexed,
  },
  list: {
    summary: "List sessions that worked here, and those that were written down",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["session"], alsoWords: ["session", "list"], group: "Know" },
    input: z.strictObject({
      sinceHours: z
        .number()
        .positive()
        .max(24 * 365)
        .default(24 * 7),
      limit: z.int().min(1).max(500).default(50),
    }),
    output: SessionList,
  },
  show: {
    summary: "Show what a session touched, loaded and holds, or what was written down of it",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["session"], group: "Know" },
    input: z.strictObject({
      session: z
        .string()
        .min(1)
        .max(10_000)
        .describe("Its id as the host gave it, or the file of one that was written down"),
    }),
    output: SessionShow,
  },
  activity: {
    summary: "Show the last lines of all ledgers, the oldest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["watch"],
      group: "Know",
      summary: "Show what sessions do in this repository, as their ledgers have it",
      omit: ["after"],
      extraFlags: [{ name: "follow", type: "boolean", description: "Go on until Ctrl-C" }],
      notes: ["With --json: one line for each entry."],
    },
    input: z.strictObject({
      after: Moment.optional().describe("Only what happened after this moment"),
      limit: z.int().min(1).max(1_000).default(20).describe("Begin with the last so many lines"),
    }),
    output: SessionActivity,
  },
})
