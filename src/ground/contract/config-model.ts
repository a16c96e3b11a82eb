import { z } from "zod"
import { AgentType } from "./agent.ts"
import { field } from "./config-field.ts"

const MODEL_PROVIDERS = ["scripted", "anthropic", "openai", "azure", "custom"] as const
export const ModelProvider = z.enum(MODEL_PROVIDERS)
export type ModelProvider = z.infer<typeof ModelProvider>

const Name = z.string().max(200).default("")
const Url = z.string().max(2_000).default("")

/**
 * Which model is asked. A repository that somebody else wrote decides none of it: its base URL
 * would get this person's key, its retries and efforts would cost their money.
 */
export const ModelSettings = z
  .strictObject({
    provider: field(ModelProvider.default("scripted"), {
      description: "Who answers: scripted works offline; custom speaks OpenAI's wire at baseUrl",
      env: "QM_MODEL_PROVIDER",
      personal: true,
    }),
    name: field(Name, {
      description: "Model or Azure deployment; empty for the provider's usual one",
      env: "QM_MODEL_NAME",
      personal: true,
    }),
    baseUrl: field(Url, {
      description: "Address of the provider; empty for its own, needed for azure and custom",
      env: "QM_MODEL_BASE_URL",
      personal: true,
    }),
    apiVersion: field(z.string().max(40).default("2025-04-01-preview"), {
      description: "Version of Azure's API",
      env: "QM_MODEL_API_VERSION",
      personal: true,
    }),
    effort: field(z.enum(["low", "medium", "high"]).default("medium"), {
      description: "How long it thinks, where the model can",
      env: "QM_MODEL_EFFORT",
      personal: true,
    }),
    retries: field(z.int().min(0).max(10).default(2), {
      description: "How often a call is tried again after a passing failure",
      env: "QM_MODEL_RETRIES",
      personal: true,
    }),
    timeout: field(z.int().min(1).max(3_600).default(300), {
      description: "Seconds a call may take",
      env: "QM_MODEL_TIMEOUT",
      personal: true,
    }),
  })
  .prefault({})

export const KnowledgeSettings = z
  .strictObject({
    embedder: field(Name, {
      description:
        "Model that embeds paragraphs, at an OpenAI-compatible address; empty: words only",
      env: "QM_KNOWLEDGE_EMBEDDER",
      personal: true,
    }),
    embedderUrl: field(Url, {
      description: "Address of the embedder; empty for the model's own address",
      env: "QM_KNOWLEDGE_EMBEDDER_URL",
      personal: true,
    }),
    webSource: field(z.string().max(60).default(""), {
      description: "Source that searches the web; empty: the first approved one that can",
      env: "QM_KNOWLEDGE_WEB_SOURCE",
      personal: true,
    }),
  })
  .prefault({})

export const PipelineSettings = z
  .strictObject({
    budget: field(z.number().positive().max(100_000).default(10), {
      description: "US dollars a run may cost when its agent says nothing",
      env: "QM_PIPELINE_BUDGET",
      personal: true,
    }),
    window: field(z.int().min(1_000).max(10_000_000).default(200_000), {
      description: "Tokens a stage may be given in all",
      env: "QM_PIPELINE_WINDOW",
      personal: true,
    }),
    agent: field(AgentType.default("synthetic"), {
      description: "Agent that stages start when they name none; synthetic plays a script, offline",
      env: "QM_PIPELINE_AGENT",
      personal: true,
    }),
    classifier: field(z.boolean().default(true), {
      description: "Whether a model judges messages to a paused run that no phrase decides",
      env: "QM_PIPELINE_CLASSIFIER",
      personal: true,
    }),
  })
  .prefault({})
