import { z } from "zod"

export const PlanStatus = z.enum(["waiting", "approved", "rejected", "done"])
export type PlanStatus = z.infer<typeof PlanStatus>

export const PlanId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,79}$/, "must be a plan id")
  .max(80)

export const Plan = z.object({
  id: PlanId,
  title: z.string(),
  status: PlanStatus.describe("A user answers `waiting`; `done` when every step is ticked off"),
  file: z.string().describe("Path in the repository"),
  isArchived: z.boolean(),
  session: z.string().nullable().describe("Session of the agent that submitted it"),
  submittedAt: z.int(),
  answeredAt: z.int().nullable(),
  answeredBy: z.string().nullable(),
  feedback: z.string().nullable().describe("What the user wants changed"),
  steps: z.array(z.object({ number: z.int().positive(), text: z.string(), isDone: z.boolean() })),
})
export type Plan = z.infer<typeof Plan>

export const PlanText = Plan.extend({ text: z.string().describe("The file's text") })
export type PlanText = z.infer<typeof PlanText>

export const PlanList = z.object({
  plans: z.array(Plan).describe("Newest first"),
  problems: z.array(z.object({ file: z.string(), problem: z.string() })),
})
export type PlanList = z.infer<typeof PlanList>

export const PlanState = z.object({
  session: z.string(),
  entries: z.array(z.object({ key: z.string(), value: z.string(), updatedAt: z.int() })),
})
export type PlanState = z.infer<typeof PlanState>
