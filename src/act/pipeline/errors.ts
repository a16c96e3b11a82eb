import { defineError } from "#ground/base"

type OfRun = { readonly id: string }

export const RunUnknown = defineError<OfRun>()("PIPELINE_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no pipeline run ${it.id} in this repository's store.`,
  hint: () =>
    "List the runs with `qm pipeline list`; a run of another repository is not seen here.",
})

export const RunEnded = defineError<OfRun & { readonly status: string }>()("PIPELINE_ENDED", {
  family: "conflict",
  message: (it) => `The run ${it.id} is over (${it.status}); nothing in it goes on.`,
  hint: (it) => `Do it again from a stage with \`qm pipeline rerun ${it.id} <stage>\`.`,
})

export const NotPaused = defineError<
  OfRun & {
    readonly status: string
    readonly pause?: string | undefined
  }
>()("PIPELINE_NOT_PAUSED", {
  family: "conflict",
  message: (it) =>
    it.pause === undefined
      ? `The run ${it.id} does not wait for anybody; it is ${it.status}.`
      : `The run ${it.id} does not wait at ${it.pause} any more; it is ${it.status}.`,
  hint: (it) => {
    if (it.pause !== undefined) {
      return `That pause was answered already; look at \`qm pipeline show ${it.id}\`.`
    }
    return it.status === "interrupted"
      ? `Nobody works on it; go on with \`qm pipeline resume ${it.id}\`.`
      : `Look at it with \`qm pipeline show ${it.id}\`; it can be stopped at any time.`
  },
})

export const AtWorkElsewhere = defineError<OfRun & { readonly owner: string }>()(
  "PIPELINE_AT_WORK_ELSEWHERE",
  {
    family: "conflict",
    message: (it) => `Another process works on the run ${it.id} (${it.owner}).`,
    hint: () => "Wait for its next pause or its end, or end that process; the run is kept.",
  },
)

export const StageUnknown = defineError<{
  readonly id: string
  readonly stage: string
  readonly stages: readonly string[]
}>()("PIPELINE_STAGE_UNKNOWN", {
  family: "invalid",
  message: (it) => `The run ${it.id} has no stage "${it.stage}".`,
  hint: (it) => `One of: ${it.stages.join(", ")}; or its number, from 0.`.slice(0, 160),
})

export const StageNotReached = defineError<{
  readonly id: string
  readonly stage: string
  readonly missing: string
}>()("PIPELINE_STAGE_NOT_REACHED", {
  family: "conflict",
  message: (it) =>
    `The run ${it.id} cannot be done again from ${it.stage}: it never finished ${it.missing}.`,
  hint: (it) => `Begin with ${it.missing}, or with a stage before it.`,
})

export const NothingToSkip = defineError<OfRun>()("PIPELINE_NOTHING_TO_SKIP", {
  family: "conflict",
  message: (it) => `The run ${it.id} paused after its last stage; there is none to skip.`,
  hint: (it) => `Go on with \`qm pipeline resume ${it.id}\`, which ends it.`,
})

export const TextEmpty = defineError<{ readonly what: string }>()("PIPELINE_TEXT_EMPTY", {
  family: "invalid",
  message: (it) => `${it.what} needs words, and the text is empty.`,
  hint: () => "Say what is wanted, or what should be different; to go on as it is, resume the run.",
})

export const StageNeedsMissing = defineError<{
  readonly stage: string
  readonly problem: string
}>()("PIPELINE_STAGE_NEEDS_MISSING", {
  family: "unavailable",
  message: (it) => `The stage ${it.stage} does not have what it needs: ${it.problem}`,
  hint: () => "Set it up and resume, skip the stage, or let config.json say `optional: true`.",
})

export const StateDamaged = defineError<{
  readonly id: string
  readonly seq: number
  readonly problem: string
}>()("PIPELINE_STATE_DAMAGED", {
  family: "unavailable",
  message: (it) => `The run ${it.id} cannot be read: event ${it.seq} ${it.problem}.`,
  hint: (it) =>
    `End it with \`qm pipeline stop ${it.id}\` and start anew, or restore a backup with \`qm store restore\`.`,
})

export const AnswerInvalid = defineError<{
  readonly stage: string
  readonly asks: number
  readonly problem: string
}>()("PIPELINE_ANSWER_INVALID", {
  family: "unavailable",
  message: (it) =>
    `The model's answer for ${it.stage} did not fit its schema in ${it.asks} asks: ${it.problem}`,
  hint: () => "Resume to ask again, or choose another model with `qm config set model.name`.",
})

