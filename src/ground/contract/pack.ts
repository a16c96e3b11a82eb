import { z } from "zod"
import { IndexState } from "./map.ts"

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

/** In which form a file is in a package. */
const PACK_FORMS = ["full", "symbols", "signatures", "path"] as const
export const PackForm = z.enum(PACK_FORMS)
export type PackForm = z.infer<typeof PackForm>

export const PackSource = z.enum(["target", "both", "ast", "semantic"])
export type PackSource = z.infer<typeof PackSource>

/** Lines of a file as they are in the package. */
export const PackPiece = z.object({
  fromLine: z.int().positive(),
  toLine: z.int().positive(),
  text: z.string(),
  symbol: z.string().optional(),
})
export type PackPiece = z.infer<typeof PackPiece>

/** One file of a package. */
export const PackFile = z.object({
  path: z.string(),
  form: PackForm,
  score: Share.describe("How relevant it is, from 0 to 1"),
  astScore: Share.nullable().describe("By structure; null when unknown"),
  semanticScore: Share.nullable().describe("By words, past and meaning; null when unknown"),
  source: PackSource,
  tokens: Count,
  wholeTokens: Count.describe("What the whole file would cost"),
  pieces: z.array(PackPiece).describe("What is sent of it, in the order of the file"),
  symbols: z.array(z.string()).describe("Names of the symbols that matter for the task"),
  reasons: z.array(z.string()).describe("Why it is there, in at most six words each"),
  language: z.string().nullable(),
  blobId: z.string().describe("Of the content that was packed"),
  isPinned: z.boolean(),
  sentBefore: z.boolean().describe("An earlier package of the session had these very lines"),
  redactions: Count.describe("Secrets replaced in it"),
})
export type PackFile = z.infer<typeof PackFile>

/** A candidate that is not in the package. */
export const PackLeft = z.object({
  path: z.string(),
  score: Share,
  tokens: Count,
  why: z.enum(["no-room", "below", "denied", "dropped"]),
  detail: z.string().describe("In words, e.g. needs 3,600 tokens"),
  reasons: z.array(z.string()),
})
export type PackLeft = z.infer<typeof PackLeft>

/** One file leans on another through these names. */
export const PackDependency = z.object({
  from: z.string(),
  to: z.string(),
  names: z.array(z.string()),
})
export type PackDependency = z.infer<typeof PackDependency>

/** A piece of advice that applies to the task, from a guideline. */
export const PackAdvice = z.object({ guideline: z.string(), text: z.string() })
export type PackAdvice = z.infer<typeof PackAdvice>

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

/** A closed set of context for a task, within a budget, with its reasons. */
export const ContextPack = z.object({
  id: z.string(),
  task: z.string(),
  role: z.string().nullable(),
  budget: z.int().positive(),
  tokens: Count.describe("Of all files as sent, in the encoding named by estimator"),
  estimator: z.string(),
  isEmpty: z.boolean(),
  emptyReason: z.string().nullable().describe("Why there is nothing in it, or null"),
  analysis: TaskAnalysis,
  files: z.array(PackFile).describe("In final order, best first"),
  dependencies: z.array(PackDependency),
  left: z.array(PackLeft).describe("Candidates that stayed out, best first"),
  leftCount: Count.describe("How many stayed out; more than listed when cut"),
  signals: z.object({
    used: z.array(z.string()),
    missing: z.array(z.object({ signal: z.string(), why: z.string() })),
  }),
  advice: z.array(PackAdvice),
  notes: z.array(z.string()).describe("What a person should know about it"),
  state: IndexState,
  manifest: z.object({
    digest: z.string().describe("Of everything that is sent"),
    kinds: z.array(z.object({ kind: z.enum(["files", "symbols"]), tokens: Count })),
    leftTokens: Count.describe("What had no room"),
    trust: z.literal("project").describe("All of it was written by the repository's authors"),
    fence: z.string().describe("The word that closes every block; nothing in the text has it"),
  }),
  // Packages that were kept before there were choices have none.
  choices: PackChoices.prefault({}).describe("What a person chose for it"),
  session: z.string().nullable(),
  builtAt: z.int(),
})
export type ContextPack = z.infer<typeof ContextPack>

export const PackFormat = z.enum(["summary", "markdown", "xml", "json"])
export type PackFormat = z.infer<typeof PackFormat>

export const PackBuilt = z.object({
  pack: ContextPack,
  format: PackFormat.nullable().describe("The format asked for; null when none was"),
  text: z.string().describe("In the format asked for, else the summary"),
  textTokens: Count,
  out: z.string().nullable().describe("The file that was written, or null"),
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
})
export type PackDiff = z.infer<typeof PackDiff>
