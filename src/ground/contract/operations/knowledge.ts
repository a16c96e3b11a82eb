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
  paragraphs: ids.describe("Ids"),
  depth: z.int().min(1).max(3).default(1),
  limit,
})

/** Citations are [P1] … by the order of `paragraphs`, [W1] … for web results. */
const KbVerifyInput = z.strictObject({
  answer: z.string().min(1).max(200_000).describe("With citations such as [P1]"),
  paragraphs: ids.describe("Ids in the order of the labels"),
})

// It changes nothing, and asks the open world: hosts that ask a person before anything leaves go by
// the second hint.
const OPEN_WORLD = { readOnlyHint: true, openWorldHint: true }

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
    mcp: {
      set: "knowledge",
      name: "kb_status",
      rank: 15,
      title: "State of the knowledge base",
      description: "Folders, sizes, whether files changed since, and by what is searched.",
    },
    input: z.strictObject({}),
    output: KbStatus,
  },
  documents: {
    summary: "List the documents of the knowledge base",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Know" },
    mcp: [
      {
        set: "knowledge",
        name: "kb_list_documents",
        rank: 3,
        title: "List documents",
        description: "Documents of the knowledge base, with their tier.",
      },
      {
        set: "knowledge",
        name: "kb_list_guides",
        rank: 13,
        title: "List guides",
        description: "Documents that are guides.",
        fields: {},
        given: { tier: "guide" },
      },
    ],
    input: z.strictObject({ tier: KbTier.optional() }),
    output: KbDocuments,
  },
  search: {
    summary: "Find paragraphs by words, and by meaning where an embedder is configured",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["query"], group: "Know" },
    mcp: [
      {
        set: "knowledge",
        name: "kb_hybrid_search",
        rank: 1,
        title: "Search documents",
        description:
          "Find paragraphs of the added documents by words, and by meaning where that is set up. hops also brings what they refer to.",
        texts: { query: "", limit: "", tier: "", hops: "" },
      },
      {
        set: "knowledge",
        name: "kb_guide_search",
        rank: 11,
        title: "Search guides",
        description:
          "The same among guides only, which explain and do not rule; follow with kb_guide_to_primary_hop.",
        fields: { query: "query", limit: "limit" },
        texts: { query: "", limit: "" },
        given: { tier: "guide" },
      },
      {
        set: "knowledge",
        name: "kb_multi_tier_search",
        rank: 14,
        title: "Search tier by tier",
        description: "The same for each tier: primary documents, guides, pages of the web.",
        fields: { query: "query", limit: "limit" },
        texts: { query: "", limit: "A tier" },
      },
    ],
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
    mcp: {
      set: "knowledge",
      name: "kb_get_paragraph",
      rank: 4,
      title: "Read a paragraph",
      description: "One paragraph with what stands beside it and its references both ways.",
      texts: { id: "" },
    },
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
    mcp: {
      set: "knowledge",
      name: "kb_web_search",
      rank: 10,
      title: "Search the web",
      description:
        "Send the query, without secrets, to the configured source outside for pages of the web; cite them as [W1], [W2] …",
      annotations: OPEN_WORLD,
    },
    input: z.strictObject({ query, limit: z.int().min(1).max(20).default(5) }),
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
        description: "Paragraphs that some refer to, are referred to from, or stand beside.",
      },
      {
        set: "knowledge",
        name: "kb_guide_to_primary_hop",
        rank: 12,
        title: "From guides to rules",
        description:
          "Primary paragraphs that paragraphs of guides lead to. Cite these, not the guide.",
      },
    ],
    input: KbHopInput,
    output: KbFound,
  },
  trace: {
    summary: "Tell step by step how paragraphs hang together, and by which words",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_debug_hop_trace",
      rank: 16,
      title: "Explain hops",
      description: "Step by step, which words lead from which paragraph to which.",
    },
    input: KbHopInput,
    output: KbTrace,
  },
  context: {
    summary: "Write paragraphs for a model, labelled, within a budget of tokens",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_format_context",
      rank: 9,
      title: "Write a context",
      description:
        "Paragraphs as one text within a token budget, labelled P1, P2 … for citing as [P1]; whole ones only.",
    },
    input: z.strictObject({
      paragraphs: ids.describe("Ids, the most important first"),
      budget: z.int().min(50).max(500_000).default(8_000).describe("Tokens; default 8,000"),
    }),
    output: KbContext,
  },
  entities: {
    summary: "Verify that the names and figures of an answer stand in what it cites",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_entity_verify",
      rank: 5,
      title: "Verify names and figures",
      description: "Which numbers, terms and names of an answer stand in the paragraphs it cites.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  citations: {
    summary: "Verify that what an answer cites exists and supports it",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_citation_verify",
      rank: 6,
      title: "Verify citations",
      description: "Whether each cited paragraph exists and supports its sentence.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  relations: {
    summary: "Verify that what an answer relates is related in what it cites",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_relation_verify",
      rank: 7,
      title: "Verify relations",
      description: "Whether what an answer relates to each other is related in what it cites.",
    },
    input: KbVerifyInput,
    output: KbVerification,
  },
  contradictions: {
    summary: "Find sentences of an answer that contradict each other, or what they rest on",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "knowledge",
      name: "kb_contradiction_check",
      rank: 8,
      title: "Look for contradictions",
      description: "Sentences that contradict each other, or the paragraphs given.",
    },
    input: z.strictObject({
      answer: z.string().min(1).max(200_000).describe("With citations such as [P1]"),
      paragraphs: z.array(z.string().max(200)).max(100).default([]).describe("Ids"),
    }),
    output: KbContradictions,
  },
})
