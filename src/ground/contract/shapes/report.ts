import { z } from "zod"
import { Lane } from "./board.ts"
import { SymbolKind } from "./map.ts"

const Count = z.int().nonnegative()
const Line = z.int().positive()
const Notes = z.array(z.string()).describe("Limits of the report, and checks that could not run")
const Severity = z.enum(["high", "medium", "low"])

const CommitRange = z.object({
  from: z.string().describe("Full commit id"),
  to: z.string().describe("Full commit id, or `working tree`"),
})

export const DebtReport = z.object({
  markers: z
    .array(
      z.object({
        path: z.string(),
        line: Line,
        word: z.string().describe("TODO, FIXME, HACK or XXX"),
        text: z.string(),
        ageDays: Count.nullable().describe(
          "Since the first commit with this line; null if unknown",
        ),
        commit: z.string().nullable(),
      }),
    )
    .describe("Oldest first"),
  markerCount: Count,
  large: z
    .array(
      z.object({
        path: z.string(),
        name: z.string(),
        kind: SymbolKind,
        line: Line,
        lines: Count,
      }),
    )
    .describe("Functions and methods over the limit, longest first"),
  hotspots: z
    .array(
      z.object({
        path: z.string(),
        commits: Count.describe("Commits of the history that changed it"),
        lines: Count,
        dependents: Count.describe("Files that import it"),
        tests: Count.describe("Tests that import it directly or over one file"),
      }),
    )
    .describe("Files changed often and without tests, most commits first"),
  notes: Notes,
})
export type DebtReport = z.infer<typeof DebtReport>

export const DependencyFinding = z.object({
  kind: z.enum([
    "deprecated",
    "duplicate",
    "insecure-source",
    "install-script",
    "licence",
    "no-integrity",
    "lock-drift",
    "undeclared",
    "unpinned",
    "unused",
  ]),
  severity: Severity,
  package: z.string(),
  version: z.string(),
  detail: z.string(),
})
export type DependencyFinding = z.infer<typeof DependencyFinding>

export const DependencyReport = z.object({
  lockFiles: z.array(
    z.object({ path: z.string(), ecosystem: z.string(), packages: Count, direct: Count }),
  ),
  findings: z.array(DependencyFinding).describe("Most severe first"),
  licences: z.array(z.object({ licence: z.string(), packages: Count })).describe("Most first"),
  notes: Notes,
})
export type DependencyReport = z.infer<typeof DependencyReport>

export const SecurityFinding = z.object({
  kind: z.enum(["secret", "secret-file", "risky-call", "high-risk-untested"]),
  rule: z.string(),
  severity: Severity,
  path: z.string(),
  line: Line.nullable(),
  detail: z.string().describe("Never contains the secret"),
  dependents: Count.describe("Files that import the file"),
})
export type SecurityFinding = z.infer<typeof SecurityFinding>

export const SecurityReport = z.object({
  findings: z.array(SecurityFinding).describe("Most severe first"),
  filesRead: Count,
  isClean: z.boolean().describe("Whether there is no finding of high severity"),
  notes: Notes,
})
export type SecurityReport = z.infer<typeof SecurityReport>

const ApiChange = z.object({
  kind: z.enum(["added", "removed", "changed"]),
  path: z.string(),
  symbol: z.string(),
  before: z.string().nullable().describe("Signature"),
  after: z.string().nullable(),
  users: Count.describe("Files of the current tree that import the file"),
  isBreaking: z.boolean(),
})
export type ApiChange = z.infer<typeof ApiChange>

export const ApiReport = CommitRange.extend({
  changes: z.array(ApiChange).describe("Breaking ones first"),
  bump: z.enum(["major", "minor", "patch", "none"]).describe("Smallest honest version step"),
  filesCompared: Count,
  notes: Notes,
})
export type ApiReport = z.infer<typeof ApiReport>

const TestCase = z.object({ kind: z.enum(["happy", "edge", "failure"]), text: z.string() })

export const TestPlan = CommitRange.extend({
  rows: z
    .array(
      z.object({
        path: z.string(),
        symbol: z.string(),
        line: Line,
        change: z.enum(["added", "changed"]),
        tests: z.array(z.string()).describe("Tests that import the file"),
        users: Count.describe("Other files that import the file"),
        cases: z.array(TestCase),
      }),
    )
    .describe("Without tests first, then most used first"),
  uncovered: Count.describe("Rows without a test"),
  notes: Notes,
})
export type TestPlan = z.infer<typeof TestPlan>

