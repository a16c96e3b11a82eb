import { z } from "zod"
import { IndexState } from "./map.ts"
import { TokenScale } from "./tokens.ts"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

const TASK_ACTIONS = ["implement", "fix", "review", "test", "refactor"] as const
export const TaskAction = z.enum(TASK_ACTIONS)
export type TaskAction = z.infer<typeof TaskAction>

export const TaskAnalysis = z.object({
  filePaths: z.array(z.string()).describe("Paths the task names, as written"),
  symbolNames: z.array(z.string()),
  domain: z.string().nullable(),
  action: TaskAction.nullable(),
  keywords: z.array(z.string()),
})
export type TaskAnalysis = z.infer<typeof TaskAnalysis>

/** The form of a file in a package. */
const PACK_FORMS = ["full", "symbols", "signatures", "path"] as const
export const PackForm = z.enum(PACK_FORMS)
export type PackForm = z.infer<typeof PackForm>

export const PackSource = z.enum(["target", "both", "ast", "semantic"])
export type PackSource = z.infer<typeof PackSource>

/** An excerpt: consecutive lines of a file. */
export const PackPiece = z.object({
  fromLine: z.int().positive(),
  toLine: z.int().positive(),
  text: z.string(),
  symbol: z.string().optional(),
})
export type PackPiece = z.infer<typeof PackPiece>

export const PackFile = z.object({
  path: z.string(),
  form: PackForm,
  score: Share.describe("Relevance: probability that the task needs it; 1 if it is named"),
  astScore: Share.nullable().describe("By structure; null if unknown"),
  semanticScore: Share.nullable().describe("By words, history and meaning; null if unknown"),
  source: PackSource,
  tokens: Count,
  wholeTokens: Count.describe("Tokens of the whole file"),
  pieces: z.array(PackPiece).describe("Excerpts, in the order of the file"),
  symbols: z.array(z.string()).describe("Relevant symbols"),
  reasons: z.array(z.string()).describe("Reasons, of at most six words each"),
  language: z.string().nullable(),
  blobId: z.string().describe("Git blob id of the packed content"),
  isPinned: z.boolean(),
  sentBefore: z.boolean().describe("An earlier package of the session had the same lines"),
  redactions: Count.describe("Secrets redacted in it"),
})
export type PackFile = z.infer<typeof PackFile>

export const PackLeft = z.object({
  path: z.string(),
  score: Share,
  tokens: Count,
  why: z.enum(["no-room", "unlikely", "below", "denied", "dropped"]),
  detail: z.string().describe("For example: needs 3,600 tokens"),
  reasons: z.array(z.string()),
})
export type PackLeft = z.infer<typeof PackLeft>

/** Expected share of what the task needs, by the size of a package. */
export const PackExpectation = z.object({
  recall: Share.describe("Expected share of the needed segments that the package has"),
  curve: z.array(z.object({ tokens: Count, recall: Share })),
})
export type PackExpectation = z.infer<typeof PackExpectation>

/** A dependency between two files by these names. */
export const PackDependency = z.object({
  from: z.string(),
  to: z.string(),
  names: z.array(z.string()),
})
export type PackDependency = z.infer<typeof PackDependency>

/** Advice of a guideline that applies to the task. */
export const PackAdvice = z.object({ guideline: z.string(), text: z.string() })
export type PackAdvice = z.infer<typeof PackAdvice>

/** A stored fact about the task or its files, in one line. */
export const PackRecord = z.object({
  kind: z.enum(["claim", "ticket", "decision", "memory", "paragraph"]),
  id: z.string(),
  text: z.string(),
  why: z.string().describe("Reason why the task needs it"),
  // Packages stored before this field existed have none.
  tokens: Count.default(0),
})
export type PackRecord = z.infer<typeof PackRecord>
/** As found, before it is counted for a package. */
export type FoundRecord = Omit<PackRecord, "tokens">

