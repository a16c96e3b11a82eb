import { z } from "zod"

const Usd = z.number().nonnegative()

/** A recipe is a folder; its slug is the folder's name. */
export const RecipeSlug = z
  .string()
  .min(1)
  .max(60)
  .regex(/^[a-z][a-z0-9-]*$/, "lowercase letters, digits and dashes, starting with a letter")

/**
 * `ask` is one model call, `agent` starts an agent; the others are our code, which may call a model.
 */
const STAGE_KINDS = ["ask", "web", "tools", "retrieve", "verify", "document", "agent"] as const
export const StageKind = z.enum(STAGE_KINDS)
export type StageKind = z.infer<typeof StageKind>

export const DEPTHS = ["quick", "standard", "deep"] as const
export const Depth = z.enum(DEPTHS)
export type Depth = z.infer<typeof Depth>

export const Effort = z.enum(["low", "medium", "high"])
export type Effort = z.infer<typeof Effort>

export const ConfigProblem = z.object({
  file: z.string(),
  line: z.int().positive(),
  stage: z.string().nullable(),
  field: z.string(),
  problem: z.string(),
})
export type ConfigProblem = z.infer<typeof ConfigProblem>

/** Resources that a stage may use; the engine enforces this. */
export const StageScope = z.strictObject({
  knowledge: z.boolean().default(false).describe("May search the knowledge base"),
  sources: z.array(z.string()).default([]).describe("Sources it may call"),
  agents: z.array(z.string()).default([]).describe("Agents it may start"),
  paths: z
    .array(z.string())
    .default([])
    .describe("Files an agent may change, as globs; empty means all"),
})
export type StageScope = z.infer<typeof StageScope>

/** One call of a tool; texts in `args` may contain {{query}} and {{outputs.<stage>.<field>}}. */
export const StageCall = z.strictObject({
  source: z.string().min(1).max(60),
  tool: z.string().min(1).max(200),
  args: z.record(z.string(), z.unknown()).default({}),
})
export type StageCall = z.infer<typeof StageCall>

export const StageConfig = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, "lowercase letters, digits and underscores"),
  title: z.string().min(1).max(60).describe("Title for display"),
  kind: StageKind,
  prompt: z
    .string()
    .optional()
    .describe("File in prompts/, for kinds that call a model or an agent"),
  output: z.record(z.string(), z.unknown()).optional().describe("JSON schema of the output"),
  pauseAfter: z.boolean().default(false),
  question: z.string().max(200).optional().describe("Question of the pause"),
  model: z.string().optional(),
  connection: z
    .string()
    .max(40)
    .optional()
    .describe("Named model connection of the user; default: the model settings"),
  effort: Effort.optional(),
  maxOutputTokens: z.int().min(16).max(200_000).default(4_000),
  contextTokens: z
    .int()
    .min(100)
    .max(1_000_000)
    .optional()
    .describe("Maximum tokens of its context"),
  budgetUsd: Usd.optional(),
  optional: z
    .boolean()
    .default(false)
    .describe("Skipped with a note if its requirements are missing"),
  calls: z
    .array(StageCall)
    .max(20)
    .optional()
    .describe("For kind tools: calls of sources; with a prompt a model adds its own"),
  agent: z.string().optional().describe("For kind agent: the agent to start"),
  mode: z.enum(["plan", "ask", "edits", "auto"]).optional(),
  passes: z.string().optional().describe("Output field that must be true, else a repair starts"),
  scope: StageScope.prefault({}),
})
export type StageConfig = z.infer<typeof StageConfig>

export const DepthConfig = z.strictObject({
  subQueries: z.int().min(1).max(50),
  paragraphs: z.int().min(1).max(100).describe("Paragraphs that each sub-query may find"),
  totalParagraphs: z
    .int()
    .min(1)
    .max(400)
    .optional()
    .describe("Paragraphs of all sub-queries together; default: paragraphs × sub-queries"),
  repairs: z.int().min(0).max(10),
  contextTokens: z.int().min(500).max(500_000),
  web: z.boolean(),
})
export type DepthConfig = z.infer<typeof DepthConfig>

