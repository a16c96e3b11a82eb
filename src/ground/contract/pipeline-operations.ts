import { z } from "zod"
import { PipelineEvent, PipelineId, PipelineLine, PipelineRun } from "./pipeline.ts"
import { AgentFolder, AgentSlug, Depth } from "./pipeline-config.ts"

const Usd = z.number().nonnegative()

const id = PipelineId.describe("Run, by id")
const message = z.string().max(20_000)
const pause = z
  .string()
  .max(60)
  .optional()
  .describe("Pause that is meant, by its id; refused when it was answered already")

export const PipelineListInput = z.strictObject({
  agent: AgentSlug.optional().describe("Only runs of this agent"),
  session: z.string().max(100).optional().describe("Only runs that belong to this session"),
  limit: z.int().min(1).max(500).default(50).describe("At most so many, newest first"),
})
export const PipelineList = z.object({ runs: z.array(PipelineLine) })
export type PipelineList = z.infer<typeof PipelineList>

export const PipelineRunInput = z.strictObject({
  agent: AgentSlug.describe("Agent, by its folder's name"),
  query: z.string().min(1).max(20_000).describe("What it should find out or do"),
  depth: Depth.default("standard").describe("How far it goes"),
  budget: z.number().positive().max(100_000).optional().describe("US dollars; default: its config"),
  session: z.string().max(100).optional().describe("Run of an agent it belongs to"),
  model: z.string().max(200).optional().describe("Model for every stage that names none"),
  auto: z.boolean().default(false).describe("Never pause"),
})
export const PipelineIdInput = z.strictObject({ id })
export const PipelineShow = z.object({ run: PipelineRun, events: z.array(PipelineEvent) })
export type PipelineShow = z.infer<typeof PipelineShow>
export const PipelineShowInput = z.strictObject({
  id,
  after: z.int().nonnegative().default(0).describe("Only events after this number"),
})
export const PipelineResumeInput = z.strictObject({ id, pause })
export const PipelineAmendInput = z.strictObject({
  id,
  text: message.describe("What should be different; the stage is done again with it"),
  pause,
})
export const PipelineStopInput = z.strictObject({ id })
export const PipelineSkipInput = z.strictObject({ id, pause })
export const PipelineRerunInput = z.strictObject({
  id,
  stage: z.string().min(1).max(60).describe("Stage to begin with, by name or number"),
  edit: message.optional().describe("What should be different this time"),
})
export const PipelineSayInput = z.strictObject({
  id,
  text: message.min(1).describe("An answer to a pause, or a word after the end"),
  pause,
})
/** What a message to a run came to. */
export const PipelineSaid = z.object({
  case: z.enum(["A", "B", "C", "D", "D'", "E", "after"]),
  run: PipelineRun,
  reply: z.string().describe("What the person is told"),
  answered: z.string().nullable().describe("The message that was answered after an exit"),
})
export type PipelineSaid = z.infer<typeof PipelineSaid>
export const PipelineDocument = z.object({
  id: PipelineId,
  title: z.string(),
  markdown: z.string(),
  isPartial: z.boolean(),
  references: z.array(
    z.object({
      label: z.string().describe("P3 or W1, as in the text"),
      title: z.string(),
      citation: z.string(),
      paragraph: z.string().nullable(),
      url: z.string().nullable(),
      isPrior: z.boolean().describe("Taken from an earlier run's answer"),
    }),
  ),
})
export type PipelineDocument = z.infer<typeof PipelineDocument>
export const PipelineCompareInput = z.strictObject({
  id,
  other: PipelineId.describe("Run it is held against"),
})
export const PipelineCompare = z.object({
  left: PipelineLine,
  right: PipelineLine,
  stages: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      left: z
        .object({ summary: z.string().nullable(), usd: Usd, rounds: z.int(), output: z.string() })
        .nullable(),
      right: z
        .object({ summary: z.string().nullable(), usd: Usd, rounds: z.int(), output: z.string() })
        .nullable(),
      isSame: z.boolean().describe("Whether both gave the same output"),
    }),
  ),
})
export type PipelineCompare = z.infer<typeof PipelineCompare>

export const AgentListInput = z.strictObject({})
export const AgentList = z.object({ agents: z.array(AgentFolder) })
export type AgentList = z.infer<typeof AgentList>
export const AgentShowInput = z.strictObject({
  slug: AgentSlug.describe("Agent, by its folder's name"),
})
export const AgentShow = z.object({
  agent: AgentFolder,
  prompts: z.array(z.object({ file: z.string(), text: z.string() })),
  runs: z.array(PipelineLine),
})
export type AgentShow = z.infer<typeof AgentShow>
export const AgentNewInput = z.strictObject({
  slug: AgentSlug.describe("Name of its folder"),
  template: AgentSlug.default("deep-research").describe("Shipped agent to start from"),
})
export const AgentValidateInput = z.strictObject({
  slug: AgentSlug.optional().describe("Only this one; default: all"),
})
export const AgentValidate = z.object({
  agents: z.array(AgentFolder),
  isValid: z.boolean(),
})
export type AgentValidate = z.infer<typeof AgentValidate>
export const AgentTrustInput = z.strictObject({
  slug: AgentSlug.describe("Agent of this repository, as it is now"),
  digest: z.string().max(100).optional().describe("What was read; refused when it has changed"),
})
