import { z } from "zod"
import { field } from "./config-field.ts"
import { AGENT_TYPES } from "./shapes/agent.ts"

const MODEL_PROVIDERS = ["scripted", "anthropic", "openai", "azure", "custom"] as const
export const ModelProvider = z.enum(MODEL_PROVIDERS)
export type ModelProvider = z.infer<typeof ModelProvider>

const Name = z.string().max(200).default("")
const Url = z.string().max(2_000).default("")

/**
 * A repository cannot set them: its base URL would receive the user's key, its retries would cost
 * the user's money.
 */
export const ModelSettings = z
  .strictObject({
    provider: field(ModelProvider.default("scripted"), {
      description: "Model provider: scripted works offline, custom is OpenAI-compatible at baseUrl",
      env: "QM_MODEL_PROVIDER",
      personal: true,
    }),
    name: field(Name, {
      description: "Model or Azure deployment; empty uses the provider's default",
      env: "QM_MODEL_NAME",
      personal: true,
    }),
    baseUrl: field(Url, {
      description: "Base URL of the provider; empty uses its own; required for azure and custom",
      env: "QM_MODEL_BASE_URL",
      personal: true,
    }),
    apiVersion: field(z.string().max(40).default("2025-04-01-preview"), {
      description: "Azure API version",
      env: "QM_MODEL_API_VERSION",
      personal: true,
    }),
    effort: field(z.enum(["low", "medium", "high"]).default("medium"), {
      description: "Reasoning effort, for models that support it",
      env: "QM_MODEL_EFFORT",
      personal: true,
    }),
    retries: field(z.int().min(0).max(10).default(2), {
      description: "Number of retries after a temporary failure",
      env: "QM_MODEL_RETRIES",
      personal: true,
    }),
    timeout: field(z.int().min(1).max(3_600).default(300), {
      description: "Seconds until a model call times out",
      env: "QM_MODEL_TIMEOUT",
      personal: true,
    }),
  })
  .prefault({})

export const KnowledgeSettings = z
  .strictObject({
    embedder: field(Name, {
      description: "Embedding model at an OpenAI-compatible URL; empty for none",
      env: "QM_KNOWLEDGE_EMBEDDER",
      personal: true,
    }),
    embedderUrl: field(Url, {
      description: "Base URL of the embedder; empty uses model.baseUrl",
      env: "QM_KNOWLEDGE_EMBEDDER_URL",
      personal: true,
    }),
    connection: field(z.string().max(40).default(""), {
      description: "Model connection that makes vectors, instead of embedder and embedderUrl",
      env: "QM_KNOWLEDGE_CONNECTION",
      personal: true,
    }),
    related: field(z.boolean().default(true), {
      description: "Search related words too, with the word vectors of the package (English)",
      env: "QM_KNOWLEDGE_RELATED",
      personal: true,
    }),
    webSource: field(z.string().max(60).default(""), {
      description: "Source for web search; empty uses the first approved source that supports it",
      env: "QM_KNOWLEDGE_WEB_SOURCE",
      personal: true,
    }),
  })
  .prefault({})

export const PipelineSettings = z
  .strictObject({
    budget: field(z.number().positive().max(100_000).default(10), {
      description: "Budget of a pipeline run in US dollars, unless its recipe sets one",
      env: "QM_PIPELINE_BUDGET",
      personal: true,
    }),
    window: field(z.int().min(1_000).max(10_000_000).default(200_000), {
      description: "Maximum number of tokens in the input of a stage",
      env: "QM_PIPELINE_WINDOW",
      personal: true,
    }),
    agent: field(z.enum(["installed", ...AGENT_TYPES]).default("installed"), {
      description:
        "Agent for stages that name none; installed is the first one found, synthetic plays a script offline",
      env: "QM_PIPELINE_AGENT",
      personal: true,
    }),
    classifier: field(z.boolean().default(true), {
      description: "Let a model classify messages to a paused run that match no known phrase",
      env: "QM_PIPELINE_CLASSIFIER",
      personal: true,
    }),
  })
  .prefault({})

/** Personal: a repository must not let agents call the user's sources. */
export const SourceSettings = z
  .strictObject({
    sessions: field(z.string().max(2_000).default(""), {
      description:
        "Sources that agents of every session may call, separated by commas; * is all approved ones. Their tools are then part of `qm mcp`",
      env: "QM_SOURCES_SESSIONS",
      list: ",",
      personal: true,
    }),
  })
  .prefault({})
