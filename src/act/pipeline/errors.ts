import { defineError } from "#ground/base"

type OfRun = { readonly id: string }

export const RunUnknown = defineError<OfRun>()("PIPELINE_UNKNOWN", {
  family: "not-found",
  message: (it) => `Pipeline run ${it.id} does not exist in this repository's store.`,
  hint: () => "List the runs with `qm pipeline list`; runs of other repositories are not listed.",
})

export const RunEnded = defineError<OfRun & { readonly status: string }>()("PIPELINE_ENDED", {
  family: "conflict",
  message: (it) => `Run ${it.id} has ended (${it.status}).`,
  hint: (it) =>
    `Repeat it as a new run, from its first stage, with \`qm pipeline rerun ${it.id} 0\`.`,
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
      ? `Run ${it.id} is not paused; it is ${it.status}.`
      : `Run ${it.id} no longer waits at ${it.pause}; it is ${it.status}.`,
  hint: (it) => {
    if (it.pause !== undefined) {
      return `The pause was already answered. See \`qm pipeline show ${it.id}\`.`
    }
    return it.status === "interrupted"
      ? `No process works on it. Continue it with \`qm pipeline resume ${it.id}\`.`
      : `See \`qm pipeline show ${it.id}\`; \`qm pipeline stop ${it.id}\` ends it at any time.`
  },
})

export const AtWorkElsewhere = defineError<OfRun & { readonly owner: string }>()(
  "PIPELINE_AT_WORK_ELSEWHERE",
  {
    family: "conflict",
    message: (it) => `Another process works on run ${it.id} (${it.owner}).`,
    hint: () => "Wait for its next pause or end, or end that process; the run stays stored.",
  },
)

export const StageUnknown = defineError<{
  readonly id: string
  readonly stage: string
  readonly stages: readonly string[]
}>()("PIPELINE_STAGE_UNKNOWN", {
  family: "invalid",
  message: (it) => `Run ${it.id} has no stage "${it.stage}".`,
  hint: (it) => `Use one of ${it.stages.join(", ")}, or a number from 0.`.slice(0, 160),
})

export const StageNotReached = defineError<{
  readonly id: string
  readonly stage: string
  readonly missing: string
}>()("PIPELINE_STAGE_NOT_REACHED", {
  family: "conflict",
  message: (it) =>
    `Run ${it.id} cannot be rerun from ${it.stage}: stage ${it.missing} never finished.`,
  hint: (it) => `Rerun it from ${it.missing} or an earlier stage.`,
})

export const NothingToSkip = defineError<OfRun>()("PIPELINE_NOTHING_TO_SKIP", {
  family: "conflict",
  message: (it) => `Run ${it.id} paused after its last stage, so there is no stage to skip.`,
  hint: (it) => `End the run with \`qm pipeline resume ${it.id}\`.`,
})

export const TextEmpty = defineError<{ readonly what: string }>()("PIPELINE_TEXT_EMPTY", {
  family: "invalid",
  message: (it) => `${it.what} needs a text; the given text is empty.`,
  hint: () => "Write what you want or what should change. To continue unchanged, resume the run.",
})

export const StageNeedsMissing = defineError<{
  readonly stage: string
  readonly problem: string
}>()("PIPELINE_STAGE_NEEDS_MISSING", {
  family: "unavailable",
  message: (it) => `Stage ${it.stage} lacks a requirement: ${it.problem}`,
  hint: () => "Provide it and resume, skip the stage, or set `optional: true` in config.json.",
})

export const StateDamaged = defineError<{
  readonly id: string
  readonly seq: number
  readonly problem: string
}>()("PIPELINE_STATE_DAMAGED", {
  family: "unavailable",
  message: (it) => `Run ${it.id} is damaged: event ${it.seq} ${it.problem}.`,
  hint: (it) =>
    `End it with \`qm pipeline stop ${it.id}\` and start again, or restore a backup with \`qm store restore\`.`,
})

export const AnswerInvalid = defineError<{
  readonly stage: string
  readonly asks: number
  readonly problem: string
}>()("PIPELINE_ANSWER_INVALID", {
  family: "unavailable",
  message: (it) =>
    `The model's response for ${it.stage} did not match its schema in ${it.asks} calls: ${it.problem}`,
  hint: () =>
    "Resume the run to try again, or set model.name to another model and start a new run.",
})