export const ChangeDraft = CommitRange.extend({
  since: z.string().nullable().describe("The tag or name the range starts at"),
  sections: z.array(
    z.object({
      title: z.string(),
      items: z.array(
        z.object({
          text: z.string(),
          scope: z.string().nullable(),
          commit: z.string().nullable().describe("Null for a file in changes/"),
          isBreaking: z.boolean(),
        }),
      ),
    }),
  ),
  unsorted: z.array(z.string()).describe("Subjects that follow no convention"),
  bump: z.enum(["major", "minor", "patch", "none"]),
  commits: Count,
  text: z.string().describe("The draft as markdown"),
})
export type ChangeDraft = z.infer<typeof ChangeDraft>

export const Retro = z.object({
  days: Count,
  commits: Count,
  types: z.array(z.object({ type: z.string(), commits: Count })),
  areas: z.array(z.object({ folder: z.string(), commits: Count })),
  reverts: z.array(z.object({ commit: z.string(), subject: z.string() })),
  refixed: z
    .array(z.object({ path: z.string(), fixes: Count }))
    .describe("Files that two or more fixes changed"),
  concluded: Count.describe("Tickets"),
  rejected: z.array(z.object({ ticket: z.string(), times: Count })),
  medianCycleDays: z.number().nullable().describe("From working to conclusion"),
  sessions: Count.describe("Registered session records"),
  decisions: Count,
  refusals: z.array(z.object({ rule: z.string(), times: Count })).describe("By hooks"),
  notes: Notes,
})
export type Retro = z.infer<typeof Retro>

const ReportedTicket = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  lane: Lane,
  points: z.number(),
  reason: z.string().describe("Why it is in this list"),
})
export type ReportedTicket = z.infer<typeof ReportedTicket>

export const WeekPlan = z.object({
  capacity: z.number().describe("Points"),
  points: z.number().describe("Planned points"),
  decide: z.array(ReportedTicket).describe("Waiting for a person: in testing"),
  running: z.array(ReportedTicket).describe("In working"),
  planned: z.array(ReportedTicket).describe("Ready ones that fit, most urgent first"),
  leftOut: z.array(ReportedTicket),
})
export type WeekPlan = z.infer<typeof WeekPlan>

export const Roadmap = z.object({
  waves: z.array(
    z.object({ number: z.int().positive(), points: z.number(), tickets: z.array(ReportedTicket) }),
  ),
  criticalPath: z.array(z.string()).describe("Ticket ids of the longest chain by points"),
  criticalPoints: z.number(),
  stuck: z.array(ReportedTicket).describe("Blocked, in a cycle, or behind such a ticket"),
  text: z.string().describe("The roadmap as markdown"),
})
export type Roadmap = z.infer<typeof Roadmap>

export const SignOff = z.object({
  tickets: z.array(
    z.object({
      id: z.string(),
      number: z.int(),
      title: z.string(),
      isReady: z.boolean(),
      reason: z.string().nullable().describe("What is missing; null if it can be approved"),
      criteriaDone: Count,
      criteria: Count,
      evidence: z.array(
        z.object({ command: z.string(), exitCode: z.int().nullable(), isCurrent: z.boolean() }),
      ),
    }),
  ),
  isReady: z.boolean().describe("Whether all of them can be approved"),
})
export type SignOff = z.infer<typeof SignOff>

export const WorkState = z.object({
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  lastTag: z.string().nullable(),
  commitsSinceTag: Count.nullable(),
  changed: z.array(z.object({ path: z.string(), state: z.string() })),
  changedCount: Count,
  claims: z.array(z.object({ path: z.string(), session: z.string(), expiresAt: z.int() })),
  lanes: z.array(z.object({ lane: Lane, tickets: Count })),
  next: z.array(ReportedTicket).describe("Most urgent ready tickets"),
  lastSession: z
    .object({ file: z.string(), date: z.string(), title: z.string(), finalState: z.string() })
    .nullable(),
  unreleased: z.array(z.string()).describe("Files in changes/, or lines below [Unreleased]"),
  notes: Notes,
})
export type WorkState = z.infer<typeof WorkState>
