import { z } from "zod"
import { AgentType } from "./agent.ts"
import { TicketEvidence } from "./board.ts"

const Moment = z.int().describe("Milliseconds since 1970")

const PlannedTicket = z.object({
  id: z.string(),
  title: z.string(),
  touch: z.array(z.string()).describe("Files the work will probably change"),
  tests: z.array(z.string()).describe("Tests that probably cover them"),
  from: z.enum(["card", "receipt", "package"]).describe("Origin of the files"),
})
export type PlannedTicket = z.infer<typeof PlannedTicket>

export const SwarmPlan = z.object({
  workstreams: z.array(
    z.object({ name: z.string(), agent: AgentType, tickets: z.array(PlannedTicket) }),
  ),
  left: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
  conflicts: z
    .array(z.object({ workstream: z.string(), with: z.string(), files: z.array(z.string()) }))
    .describe("Planned files that another worktree changed or another session claimed"),
  model: z.string().nullable(),
  tier: z.enum(["small", "medium", "large"]).describe("Cost tier of the model"),
  budgetUsd: z.number().describe("For each workstream"),
})
export type SwarmPlan = z.infer<typeof SwarmPlan>

const WorkstreamState = z.enum([
  "pending",
  "starting",
  "working",
  "finishing",
  "parked",
  "paused",
  "failed",
  "evicted",
  "approved",
  "discarded",
])

export const Workstream = z.object({
  name: z.string(),
  state: WorkstreamState,
  agent: AgentType.default("claude-code"),
  startedBy: z
    .string()
    .nullable()
    .default(null)
    .describe("Person whose quotas its runs count for; null for the machine's own user"),
  tickets: z.array(PlannedTicket),
  current: z.int().describe("Index of the ticket it works on"),
  attempt: z.int(),
  worktree: z.string(),
  path: z.string().nullable(),
  branch: z.string().nullable(),
  runs: z.array(z.string()).describe("Runs of its agent, the last one last"),
  feedback: z.string().nullable(),
  reason: z.string().nullable().describe("Why it is paused, failed or evicted"),
  costUsd: z.number().nullable(),
  budgetUsd: z.number().optional().describe("Raised by a person; absent for that of the swarm"),
  lastActivityAt: Moment.nullable(),
  evidence: TicketEvidence.nullable(),
})
export type Workstream = z.infer<typeof Workstream>

export const Swarm = z.object({
  id: z.string(),
  createdAt: Moment,
  baseRef: z.string(),
  baseCommit: z.string(),
  model: z.string().nullable(),
  tier: SwarmPlan.shape.tier,
  budgetUsd: z.number(),
  workstreams: z.array(Workstream),
})
export type Swarm = z.infer<typeof Swarm>

export const SwarmReview = z.object({
  swarm: Swarm.nullable().describe("The newest swarm; null if there is none"),
  isDriven: z.boolean().describe("Whether a process works on its workstreams now"),
  diffs: z.array(
    z.object({
      workstream: z.string(),
      files: z.array(z.object({ path: z.string(), added: z.int(), removed: z.int() })),
      commits: z.int(),
      evidence: z
        .enum(["none", "outdated", "passed", "failed"])
        .describe("Of the files as they are now; outdated: of other files"),
      problem: z.string().nullable().describe("Why its worktree cannot be read"),
    }),
  ),
  conflicts: z.array(
    z.object({ workstream: z.string(), with: z.string(), files: z.array(z.string()) }),
  ),
})
export type SwarmReview = z.infer<typeof SwarmReview>