export const ConnectionChanged = defineError<{
  id: string
  connection: string
  was: string
  is: string
}>()("PIPELINE_CONNECTION_CHANGED", {
  family: "conflict",
  message: (it) =>
    `Run ${it.id} started with the connection ${it.connection} as ${it.was}; it is now ${it.is}.`,
  hint: (it) =>
    `Restore it (\`qm connection\` lists all), or start again with \`qm pipeline rerun ${it.id} 0\`.`,
})

export const ProviderChanged = defineError<OfRun & { readonly was: string; readonly is: string }>()(
  "PIPELINE_PROVIDER_CHANGED",
  {
    family: "conflict",
    message: (it) =>
      `Run ${it.id} started with the provider ${it.was}; the settings now name ${it.is}.`,
    hint: (it) =>
      `Continue with \`qm config set model.provider ${it.was}\` and \`qm pipeline resume ${it.id}\`, or start again with \`qm pipeline rerun ${it.id} 0\`.`,
  },
)

export const OutOfScope = defineError<{
  readonly stage: string
  readonly wanted: string
}>()("PIPELINE_OUT_OF_SCOPE", {
  family: "denied",
  message: (it) => `Stage ${it.stage} may not use ${it.wanted}: it is outside the stage's scope.`,
  hint: (it) => `To allow it, add it to the scope of ${it.stage} in the recipe's config.json.`,
})

export const EffectRepeated = defineError<{
  readonly stage: string
  readonly key: string
}>()("PIPELINE_EFFECT_REPEATED", {
  family: "conflict",
  message: (it) => `Stage ${it.stage} used the key "${it.key}" for two effects.`,
  hint: () => "This is a bug in the stage's code: each effect needs its own key.",
})

export const ResultTooLarge = defineError<{
  readonly stage: string
  readonly characters: number
  readonly most: number
}>()("PIPELINE_RESULT_TOO_LARGE", {
  family: "full",
  message: (it) =>
    `A result of ${it.stage} has ${it.characters} characters; the limit is ${it.most}.`,
  hint: () => "Use a smaller depth or a narrower query.",
})

export const PromptTooLong = defineError<{
  readonly stage: string
  readonly tokens: number
  readonly most: number
}>()("PIPELINE_PROMPT_TOO_LONG", {
  family: "full",
  message: (it) => `The prompt of ${it.stage} has ${it.tokens} tokens; the limit is ${it.most}.`,
  hint: (it) =>
    `Use a smaller depth, or raise the limit: \`qm config set pipeline.window ${it.tokens}\`.`,
})

export const PromptMissing = defineError<{
  readonly stage: string
  readonly file: string
}>()("PIPELINE_PROMPT_MISSING", {
  family: "not-found",
  message: (it) => `Stage ${it.stage} has no prompt file ${it.file}.`,
  hint: () => "Check the recipe with `qm recipe validate`.",
})

export const StageFailed = defineError<{
  readonly stage: string
  readonly problem: string
}>()("PIPELINE_STAGE_FAILED", {
  family: "unavailable",
  message: (it) => `Stage ${it.stage} failed: ${it.problem}`,
  hint: () => "Resume the run to try again, or skip the stage. Earlier results are stored.",
})

export const RecipeUnknown = defineError<{
  readonly slug: string
  readonly known: readonly string[]
}>()("PIPELINE_RECIPE_UNKNOWN", {
  formerCode: "PIPELINE_AGENT_UNKNOWN",
  family: "not-found",
  message: (it) => `Recipe "${it.slug}" does not exist.`,
  hint: (it) => `Recipes: ${it.known.join(", ")}.`.slice(0, 160),
})

export const RecipeUntrusted = defineError<{ readonly slug: string }>()(
  "PIPELINE_RECIPE_UNTRUSTED",
  {
    formerCode: "PIPELINE_AGENT_UNTRUSTED",
    family: "denied",
    message: (it) => `Recipe ${it.slug} came with this repository and is not trusted yet.`,
    hint: (it) =>
      `Read it with \`qm recipe show ${it.slug}\`, then \`qm recipe trust ${it.slug}\`.`,
  },
)

