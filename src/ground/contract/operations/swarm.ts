import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { AgentType } from "../shapes/agent.ts"
import { Swarm, SwarmPlan, SwarmReview } from "../shapes/swarm.ts"

const PlanInput = {
  tickets: z
    .array(z.string().min(1).max(40))
    .max(50)
    .default([])
    .describe("Tickets to plan (default: all that are ready)"),
  workstreams: z
    .int()
    .min(1)
    .max(5)
    .optional()
    .describe("Maximum number of workstreams (default: setting swarm.workstreams)"),
  agent: z
    .array(AgentType)
    .max(5)
    .default([])
    .describe("Agents of the workstreams, in turn (default: setting swarm.agent)"),
  definition: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional()
    .describe("Agent definition in .claude/agents; its model sets the cost tier"),
}

const workstream = z.string().min(1).max(20).describe("Name of the workstream, such as ws1")

export const swarmOperations = defineOperations("swarm", {
  plan: {
    summary: "Plan ready tickets as workstreams that touch different files",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm swarm plan", "qm swarm plan --tickets 12 --tickets 14"] },
    input: z.strictObject(PlanInput),
    output: SwarmPlan,
  },
  run: {
    summary: "Run each workstream with an agent in its own worktree, up to testing",
    effect: "write",
    quota: "run",
    surfaces: ["cli", "http"],
    cli: {
      group: "Board",
      omit: ["wait"],
      examples: ["qm swarm run", "qm swarm run --agent codex --agent claude-code"],
      notes: ["An unfinished swarm is continued; no step runs twice."],
    },
    input: z.strictObject({
      ...PlanInput,
      budget: z
        .number()
        .positive()
        .max(10_000)
        .optional()
        .describe("US dollars for each workstream (default: by cost tier)"),
      script: z.string().max(200_000).optional().describe("Script of the synthetic agent"),
      wait: z
        .boolean()
        .default(true)
        .describe("Wait until every workstream has stopped; false returns at once"),
    }),
    output: Swarm,
  },
  review: {
    summary: "Show diff, evidence, cost and conflicts of each workstream",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm swarm review"] },
    input: z.strictObject({}),
    output: SwarmReview,
  },
  approve: {
    summary: "Merge a workstream into its base and conclude its tickets",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["workstream"], group: "Board", examples: ["qm swarm approve ws1"] },
    input: z.strictObject({ workstream }),
    output: Swarm,
  },
  reject: {
    formerName: "swarm.send-back",
    summary: "Send a workstream back with feedback; its agent works on it again",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      words: ["swarm", "send-back"],
      args: ["workstream", "feedback"],
      group: "Board",
      examples: ['qm swarm send-back ws2 "Add a test with three items"'],
    },
    input: z.strictObject({
      workstream,
      feedback: z.string().min(1).max(4_000).describe("What is missing or wrong"),
    }),
    output: Swarm,
  },
  pause: {
    summary: "Pause the agents of a swarm or of one workstream",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["workstream"],
      group: "Board",
      examples: ["qm swarm pause", "qm swarm pause ws2"],
    },
    input: z.strictObject({
      workstream: workstream.optional().describe("Name of the workstream (default: all)"),
    }),
    output: Swarm,
  },
  retry: {
    summary: "Continue workstreams that paused, failed or were evicted",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      args: ["workstream"],
      group: "Board",
      examples: ["qm swarm retry", "qm swarm retry ws2 --budget 8"],
      notes: ["Then run `qm swarm run`, which starts their agents."],
    },
    input: z.strictObject({
      workstream: workstream.optional().describe("Name of the workstream (default: all)"),
      budget: z
        .number()
        .positive()
        .max(10_000)
        .optional()
        .describe("New total budget of the workstream, in US dollars (default: unchanged)"),
    }),
    output: Swarm,
  },
  discard: {
    summary: "Remove the worktree of a workstream and keep its branch",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["workstream"], group: "Board", examples: ["qm swarm discard ws3"] },
    input: z.strictObject({ workstream }),
    output: Swarm,
  },
})
