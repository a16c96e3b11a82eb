import { z } from "zod"

/** All given conditions must hold; within one, a single match is enough. */
const GuidelineCondition = z.strictObject({
  agents: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
  notAgents: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
  domains: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
  actions: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
  paths: z.array(z.string().min(1).max(1_000)).min(1).max(200).optional().describe("As globs"),
})
type GuidelineCondition = z.infer<typeof GuidelineCondition>

export const GuidelineAction = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("instruction"), text: z.string().min(1).max(10_000) }),
  z.strictObject({
    type: z.literal("tool_restriction"),
    allowed: z.array(z.string().min(1)).max(100).optional(),
    denied: z.array(z.string().min(1)).max(100).optional(),
  }),
  z.strictObject({ type: z.literal("hitl_gate"), reason: z.string().min(1).max(1_000) }),
  z.strictObject({ type: z.literal("constraint"), text: z.string().min(1).max(10_000) }),
  z.strictObject({ type: z.literal("telemetry"), event: z.string().min(1).max(100) }),
])
export type GuidelineAction = z.infer<typeof GuidelineAction>

export const Guideline = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,99}$/),
  title: z.string().min(1).max(200),
  category: z.string().min(1).max(100),
  priority: z.int().min(0).max(1_000),
  isAdvisory: z.boolean().default(true),
  isEnabled: z.boolean().default(true),
  when: GuidelineCondition.default({}),
  actions: z.array(GuidelineAction).min(1).max(50),
})
export type Guideline = z.infer<typeof Guideline>

export const GuidelinesList = z.object({
  guidelines: z
    .array(Guideline.extend({ origin: z.string().describe("default, or its file") }))
    .describe("Highest priority first"),
  verdict: z
    .object({
      instructions: z.array(z.string()),
      constraints: z.array(z.string()),
      allowedTools: z.array(z.string()).nullable().describe("Null if all are allowed"),
      deniedTools: z.array(z.string()),
      gates: z.array(z.string()),
    })
    .describe("Combined effect"),
})
export type GuidelinesList = z.infer<typeof GuidelinesList>
