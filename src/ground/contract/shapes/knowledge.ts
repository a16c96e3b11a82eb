import { z } from "zod"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

export const KB_TIERS = ["primary", "guide", "web"] as const
export const KbTier = z.enum(KB_TIERS)
export type KbTier = z.infer<typeof KbTier>

export const KbParagraph = z.object({
  id: z.string().describe("Stable id, from the document and the paragraph's text"),
  document: z.string().describe("Id of its document"),
  title: z.string().describe("Title of the document"),
  path: z.string(),
  tier: KbTier,
  headings: z.array(z.string()),
  number: z.string().nullable().describe("Its number in the document's own format, e.g. 4.2"),
  text: z.string(),
  line: z.int().positive(),
  page: z.int().positive().nullable(),
  citation: z.string().describe("Citation in the form that the documents use"),
})
export type KbParagraph = z.infer<typeof KbParagraph>

export const KbDocument = z.object({
  id: z.string(),
  title: z.string(),
  path: z.string(),
  folder: z.string(),
  tier: KbTier,
  format: z.enum(["markdown", "html", "text", "pdf", "docx", "code"]),
  digest: z.string(),
  paragraphs: Count,
  references: Count,
  sizeBytes: Count,
  updatedAt: z.int(),
})
export type KbDocument = z.infer<typeof KbDocument>

export const KbOriginal = z.object({
  path: z.string(),
  format: KbDocument.shape.format,
  content: z.string().describe("The bytes of the file in base64; texts without their secrets"),
})
export type KbOriginal = z.infer<typeof KbOriginal>

export const KbHit = z.object({
  paragraph: KbParagraph,
  score: z.number(),
  words: z.number().nullable().describe("Rank by words, from 1; null if not found by words"),
  meaning: z
    .number()
    .nullable()
    .describe("Rank by meaning; null if not found by meaning, or if it is off"),
  hop: z
    .object({ from: z.string(), kind: z.string(), depth: z.int() })
    .nullable()
    .describe("Reached by a reference from this paragraph"),
  matched: z.array(z.string()).describe("Matching words of the query"),
})
export type KbHit = z.infer<typeof KbHit>

/** Words always; meaning if an embedder is configured. */
export const KbBy = z.object({
  words: z.literal(true),
  meaning: z.string().nullable().describe("Name of the embedder, or null"),
  note: z.string().nullable().describe("Reason why meaning was not used"),
  related: z.boolean().optional().describe("Whether related words were searched too"),
})
export type KbBy = z.infer<typeof KbBy>

export const KbAdded = z.object({
  folder: z.string(),
  tier: KbTier,
  added: Count,
  changed: Count,
  removed: Count,
  unchanged: Count,
  documents: Count,
  paragraphs: Count,
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  by: KbBy,
})
export type KbAdded = z.infer<typeof KbAdded>

export const KbSearchResult = z.object({ hits: z.array(KbHit), by: KbBy, documents: Count })
export type KbSearchResult = z.infer<typeof KbSearchResult>
export const KbTrace = z.object({
  steps: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      kind: z.string(),
      text: z.string(),
      depth: z.int(),
    }),
  ),
})
export type KbTrace = z.infer<typeof KbTrace>
export const KbDocuments = z.object({ documents: z.array(KbDocument) })
export type KbDocuments = z.infer<typeof KbDocuments>
export const KbParagraphShown = z.object({
  paragraph: KbParagraph,
  before: KbParagraph.nullable(),
  after: KbParagraph.nullable(),
  refersTo: z.array(z.object({ paragraph: KbParagraph, text: z.string() })),
  referredFrom: z.array(z.object({ paragraph: KbParagraph, text: z.string() })),
})
export type KbParagraphShown = z.infer<typeof KbParagraphShown>
export const KbStatus = z.object({
  folders: z.array(
    z.object({
      folder: z.string(),
      tier: KbTier,
      documents: Count,
      paragraphs: Count,
      addedAt: z.int(),
      isStale: z.boolean().describe("Files changed since they were indexed"),
      skipped: Count,
    }),
  ),
  documents: Count,
  paragraphs: Count,
  references: Count,
  unresolved: z
    .array(z.object({ document: z.string(), text: z.string() }))
    .describe("Broken references"),
  by: KbBy,
})
export type KbStatus = z.infer<typeof KbStatus>

/** Without a model only the deterministic checks count. */
const Verified = z.object({
  score: Share.describe("1 if there was nothing to check"),
  bar: Share,
  isPassed: z.boolean(),
  checked: Count,
  by: z.enum(["words", "words and model"]),
  failed: z.array(z.object({ sentence: z.string(), problem: z.string(), evidence: z.string() })),
})
export const KbVerification = Verified
export type KbVerification = z.infer<typeof KbVerification>

export const KbContradictions = z.object({
  pairs: z.array(
    z.object({
      one: z.string(),
      other: z.string(),
      entities: z.array(z.string()),
      kind: z.enum(["polarity", "number", "modality"]),
    }),
  ),
  checked: Count,
  isPassed: z.boolean(),
  by: z.enum(["words", "words and model"]),
})
export type KbContradictions = z.infer<typeof KbContradictions>
export const KbContext = z.object({
  text: z.string(),
  tokens: Count,
  included: z.array(z.object({ label: z.string(), id: z.string() })),
  left: z.array(z.string()).describe("Paragraphs that did not fit or do not exist"),
})
export type KbContext = z.infer<typeof KbContext>
export const KbWeb = z.object({
  source: z.string().nullable().describe("The queried source, or null"),
  note: z.string().nullable(),
  results: z.array(z.object({ title: z.string(), url: z.string(), text: z.string() })),
})
export type KbWeb = z.infer<typeof KbWeb>
