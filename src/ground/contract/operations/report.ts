import { z } from "zod"
import { defineOperations } from "../operation.ts"
import {
  ApiReport,
  ChangeDraft,
  DebtReport,
  DependencyReport,
  Retro,
  Roadmap,
  SecurityReport,
  SignOff,
  TestPlan,
  WeekPlan,
  WorkState,
} from "../shapes/report.ts"

const InputPath = z.string().min(1).max(4_096)

const paths = z
  .array(InputPath)
  .max(200)
  .default([])
  .describe("Files or folders (default: the whole repository)")

const limit = z.int().min(1).max(1_000).default(50).describe("Maximum number of rows of each list")

const CommitName = z.string().min(1).max(200)

const from = CommitName.optional().describe(
  "Tag, branch or commit to start at (default: the last version tag, else the first commit)",
)

/** Checks of the code. They read and write nothing. */
export const auditOperations = defineOperations("audit", {
  debt: {
    summary: "List old TODO marks, long functions and often changed untested files",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["paths"],
      group: "Code",
      examples: ["qm audit debt", "qm audit debt src/billing --lines 80"],
    },
    input: z.strictObject({
      paths,
      lines: z
        .int()
        .min(10)
        .max(10_000)
        .default(60)
        .describe("Lines above which a function is listed"),
      limit,
    }),
    output: DebtReport,
  },
  deps: {
    summary: "Find duplicate, unused, unpinned and deprecated packages, offline",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Code", examples: ["qm audit deps", "qm audit deps --json"] },
    input: z.strictObject({}),
    output: DependencyReport,
  },
  security: {
    summary: "Find committed secrets, risky calls and untested high-risk files",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["paths"],
      group: "Code",
      examples: ["qm audit security", "qm audit security src/auth"],
      notes: ["Exits with 1 if there is a finding of high severity. Secrets are never printed."],
    },
    input: z.strictObject({ paths, limit }),
    output: SecurityReport,
  },
  api: {
    summary: "Compare exported symbols of two commits and name breaking changes",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["from", "to"],
      group: "Code",
      examples: ["qm audit api v1.2.0", "qm audit api main HEAD"],
    },
    input: z.strictObject({
      from,
      to: CommitName.optional().describe("Tag, branch or commit to end at (default: HEAD)"),
    }),
    output: ApiReport,
  },
  tests: {
    summary: "Plan tests of a change: happy, edge and failure cases per symbol",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["from"],
      group: "Code",
      examples: ["qm audit tests", "qm audit tests main"],
    },
    input: z.strictObject({
      from: CommitName.default("HEAD").describe(
        "Tag, branch or commit to compare the working tree with",
      ),
      limit,
    }),
    output: TestPlan,
  },
})

/** Drafts from the records of the work: history, board, ledger, decisions. They write nothing. */
export const reportOperations = defineOperations("report", {
  state: {
    summary: "Show branch, changes, claims, board and last session",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm report state"] },
    input: z.strictObject({}),
    output: WorkState,
  },
  changes: {
    summary: "Draft a changelog or release notes from commits and changes/",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["from"],
      group: "Board",
      examples: ["qm report changes", "qm report changes v1.2.0 --form notes"],
    },
    input: z.strictObject({
      from,
      form: z
        .enum(["changelog", "notes"])
        .default("changelog")
        .describe("Section of a changelog, or release notes for users"),
    }),
    output: ChangeDraft,
  },
  retro: {
    summary: "List commits, reverts, repeated fixes and rejected tickets of a period",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm report retro", "qm report retro --days 14"] },
    input: z.strictObject({
      days: z.int().min(1).max(365).default(7).describe("Days to look back"),
    }),
    output: Retro,
  },
  week: {
    summary: "Plan a week: tickets to decide, to finish and to start",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm report week", "qm report week --capacity 20"] },
    input: z.strictObject({
      capacity: z
        .number()
        .positive()
        .max(10_000)
        .default(10)
        .describe("Points that fit into the week"),
    }),
    output: WeekPlan,
  },
  roadmap: {
    summary: "Order open tickets into waves by dependency, with the critical path",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm report roadmap"] },
    input: z.strictObject({}),
    output: Roadmap,
  },
  signoff: {
    summary: "Check criteria and evidence of the tickets in testing",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["tickets"],
      group: "Board",
      examples: ["qm report signoff", "qm report signoff 12"],
      notes: ["Exits with 1 if a ticket is not ready."],
    },
    input: z.strictObject({
      tickets: z
        .array(z.string().min(1).max(40))
        .max(200)
        .default([])
        .describe("Tickets (default: all in testing)"),
    }),
    output: SignOff,
  },
})