export const RepairUnit = z.strictObject({
  stages: z.tuple([z.string(), z.string()]).describe("First and last stage of the unit, by name"),
  maxIterations: z.int().min(0).max(10),
  feedbackField: z.string().default("feedback"),
})
export type RepairUnit = z.infer<typeof RepairUnit>

const Share = z.number().min(0).max(1)

/** Scores that an answer needs in a `verify` stage. */
export const VerificationConfig = z.strictObject({
  entityGrounding: Share.optional().describe("Least share of entities in the cited paragraphs"),
  citationAccuracy: Share.optional().describe("Least share of citations that support a sentence"),
  relationPreservation: Share.optional().describe("Least share of relations found in a paragraph"),
  contradictions: z.int().min(0).max(100).optional().describe("Most pairs that contradict"),
})
export type VerificationConfig = z.infer<typeof VerificationConfig>

const CITATION_FIELDS = ["citation", "title", "number", "heading", "page", "path"] as const
export type CitationField = (typeof CITATION_FIELDS)[number]

/**
 * `{title}[ § {number}][, p. {page}]`: fields in braces; a part in brackets is left out if one of
 * its fields is empty.
 */
const CitationFormat = z
  .string()
  .min(1)
  .max(200)
  .superRefine((format, context) => {
    const rest = format.replaceAll(/\[[^[\]]*\]/g, (part) => part.slice(1, -1))
    const names = [...rest.matchAll(/\{([^{}]*)\}/g)].map((it) => it[1] ?? "")
    const unknown = names.find((name) => !CITATION_FIELDS.some((it) => it === name))
    const plain = rest.replaceAll(/\{[^{}]*\}/g, "")
    if (unknown !== undefined)
      context.addIssue(`{${unknown}} is not a field; one of ${CITATION_FIELDS.join(", ")}`)
    else if (names.length === 0) context.addIssue("it names no field, such as {citation}")
    else if (/[{}[\]]/.test(plain)) context.addIssue("a brace or bracket has no partner")
  })

/** A language tag that `Intl` knows, such as `de` or `pt-BR`. */
const LanguageTag = z
  .string()
  .min(2)
  .max(35)
  .refine(isKnownLanguage, "not the tag of a language, such as de or pt-BR")

function isKnownLanguage(tag: string): boolean {
  try {
    return new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(tag) !== undefined
  } catch {
    return false
  }
}

export const PipelineConfig = z.strictObject({
  stages: z.array(StageConfig).min(1).max(30),
  pauseAfterStages: z.array(z.string()).default([]),
  repairUnits: z.array(RepairUnit).default([]),
  autoAdvance: z.boolean().default(false).describe("Skip all pauses"),
  pauseOnErrors: z.boolean().default(true),
  budgetUsd: Usd.optional().describe("Budget of a run; default: the setting pipeline.budget"),
  depths: z.record(z.string(), DepthConfig).default({}),
  verification: VerificationConfig.optional(),
  citationFormat: CitationFormat.optional().describe(
    "How references are written; default: {citation}[, p. {page}]",
  ),
  language: LanguageTag.optional().describe("Language of the texts that models write"),
})
export type PipelineConfig = z.infer<typeof PipelineConfig>

export const RecipeFolder = z.object({
  slug: RecipeSlug,
  name: z.string(),
  description: z.string(),
  origin: z.enum(["shipped", "user", "project"]),
  folder: z.string(),
  digest: z.string().describe("Digest of the folder; the user trusts this digest"),
  isTrusted: z.boolean(),
  sources: z.array(z.string()),
  tools: z.array(z.string()),
  config: PipelineConfig.nullable(),
  problems: z.array(ConfigProblem),
  shadows: z.array(z.string()).optional().describe("Folders of the same name that it overrides"),
})
export type RecipeFolder = z.infer<typeof RecipeFolder>
