import { defineError } from "#ground/base"

export const StageWithoutPrompt = defineError<{ stage: string; kind: string }>()(
  "PIPELINE_STAGE_WITHOUT_PROMPT",
  {
    family: "invalid",
    message: (it) => `Stage ${it.stage} is of kind ${it.kind}, which needs a prompt, and has none.`,
    hint: () => "Add `prompt` to the stage in config.json, and the file to prompts/.",
  },
)

export const PlaceholderUnknown = defineError<{ stage: string; name: string }>()(
  "PIPELINE_PLACEHOLDER_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `The prompt of stage ${it.stage} asks for {{${it.name}}}, which nobody gives.`,
    hint: () => "Use query, amendments, feedback, context, plan, prior or outputs.<stage>.",
  },
)

export const AgentNotCompleted = defineError<{ type: string; outcome: string; run: string }>()(
  "PIPELINE_AGENT_NOT_COMPLETED",
  {
    family: "unavailable",
    message: (it) => `The agent ${it.type} did not finish its work: ${it.outcome} (${it.run}).`,
    hint: (it) => `Read what it did with \`qm run show ${it.run}\`, then resume the pipeline.`,
  },
)

export const NothingToVerify = defineError<{ stage: string }>()("PIPELINE_NOTHING_TO_VERIFY", {
  family: "conflict",
  message: (it) => `Stage ${it.stage} found no answer with sections to hold against its sources.`,
  hint: () => "Put a stage before it whose output has `sections` with `title` and `text`.",
})
