import { z } from "zod"
import { defineOperations } from "../operation.ts"
import {
  AgentList,
  AgentShow,
  AgentValidate,
  PipelineCompare,
  PipelineDocument,
  PipelineId,
  PipelineList,
  PipelineRun,
  PipelineSaid,
  PipelineShow,
  PipelineSummary,
} from "../pipeline.ts"
import { AgentFolder, AgentSlug, Depth } from "../pipeline-config.ts"

const id = PipelineId.describe("Run, by id")

const PipelineIdInput = z.strictObject({ id })

const message = z.string().max(20_000)

const pause = z
  .string()
  .max(60)
  .optional()
  .describe("Pause that is meant, by its id; refused when it was answered already")

export const pipelineOperations = defineOperations("pipeline", {
  list: {
    summary: "List runs of pipelines, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["pipeline"], alsoWords: ["pipeline", "list"], group: "Act" },
    input: z.strictObject({
      agent: AgentSlug.optional().describe("Only runs of this agent"),
      session: z.string().max(100).optional().describe("Only runs that belong to this session"),
      limit: z.int().min(1).max(500).default(50).describe("At most so many, newest first"),
    }),
    output: PipelineList,
  },
  show: {
    summary: "Show a run with its stages, its cost and its events",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.strictObject({
      id,
      after: z.int().nonnegative().default(0).describe("Only events after this number"),
    }),
    output: PipelineShow,
  },
  document: {
    summary: "Read the document a run wrote, with its references",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: PipelineIdInput,
    output: PipelineDocument,
  },
  summary: {
    summary: "Read what later turns are told of a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: PipelineIdInput,
    output: PipelineSummary,
  },
  compare: {
    summary: "Hold two runs against each other, stage by stage",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "other"], group: "Act" },
    input: z.strictObject({
      id,
      other: PipelineId.describe("Run it is held against"),
    }),
    output: PipelineCompare,
  },
  run: {
    summary: "Start an agent's pipeline with a question or a task",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["agent", "query"], group: "Act" },
    input: z.strictObject({
      agent: AgentSlug.describe("Agent, by its folder's name"),
      query: z.string().min(1).max(20_000).describe("What it should find out or do"),
      depth: Depth.default("standard").describe("How far it goes"),
      budget: z
        .number()
        .positive()
        .max(100_000)
        .optional()
        .describe("US dollars; default: its config"),
      session: z.string().max(100).optional().describe("Run of an agent it belongs to"),
      model: z.string().max(200).optional().describe("Model for every stage that names none"),
      auto: z.boolean().default(false).describe("Never pause"),
    }),
    output: PipelineRun,
  },
  rerun: {
    summary: "Do a run again from a stage, with an edit, as a new run",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "stage"], group: "Act" },
    input: z.strictObject({
      id,
      stage: z.string().min(1).max(60).describe("Stage to begin with, by name or number"),
      edit: message.optional().describe("What should be different this time"),
    }),
    output: PipelineRun,
  },
  stop: {
    summary: "End a run; what it found is kept",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.strictObject({ id }),
    output: PipelineRun,
  },
  resume: {
    summary: "Go on with a run that is paused or was interrupted",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.strictObject({ id, pause }),
    output: PipelineRun,
  },
  amend: {
    summary: "Say what should be different; the stage is done again with it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "text"], group: "Act" },
    input: z.strictObject({
      id,
      text: message.describe("What should be different; the stage is done again with it"),
      pause,
    }),
    output: PipelineRun,
  },
  skip: {
    summary: "Leave out the next stage of a paused run, or the one that failed",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.strictObject({ id, pause }),
    output: PipelineRun,
  },
  say: {
    summary: "Say something to a paused run, or after its end",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "text"], group: "Act" },
    input: z.strictObject({
      id,
      text: message.min(1).describe("An answer to a pause, or a word after the end"),
      pause,
    }),
    output: PipelineSaid,
  },
})

export const agentOperations = defineOperations("agent", {
  list: {
    summary: "List the agents people can run, with their folders",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["agent"], alsoWords: ["agent", "list"], group: "Act" },
    input: z.strictObject({}),
    output: AgentList,
  },
  show: {
    summary: "Show an agent's stages and prompts, and its runs",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Act" },
    input: z.strictObject({
      slug: AgentSlug.describe("Agent, by its folder's name"),
    }),
    output: AgentShow,
  },
  new: {
    summary: "Make an agent of your own from a shipped one",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Act" },
    input: z.strictObject({
      slug: AgentSlug.describe("Name of its folder"),
      template: AgentSlug.default("deep-research").describe("Shipped agent to start from"),
    }),
    output: AgentFolder,
  },
  validate: {
    summary: "Check agents' folders: each problem with its file, line, stage and field",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Act" },
    input: z.strictObject({
      slug: AgentSlug.optional().describe("Only this one; default: all"),
    }),
    output: AgentValidate,
  },
  trust: {
    summary: "Trust an agent that came with the repository, as its folder is now",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Act" },
    input: z.strictObject({
      slug: AgentSlug.describe("Agent of this repository, as it is now"),
      digest: z.string().max(100).optional().describe("What was read; refused when it has changed"),
    }),
    output: AgentFolder,
  },
})
