import { z } from "zod"
import {
  KbAdded,
  KbContext,
  KbContradictions,
  KbDocuments,
  KbFound,
  KbParagraphShown,
  KbStatus,
  KbTier,
  KbTrace,
  KbVerification,
  KbWeb,
} from "../knowledge.ts"
import { defineOperations } from "../operation.ts"

const Count = z.int().nonnegative()

const limit = z.int().min(1).max(100).default(10).describe("At most so many paragraphs")

const query = z.string().min(1).max(4_000)

const ids = z.array(z.string().min(1).max(200)).min(1).max(100)

const KbHopInput = z.strictObject({
  paragraphs: ids.describe("Paragraphs to start from"),
  depth: z.int().min(1).max(3).default(1),
  limit,
})

/** Citations are [P1] … by the order of `paragraphs`, [W1] … for web results. */
const KbVerifyInput = z.strictObject({
  answer: z.string().min(1).max(200_000).describe("Text with citations such as [P1]"),
  paragraphs: ids.describe("Cited paragraphs in their order: [P1] is the first"),
})

export const kbOperations = defineOperations("kb", {
  add: {
    summary: "Read a folder of documents into the knowledge base, or what changed in it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "Know" },
    input: z.strictObject({
      path: z.string().min(1).max(4_000).describe("Folder or file of documents"),
      tier: KbTier.default("primary").describe("primary documents, guide, or web"),
    }),
    output: KbAdded,
  },
  remove: {
    summary: "Take a folder out of the knowledge base; its files stay as they are",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "Know" },
    input: z.strictObject({
      path: z.string().min(1).max(4_000).describe("Folder that was added"),
    }),
    output: z.object({ folder: z.string(), documents: Count }),
  },
  status: {
    summary: "Say which folders are known, whether they changed, and what leads nowhere",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["kb"], alsoWords: ["kb", "status"], group: "Know" },
    input: z.strictObject({}),
    output: KbStatus,
  },
  documents: {
    summary: "List the documents of the knowledge base",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Know" },
    input: z.strictObject({ tier: KbTier.optional() }),
    output: KbDocuments,
  },
  search: {
    summary: "Find paragraphs by words, and by meaning where an embedder is configured",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["query"], group: "Know" },
    input: z.strictObject({
      query: query.describe("What is looked for"),
      limit,
      tier: KbTier.optional().describe("Only documents of this tier"),
      hops: z.int().min(0).max(3).default(0).describe("Steps over cross-references from each hit"),
    }),
    output: KbFound,
  },
  paragraph: {
    summary: "Show a paragraph with its neighbours and references",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["kb", "show"], args: ["id"], group: "Know" },
    input: z.strictObject({
      id: z.string().min(1).max(200).describe("Paragraph, by id"),
    }),
    output: KbParagraphShown,
  },
  web: {
    summary: "Search the web by a source that can",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["query"], group: "Know" },
    input: z.strictObject({ query, limit: z.int().min(1).max(20).default(5) }),
    output: KbWeb,
  },
  hop: {
    summary: "Follow the references of paragraphs",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: KbHopInput,
    output: KbFound,
  },
  trace: {
    summary: "Tell step by step how paragraphs hang together, and by which words",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: KbHopInput,
    output: KbTrace,
  },
  context: {
    summary: "Write paragraphs for a model, labelled, within a budget of tokens",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      paragraphs: ids.describe("Paragraphs, the most important first"),
      budget: z.int().min(50).max(500_000).default(8_000).describe("Tokens the text may have"),
    }),
    output: KbContext,
  },
  entities: {
    summary: "Verify that the names and figures of an answer stand in what it cites",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: KbVerifyInput,
    output: KbVerification,
  },
  citations: {
    summary: "Verify that what an answer cites exists and supports it",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: KbVerifyInput,
    output: KbVerification,
  },
  relations: {
    summary: "Verify that what an answer relates is related in what it cites",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: KbVerifyInput,
    output: KbVerification,
  },
  contradictions: {
    summary: "Find sentences of an answer that contradict each other, or what they rest on",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      answer: z
        .string()
        .min(1)
        .max(200_000)
        .describe("Text whose sentences are held against each other"),
      paragraphs: z.array(z.string().max(200)).max(100).default([]).describe("And against these"),
    }),
    output: KbContradictions,
  },
})