export const PackSummaryItem = z.object({
  id: z.string(),
  task: z.string(),
  role: z.string().nullable(),
  budget: z.int().positive(),
  tokens: Count,
  files: Count,
  session: z.string().nullable(),
  builtAt: z.int(),
})
export type PackSummaryItem = z.infer<typeof PackSummaryItem>

const Paths = z.array(z.string()).default([])

const PackChoices = z.object({
  target: Paths,
  drop: Paths,
  full: Paths,
  symbols: Paths,
  signatures: Paths,
  mention: Paths,
  order: Paths,
})

export const ContextPack = z.object({
  id: z.string(),
  task: z.string(),
  role: z.string().nullable(),
  budget: z.int().positive(),
  tokens: Count.describe("Tokens of all files as sent, by the encoding in estimator"),
  estimator: z.string(),
  // Packages stored before factors existed have none.
  scale: TokenScale.nullable()
    .default(null)
    .describe("Null if the tokens are those of the encoding"),
  isEmpty: z.boolean(),
  emptyReason: z.string().nullable().describe("Reason why it is empty, or null"),
  analysis: TaskAnalysis,
  files: z.array(PackFile).describe("In final order, best first"),
  // Packages stored before expectations existed have none.
  expectation: PackExpectation.prefault({ recall: 0, curve: [] }),
  dependencies: z.array(PackDependency),
  left: z.array(PackLeft).describe("Candidates that were left out, best first"),
  leftCount: Count.describe("Number of candidates left out, listed or not"),
  signals: z.object({
    used: z.array(z.string()),
    missing: z.array(z.object({ signal: z.string(), why: z.string() })),
  }),
  advice: z.array(PackAdvice),
  // Packages stored before records existed have none.
  records: z
    .array(PackRecord)
    .default([])
    .describe("Claims, tickets, decisions, memories and paragraphs for the task"),
  notes: z.array(z.string()).describe("Remarks for the user"),
  state: IndexState,
  manifest: z.object({
    digest: z.string().describe("Digest of the sent text"),
    kinds: z.array(
      z.object({ kind: z.enum(["files", "symbols", "memory", "knowledge"]), tokens: Count }),
    ),
    leftTokens: Count.describe("Tokens of candidates that had no room"),
    trust: z.literal("project").describe("Written by the repository's authors"),
    fence: z.string().describe("Delimiter that ends every block; no text contains it"),
  }),
  // Packages stored before choices existed have none.
  choices: PackChoices.prefault({}).describe("Choices of the user"),
  session: z.string().nullable(),
  builtAt: z.int(),
})
export type ContextPack = z.infer<typeof ContextPack>

export const PackFormat = z.enum(["summary", "markdown", "xml", "json"])
export type PackFormat = z.infer<typeof PackFormat>

export const PackBuilt = z.object({
  pack: ContextPack,
  format: PackFormat.nullable().describe("The requested format; null for none"),
  text: z.string().describe("In the requested format, else the summary"),
  textTokens: Count,
  out: z.string().nullable().describe("The written file, or null"),
})
export type PackBuilt = z.infer<typeof PackBuilt>

export const PackList = z.object({ packs: z.array(PackSummaryItem).describe("Newest first") })
export type PackList = z.infer<typeof PackList>

export const PackDiff = z.object({
  from: PackSummaryItem,
  to: PackSummaryItem,
  changes: z.array(
    z.object({
      path: z.string(),
      change: z.enum(["added", "removed", "changed", "same"]),
      formBefore: PackForm.nullable(),
      formAfter: PackForm.nullable(),
      tokensBefore: Count,
      tokensAfter: Count,
      scoreBefore: Share.nullable(),
      scoreAfter: Share.nullable(),
    }),
  ),
  recordsBefore: Count.describe("Tokens of the records, beside those of the files"),
  recordsAfter: Count,
})
export type PackDiff = z.infer<typeof PackDiff>

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
  description: z.string().max(2_000).optional(),
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
