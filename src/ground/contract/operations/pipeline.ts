import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  PipelineCompare,
  PipelineDocument,
  PipelineId,
  PipelineList,
  PipelineReply,
  PipelineRun,
  PipelineShow,
  PipelineSummary,
  RecipeList,
  RecipeShow,
  RecipeValidate,
} from "../shapes/pipeline.ts"
import { Depth, RecipeFolder, RecipeSlug } from "../shapes/pipeline-config.ts"

const id = listedBy(
  "pipeline.list",
  PipelineId.describe("Pipeline run id, listed by `qm pipeline`"),
)

const recipe = listedBy("recipe.list", RecipeSlug.describe("Recipe, by folder name"))

const PipelineIdInput = z.strictObject({ id })

const message = z.string().max(20_000)

const pause = z
  .string()
  .max(60)
  .optional()
  .describe("Id of the pause to answer; fails if it is already answered")

export const pipelineOperations = defineOperations("pipeline", {
  list: {
    summary: "List pipeline runs, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["pipeline"],
      aliases: ["pipeline list"],
      flagNames: { agent: "recipe" },
      formerFlags: { agent: "agent" },
      group: "Pipelines",
      examples: ["qm pipeline", "qm pipeline --recipe deep-research"],
    },
    input: z.strictObject({
      agent: listedBy("recipe.list", RecipeSlug.optional().describe("Only runs of this recipe")),
      session: z.string().max(100).optional().describe("Only runs of this session"),
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of runs"),
    }),
    output: PipelineList,
    rows: { field: "runs", id: "id", title: ["agent", "query"] },
  },
  show: {
    summary: "Show a pipeline run: stages, cost and events",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline show p-1"] },
    input: z.strictObject({
      id,
      after: z.int().nonnegative().default(0).describe("Only events after this number"),
    }),
    output: PipelineShow,
  },
  document: {
    summary: "Print the document a pipeline run wrote, with its references",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline document p-1"] },
    input: PipelineIdInput,
    output: PipelineDocument,
  },
  summary: {
    summary: "Print the summary that later turns receive of a pipeline run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline summary p-1"] },
    input: PipelineIdInput,
    output: PipelineSummary,
  },
  compare: {
    summary: "Compare two pipeline runs, stage by stage",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "other"], group: "Pipelines", examples: ["qm pipeline compare p-1 p-2"] },
    input: z.strictObject({
      id,
      other: listedBy("pipeline.list", PipelineId.describe("Id of the run to compare with")),
    }),
    output: PipelineCompare,
  },
  run: {
    summary: "Start a recipe's pipeline with a question or task",
    effect: "write",
    quota: "run",
    surfaces: ["cli", "http"],
    cli: {
      args: ["agent", "query"],
      flagNames: { agent: "recipe" },
      group: "Pipelines",
      examples: ['qm pipeline run deep-research "How do we round prices?"'],
    },
    input: z.strictObject({
      agent: recipe,
      query: z.string().min(1).max(20_000).describe("Question or task"),
      depth: Depth.default("standard").describe("Depth of the work"),
      budget: z
        .number()
        .positive()
        .max(100_000)
        .optional()
        .describe("Budget in US dollars (default: the recipe's)"),
      session: z.string().max(100).optional().describe("Id of the agent run it belongs to"),
      fresh: z.boolean().optional().describe("Do not build on an earlier run"),
      model: z.string().max(200).optional().describe("Model for stages that name none"),
      auto: z.boolean().default(false).describe("Run without pauses"),
    }),
    output: PipelineRun,
  },
  rerun: {
    summary: "Repeat a pipeline run from a stage, as a new run",
    effect: "write",
    quota: "run",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id", "stage"],
      group: "Pipelines",
      examples: ['qm pipeline rerun p-1 2 --edit "Compare prices too"'],
    },
    input: z.strictObject({
      id,
      stage: z.string().min(1).max(60).describe("First stage, by name or number"),
      edit: message.optional().describe("What to do differently"),
    }),
    output: PipelineRun,
  },
  stop: {
    summary: "Stop a pipeline run; its results are kept",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline stop p-1"] },
    input: z.strictObject({ id }),
    output: PipelineRun,
  },
  resume: {
    summary: "Resume a pipeline run that is paused or was interrupted",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline resume p-1"] },
    input: z.strictObject({ id, pause }),
    output: PipelineRun,
  },
  amend: {
    summary: "Repeat the stage of a paused pipeline run with a correction",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id", "text"],
      group: "Pipelines",
      examples: ['qm pipeline amend p-1 "Only sources after 2024"'],
    },
    input: z.strictObject({
      id,
      text: message.describe("What to do differently"),
      pause,
    }),
    output: PipelineRun,
  },
  skip: {
    summary: "Skip the next stage of a paused pipeline run, or the failed one",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Pipelines", examples: ["qm pipeline skip p-1"] },
    input: z.strictObject({ id, pause }),
    output: PipelineRun,
  },
  say: {
    summary: "Answer a paused pipeline run, or continue after its end",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "text"], group: "Pipelines", examples: ['qm pipeline say p-1 "continue"'] },
    input: z.strictObject({
      id,
      text: message.min(1).describe("Answer to the pause, or a follow-up message"),
      pause,
    }),
    output: PipelineReply,
  },
})