export const OutOfScope = defineError<{
  readonly stage: string
  readonly wanted: string
}>()("PIPELINE_OUT_OF_SCOPE", {
  family: "denied",
  message: (it) => `The stage ${it.stage} may not use ${it.wanted}; its scope does not have it.`,
  hint: (it) => `Add it to the scope of ${it.stage} in the agent's config.json if it should.`,
})

export const EffectRepeated = defineError<{
  readonly stage: string
  readonly key: string
}>()("PIPELINE_EFFECT_REPEATED", {
  family: "conflict",
  message: (it) => `The stage ${it.stage} used the key "${it.key}" for two effects.`,
  hint: () => "This is a fault in the stage's code: each effect needs a key of its own.",
})

export const ResultTooLarge = defineError<{
  readonly stage: string
  readonly characters: number
  readonly most: number
}>()("PIPELINE_RESULT_TOO_LARGE", {
  family: "full",
  message: (it) =>
    `A result of ${it.stage} has ${it.characters} characters; at most ${it.most} are kept.`,
  hint: () => "Ask for less at once: a smaller depth, or a narrower query.",
})

export const PromptTooLong = defineError<{
  readonly stage: string
  readonly tokens: number
  readonly most: number
}>()("PIPELINE_PROMPT_TOO_LONG", {
  family: "full",
  message: (it) =>
    `The prompt of ${it.stage} has ${it.tokens} tokens; a stage is given ${it.most}.`,
  hint: () => "Choose a smaller depth, or raise it with `qm config set pipeline.window`.",
})

export const PromptMissing = defineError<{
  readonly stage: string
  readonly file: string
}>()("PIPELINE_PROMPT_MISSING", {
  family: "not-found",
  message: (it) => `The stage ${it.stage} has no prompt file ${it.file}.`,
  hint: () => "Look at the agent's folder with `qm agent validate`.",
})

export const StageFailed = defineError<{
  readonly stage: string
  readonly problem: string
}>()("PIPELINE_STAGE_FAILED", {
  family: "unavailable",
  message: (it) => `The stage ${it.stage} failed: ${it.problem}`,
  hint: () => "Resume to try it again, or skip it. What was done before is kept.",
})

export const AgentUnknown = defineError<{
  readonly slug: string
  readonly known: readonly string[]
}>()("PIPELINE_AGENT_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no agent "${it.slug}".`,
  hint: (it) => `Agents here: ${it.known.join(", ")}.`.slice(0, 160),
})

export const AgentUntrusted = defineError<{ readonly slug: string }>()("PIPELINE_AGENT_UNTRUSTED", {
  family: "denied",
  message: (it) => `The agent ${it.slug} came with this repository and nobody trusted it yet.`,
  hint: (it) => `Read it with \`qm agent show ${it.slug}\`, then \`qm agent trust ${it.slug}\`.`,
})

export const AgentInvalid = defineError<{
  readonly slug: string
  readonly problem: string
}>()("PIPELINE_AGENT_INVALID", {
  family: "invalid",
  message: (it) => `The agent ${it.slug} cannot run: ${it.problem}`,
  hint: () => "See all its problems with `qm agent validate`.",
})

export const DocumentMissing = defineError<OfRun>()("PIPELINE_DOCUMENT_MISSING", {
  family: "not-found",
  message: (it) => `The run ${it.id} has no document yet.`,
  hint: (it) => `What it found so far: \`qm pipeline summary ${it.id}\`.`,
})

export const StageCutTooOften = defineError<{
  readonly stage: string
  readonly attempts: number
}>()("PIPELINE_STAGE_CUT_TOO_OFTEN", {
  family: "unavailable",
  message: (it) => `The stage ${it.stage} was cut ${it.attempts} times before it was done.`,
  hint: () => "Something ends the process that works on it; look at the log, then amend or skip.",
})

export const AgentExists = defineError<{ readonly slug: string }>()("PIPELINE_AGENT_EXISTS", {
  family: "conflict",
  message: (it) => `This repository has an agent "${it.slug}" already.`,
  hint: () => "Choose another name, or edit the one that is there; nothing was written.",
})

export const AgentChanged = defineError<{ readonly slug: string }>()("PIPELINE_AGENT_CHANGED", {
  family: "conflict",
  message: (it) => `The folder of the agent ${it.slug} is not the one that was read.`,
  hint: (it) => `Read it again with \`qm agent show ${it.slug}\`, then trust what you read.`,
})

export const AgentTemplateUnknown = defineError<{
  readonly template: string
  readonly known: readonly string[]
}>()("PIPELINE_AGENT_TEMPLATE_UNKNOWN", {
  family: "not-found",
  message: (it) => `No agent "${it.template}" is shipped that one could start from.`,
  hint: (it) => `Shipped: ${it.known.join(", ")}.`.slice(0, 160),
})

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
