import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  KbAdded,
  KbContext,
  KbContradictions,
  KbDocuments,
  KbOriginal,
  KbParagraphShown,
  KbSearchResult,
  KbStatus,
  KbTier,
  KbTrace,
  KbVerification,
  KbWeb,
} from "../shapes/knowledge.ts"

const Count = z.int().nonnegative()

const limit = z.int().min(1).max(100).default(10).describe("Maximum number of paragraphs")

const query = z.string().min(1).max(4_000)

const ids = z.array(z.string().min(1).max(200)).min(1).max(100)

const KbHopInput = z.strictObject({
  paragraphs: ids.describe("Ids"),
  depth: z.int().min(1).max(3).default(1),
  limit,
})

/** [P1] … cite `paragraphs` by position, [W1] … cite web results. */
const KbVerifyInput = z.strictObject({
  answer: z.string().min(1).max(50_000).describe("With citations such as [P1]"),
  paragraphs: ids.describe("Ids in the order of the labels"),
})

// Read-only but with network access: hosts that ask the user before data leaves use the second
// hint.
const OPEN_WORLD = { readOnlyHint: true, openWorldHint: true }

export const kbOperations = defineOperations("kb", {
  add: {
    summary: "Add a folder of documents to the knowledge base, or update it",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["path"],
      group: "Knowledge",
      examples: ["qm kb add docs", "qm kb add docs/handbook --tier guide", "qm kb add src --code"],
    },
    input: z.strictObject({
      path: z.string().min(1).max(4_000).describe("Folder or file with documents"),
      tier: KbTier.default("primary").describe(
        "Kind of source: primary documents, guides or web pages",
      ),
      code: z
        .boolean()
        .default(false)
        .describe("Also read the documentation comments of source files"),
    }),
    output: KbAdded,
  },
  remove: {
    summary: "Remove a folder from the knowledge base; its files are not touched",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "Knowledge", examples: ["qm kb remove docs"] },
    input: z.strictObject({
      path: listedBy("kb.status", z.string().min(1).max(4_000).describe("Folder that was added")),
    }),
    output: z.object({ folder: z.string(), documents: Count }),
  },
  status: {
    summary: "List indexed folders, pending changes and broken links",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["kb"], aliases: ["kb status"], group: "Knowledge", examples: ["qm kb"] },
    mcp: {
      set: "knowledge",
      name: "kb_status",
      rank: 15,
      title: "Show the knowledge base",
      description: "List folders, sizes, changed files and the search method.",
    },
    input: z.strictObject({}),
    output: KbStatus,
    rows: { field: "folders", id: "folder", title: ["tier"] },
  },
  documents: {
    summary: "List the documents of the knowledge base",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Knowledge", examples: ["qm kb documents --tier guide"] },
    mcp: [
      {
        set: "knowledge",
        name: "kb_list_documents",
        rank: 3,
        title: "List documents",
        description: "List the documents with their tier.",
      },
      {
        set: "knowledge",
        name: "kb_list_guides",
        rank: 13,
        title: "List guides",
        description: "List the guides.",
        fields: {},
        given: { tier: "guide" },
      },
    ],
    input: z.strictObject({ tier: KbTier.optional().describe("Only this tier") }),
    output: KbDocuments,
  },
  search: {
    summary: "Search documents by words, and by meaning if an embedder is set",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["query"],
      group: "Knowledge",
      examples: ['qm kb search "notice period" --hops 1'],
    },
    mcp: [
      {
        set: "knowledge",
        name: "kb_hybrid_search",
        rank: 1,
        title: "Search documents",
        description:
          "Search paragraphs of the documents by words, and by meaning if configured. hops adds the paragraphs they refer to.",
        texts: { query: "", limit: "", tier: "", hops: "" },
      },
      {
        set: "knowledge",
        name: "kb_guide_search",
        rank: 11,
        title: "Search guides",
        description:
          "Search guides only. Guides explain rules but are not rules; continue with kb_guide_to_primary_hop.",
        fields: { query: "query", limit: "limit" },
        texts: { query: "", limit: "" },
        given: { tier: "guide" },
      },
      {
        set: "knowledge",
        name: "kb_multi_tier_search",
        rank: 14,
        title: "Search each tier",
        description: "Search each tier separately: primary documents, guides, web pages.",
        fields: { query: "query", limit: "limit" },
        texts: { query: "", limit: "A tier" },
      },
    ],
    input: z.strictObject({
      query: query.describe("Words or question to search for"),
      limit,
      tier: KbTier.optional().describe("Only documents of this tier"),
      hops: z
        .int()
        .min(0)
        .max(3)
        .default(0)
        .describe("Number of cross-references to follow from each result, 0 to 3"),
    }),
    output: KbSearchResult,
  },
  paragraph: {
    summary: "Show a paragraph with its neighbours and references",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["kb", "show"],
      args: ["id"],
      group: "Knowledge",
      examples: ["qm kb show par_abc123"],
    },
    mcp: {
      set: "knowledge",
      name: "kb_get_paragraph",
      rank: 4,
      title: "Read a paragraph",
      description: "Read one paragraph with its neighbours and its references in both directions.",
      texts: { id: "" },
    },
    input: z.strictObject({
      id: z.string().min(1).max(200).describe("Paragraph id, listed by `qm kb search`"),
    }),
    output: KbParagraphShown,
  },
  original: {
    summary: "Get the file of a document as it was indexed",
    effect: "read",
    surfaces: ["http"],
    input: z.strictObject({
      document: z.string().min(1).max(200).describe("Document id, listed by `qm kb documents`"),
    }),
    output: KbOriginal,
  },
  web: {
    summary: "Search the web with a configured source",
    effect: "read",
    role: "operator",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["query"],
      group: "Knowledge",
      examples: ['qm kb web "node 24 permission model"'],
    },
    mcp: {
      set: "knowledge",
      name: "kb_web_search",
      rank: 10,
      title: "Search the web",
      description:
        "Search the web with the configured source. The query is sent to it with secrets redacted. Cite results as [W1], [W2] …",
      annotations: OPEN_WORLD,
    },
    input: z.strictObject({
      query: query.describe("Words to search for"),
      limit: z.int().min(1).max(20).default(5).describe("Maximum number of pages"),
    }),
    output: KbWeb,
  },
  hop: {
    summary: "Follow the references of paragraphs",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: [
      {
        set: "knowledge",
        name: "kb_hop_retrieve",
        rank: 2,
        title: "Follow references",
        description:
          "Get the paragraphs that the given ones refer to, are referred to by, or are next to.",
      },
      {
        set: "knowledge",
        name: "kb_guide_to_primary_hop",
        rank: 12,
        title: "From guides to rules",
        description:
          "Get the primary paragraphs that guide paragraphs refer to. Cite these, not the guide.",
      },
    ],
    input: KbHopInput,
    output: KbSearchResult,
  },
  trace: {
    summary: "Explain step by step which words connect paragraphs",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_debug_hop_trace",
      rank: 16,
      title: "Explain hops",
      description: "Explain step by step which words connect the paragraphs.",
    },
    input: KbHopInput,
    output: KbTrace,
  },
  context: {
    summary: "Format paragraphs for a model, labelled, within a token budget",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_format_context",
      rank: 9,
      title: "Format context",
      description:
        "Format whole paragraphs as one text within a token budget, labelled P1, P2 … to cite as [P1].",
    },
    input: z.strictObject({
      paragraphs: ids.describe("Ids, most important first"),
      budget: z.int().min(50).max(500_000).default(8_000).describe("Tokens; default 8,000"),
    }),
    output: KbContext,
  },
  entities: {
    summary: "Verify that names and numbers in an answer occur in its citations",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_entity_verify",
      rank: 5,
      title: "Verify names and numbers",
      description:
        "Check which numbers, terms and names of an answer occur in the paragraphs it cites.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  citations: {
    summary: "Verify that the citations of an answer exist and support it",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_citation_verify",
      rank: 6,
      title: "Verify citations",
      description: "Check that each cited paragraph exists and supports its sentence.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  relations: {
    summary: "Verify that relations stated in an answer occur in its citations",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_relation_verify",
      rank: 7,
      title: "Verify relations",
      description: "Check that relations stated in an answer occur in the paragraphs it cites.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  contradictions: {
    summary: "Find sentences in an answer that contradict each other or its sources",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_contradiction_check",
      rank: 8,
      title: "Find contradictions",
      description: "Find sentences that contradict each other or the given paragraphs.",
    },
    input: z.strictObject({
      answer: z.string().min(1).max(50_000).describe("With citations such as [P1]"),
      paragraphs: z.array(z.string().max(200)).max(100).default([]).describe("Ids"),
    }),
    output: KbContradictions,
  },
})