export const recipeOperations = defineOperations("recipe", {
  list: {
    summary: "List recipes (pipeline definitions) and their folders",
    formerName: "agent.list",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["recipe"],
      aliases: ["recipe list", "agent", "agent list"],
      group: "Pipelines",
      examples: ["qm recipe"],
    },
    input: z.strictObject({}),
    output: RecipeList,
    rows: { field: "recipes", id: "slug", title: ["name"] },
  },
  show: {
    summary: "Show a recipe's stages, prompts and runs",
    formerName: "agent.show",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["slug"],
      aliases: ["agent show"],
      group: "Pipelines",
      examples: ["qm recipe show deep-research"],
    },
    input: z.strictObject({
      slug: recipe,
    }),
    output: RecipeShow,
  },
  new: {
    summary: "Create a recipe from a template",
    formerName: "agent.new",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["slug"],
      aliases: ["agent new"],
      group: "Pipelines",
      examples: ["qm recipe new my-research --template deep-research"],
    },
    input: z.strictObject({
      slug: RecipeSlug.describe("Folder name of the new recipe"),
      template: listedBy(
        "recipe.list",
        RecipeSlug.default("deep-research").describe("Recipe to copy"),
      ),
    }),
    output: RecipeFolder,
  },
  validate: {
    summary: "Check recipes; reports file, line, stage and field of each problem",
    formerName: "agent.validate",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    mcp: {
      set: "work",
      rank: 9,
      name: "recipe_validate",
      title: "Check recipes",
      description:
        "Checks recipes (pipeline definitions): file, line, stage and field of each problem. Use after you wrote or edited one.",
    },
    cli: {
      args: ["slug"],
      aliases: ["agent validate"],
      group: "Pipelines",
      examples: ["qm recipe validate", "qm recipe validate my-research"],
    },
    input: z.strictObject({
      slug: listedBy(
        "recipe.list",
        RecipeSlug.optional().describe("Only this recipe (default: all)"),
      ),
    }),
    output: RecipeValidate,
  },
  trust: {
    summary: "Trust a recipe of this repository in its current version",
    formerName: "agent.trust",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["slug"],
      aliases: ["agent trust"],
      group: "Pipelines",
      examples: ["qm recipe trust my-research"],
    },
    input: z.strictObject({
      slug: recipe,
      digest: z
        .string()
        .max(100)
        .optional()
        .describe("Digest of the version you read; fails if the folder has changed"),
    }),
    output: RecipeFolder,
  },
})