export const RecipeInvalid = defineError<{
  readonly slug: string
  readonly problem: string
}>()("PIPELINE_RECIPE_INVALID", {
  formerCode: "PIPELINE_AGENT_INVALID",
  family: "invalid",
  message: (it) => `Recipe ${it.slug} cannot run: ${it.problem}`,
  hint: () => "List all its problems with `qm recipe validate`.",
})

export const DocumentMissing = defineError<OfRun>()("PIPELINE_DOCUMENT_MISSING", {
  family: "not-found",
  message: (it) => `Run ${it.id} has no document yet.`,
  hint: (it) => `See its results so far with \`qm pipeline summary ${it.id}\`.`,
})

export const StageCutTooOften = defineError<{
  readonly stage: string
  readonly attempts: number
}>()("PIPELINE_STAGE_CUT_TOO_OFTEN", {
  family: "unavailable",
  message: (it) => `Stage ${it.stage} was interrupted ${it.attempts} times before it finished.`,
  hint: () => "Its process keeps ending early. Check the log, then amend or skip the stage.",
})

export const RecipeExists = defineError<{ readonly slug: string }>()("PIPELINE_RECIPE_EXISTS", {
  formerCode: "PIPELINE_AGENT_EXISTS",
  family: "conflict",
  message: (it) => `This repository already has a recipe "${it.slug}".`,
  hint: () => "Choose another name, or edit the existing recipe. Nothing was written.",
})

export const RecipeChanged = defineError<{ readonly slug: string }>()("PIPELINE_RECIPE_CHANGED", {
  formerCode: "PIPELINE_AGENT_CHANGED",
  family: "conflict",
  message: (it) => `The folder of recipe ${it.slug} changed after it was read.`,
  hint: (it) => `Read it again with \`qm recipe show ${it.slug}\`, then trust it.`,
})

export const RecipeTemplateUnknown = defineError<{
  readonly template: string
  readonly known: readonly string[]
}>()("PIPELINE_RECIPE_TEMPLATE_UNKNOWN", {
  formerCode: "PIPELINE_AGENT_TEMPLATE_UNKNOWN",
  family: "not-found",
  message: (it) => `No shipped recipe is called "${it.template}".`,
  hint: (it) => `Shipped recipes: ${it.known.join(", ")}.`.slice(0, 160),
})

export const StageWithoutPrompt = defineError<{ stage: string; kind: string }>()(
  "PIPELINE_STAGE_WITHOUT_PROMPT",
  {
    family: "invalid",
    message: (it) => `Stage ${it.stage} of kind ${it.kind} needs a prompt and has none.`,
    hint: () => "Add `prompt` to the stage in config.json and the file to prompts/.",
  },
)

export const PlaceholderUnknown = defineError<{ stage: string; name: string }>()(
  "PIPELINE_PLACEHOLDER_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `The prompt of stage ${it.stage} has the unknown placeholder {{${it.name}}}.`,
    hint: () => "Use query, amendments, feedback, context, plan, prior or outputs.<stage>.",
  },
)

export const NoAgentInstalled = defineError<{ known: readonly string[] }>()(
  "PIPELINE_NO_AGENT_INSTALLED",
  {
    family: "unavailable",
    message: (it) => `This recipe needs an agent, and none is installed (${it.known.join(", ")}).`,
    hint: () =>
      "Install one, or play the stage without changes: `qm config set pipeline.agent synthetic`.",
  },
)

export const AgentNotCompleted = defineError<{ type: string; outcome: string; run: string }>()(
  "PIPELINE_AGENT_NOT_COMPLETED",
  {
    family: "unavailable",
    message: (it) => `Agent ${it.type} did not finish: ${it.outcome} (${it.run}).`,
    hint: (it) => `See what it did with \`qm runs show ${it.run}\`, then resume the pipeline.`,
  },
)

export const NothingToVerify = defineError<{ stage: string }>()("PIPELINE_NOTHING_TO_VERIFY", {
  family: "conflict",
  message: (it) => `Stage ${it.stage} found no answer with sections to verify.`,
  hint: () => "Add an earlier stage whose output has `sections` with `title` and `text`.",
})
