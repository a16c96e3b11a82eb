import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import { Plan, PlanId, PlanList, PlanState, PlanText } from "../shapes/plan.ts"

const id = listedBy("plan.list", PlanId.describe("Plan id, listed by `qm plan`"))

const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true } as const

export const planOperations = defineOperations("plan", {
  list: {
    summary: "List plans that agents submitted, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["plan"], aliases: ["plan list"], group: "Runs", examples: ["qm plan"] },
    input: z.strictObject({
      archived: z.boolean().default(false).describe("List archived plans instead"),
    }),
    output: PlanList,
    rows: { field: "plans", id: "id", title: ["status", "title"] },
  },
  show: {
    summary: "Show a plan: its text, its steps and the user's answer",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "Runs", examples: ["qm plan show retry-uploads-k3f9"] },
    mcp: {
      set: "work",
      rank: 2,
      name: "plan_status",
      title: "Plan status",
      description:
        "Read a submitted plan: whether the user approved or rejected it, their feedback, and which steps are done.",
    },
    input: z.strictObject({ id }),
    output: PlanText,
  },
  submit: {
    summary: "Submit a plan for the user's approval; it is kept as a file",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["title"],
      group: "Runs",
      flagNames: { steps: "step" },
      examples: ['qm plan submit "Retry uploads" --step "Add a test" --step "Add the retry"'],
    },
    mcp: {
      set: "work",
      rank: 1,
      name: "submit_plan",
      title: "Submit a plan",
      description:
        "Submit a plan before changing code. A user approves or rejects it; wait for the answer with plan_status, then tick steps off with plan_progress.",
      annotations: { ...WRITES, idempotentHint: false },
    },
    input: z.strictObject({
      title: z.string().trim().min(1).max(200).describe("What will be true afterwards"),
      text: z
        .string()
        .max(20_000)
        .default("")
        .describe("Background as markdown: findings, risks, what is left out"),
      steps: z
        .array(z.string().trim().min(1).max(500))
        .min(1)
        .max(100)
        .describe("Steps in order, each with how it is checked"),
    }),
    output: Plan,
  },
  tick: {
    summary: "Mark steps of an approved plan as done",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["id", "steps"],
      group: "Runs",
      examples: ["qm plan tick retry-uploads-k3f9 1 2"],
    },
    mcp: {
      set: "work",
      rank: 3,
      name: "plan_progress",
      title: "Tick off steps",
      description:
        "Mark steps of an approved plan as done, by number. When all are done, the plan is archived.",
      annotations: WRITES,
    },
    input: z.strictObject({
      id,
      steps: z.array(z.int().min(1).max(100)).min(1).max(100).describe("Numbers of the steps"),
      undo: z.boolean().default(false).describe("Mark them as not done"),
    }),
    output: Plan,
  },
  answer: {
    summary: "Approve or reject a plan that waits for you",
    effect: "write",
    // Not for agents: a user decides.
    surfaces: ["cli", "http"],
    cli: [
      {
        words: ["plan", "approve"],
        args: ["id"],
        group: "Runs",
        summary: "Approve a plan",
        examples: ["qm plan approve retry-uploads-k3f9"],
        given: { decision: "approve" },
      },
      {
        words: ["plan", "reject"],
        args: ["id"],
        group: "Runs",
        summary: "Reject a plan, with what should change",
        examples: ['qm plan reject retry-uploads-k3f9 --feedback "Keep the old format"'],
        given: { decision: "reject" },
      },
    ],
    input: z.strictObject({
      id,
      decision: z.enum(["approve", "reject"]).describe("approve or reject"),
      feedback: z.string().max(5_000).optional().describe("Text that the agent gets"),
    }),
    output: Plan,
  },
  archive: {
    summary: "Move a plan to the archive",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Runs", examples: ["qm plan archive retry-uploads-k3f9"] },
    input: z.strictObject({ id }),
    output: Plan,
  },
  state: {
    summary: "Show or change the notes (key and value) of an agent's session",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["key"],
      group: "Runs",
      examples: ["qm plan state --session 3f9", "qm plan state phase --value tests --session 3f9"],
    },
    mcp: {
      set: "work",
      rank: 4,
      name: "agent_state",
      title: "Session notes",
      description:
        "Keep small facts of this session as key and value (current phase, decisions, file lists). They survive compaction and a restart. Without key: list all. With value: set. With remove: delete.",
      annotations: WRITES,
      fields: { key: "key", value: "value", remove: "remove" },
    },
    input: z.strictObject({
      key: z
        .string()
        .regex(/^[\w.-]{1,60}$/, "must have 1 to 60 letters, digits, dots, dashes or underscores")
        .max(60)
        .optional()
        .describe("Name of the note"),
      value: z.string().max(8_000).optional().describe("New value"),
      remove: z.boolean().default(false).describe("Delete the note"),
      session: z.string().min(1).max(200).optional().describe("Session (default: the caller's)"),
    }),
    output: PlanState,
  },
})
