import { z } from "zod"
import { KbContext, KbDocuments, KbParagraphShown, KbStatus, KbTier, KbWeb } from "#ground/contract"
import { areOfWeb, metered, paragraphs, query } from "./knowledge-body.ts"
import { sayDocuments, sayKnown, sayParagraph, sayWeb } from "./say-knowledge.ts"
import { ask, BODY, defineTool, session_id, type ToolCall } from "./tool.ts"

const set = "knowledge"
const reads = { readOnlyHint: true }

export const getParagraph = defineTool({
  name: "kb_get_paragraph",
  set,
  title: "Read a paragraph",
  description: "One paragraph with what stands beside it and its references both ways.",
  annotations: reads,
  input: z.strictObject({ id: z.string().min(1).max(200), session_id }),
  output: z.object({ id: z.string(), citation: z.string(), ...BODY }),
  async call(input, call) {
    const shown = KbParagraphShown.parse(await ask(call, "kb.paragraph", { id: input.id }))
    const { id, citation } = shown.paragraph
    const ends = [...shown.refersTo, ...shown.referredFrom].map((it) => it.paragraph)
    const isUntrusted = [shown.paragraph, ...ends].some((it) => it.tier === "web")
    const body = { tool: "kb_get_paragraph", text: sayParagraph(shown), isUntrusted }
    return metered({ ...body, given: input }, { id, citation }, call)
  },
})

const DOCUMENTS = {
  documents: z.array(z.object({ id: z.string(), title: z.string(), tier: z.string() })),
  ...BODY,
}

async function listed(asked: z.input<typeof KbTier> | undefined, call: ToolCall) {
  const { documents } = KbDocuments.parse(await ask(call, "kb.documents", { tier: asked }))
  const fields = documents.map(({ id, title, tier: of }) => ({ id, title, tier: of }))
  const isUntrusted = documents.some((it) => it.tier === "web")
  return { text: sayDocuments(documents), isUntrusted, fields: { documents: fields } }
}

export const listDocuments = defineTool({
  name: "kb_list_documents",
  set,
  title: "List documents",
  description: "Documents of the knowledge base, with their tier.",
  annotations: reads,
  input: z.strictObject({ tier: KbTier.optional(), session_id }),
  output: z.object(DOCUMENTS),
  async call(input, call) {
    const { fields, ...said } = await listed(input.tier, call)
    return metered({ tool: "kb_list_documents", ...said, given: input }, fields, call)
  },
})

export const listGuides = defineTool({
  name: "kb_list_guides",
  set,
  title: "List guides",
  description: "Documents that are guides.",
  annotations: reads,
  input: z.strictObject({ session_id }),
  output: z.object(DOCUMENTS),
  async call(input, call) {
    const { fields, ...said } = await listed("guide", call)
    return metered({ tool: "kb_list_guides", ...said, given: input }, fields, call)
  },
})

export const formatContext = defineTool({
  name: "kb_format_context",
  set,
  title: "Write a context",
  description:
    "Paragraphs as one text within a token budget, labelled P1, P2 … for citing as [P1]; whole ones only.",
  annotations: reads,
  input: z.strictObject({
    paragraphs: paragraphs.describe("Ids, the most important first"),
    budget: z.int().min(50).max(500_000).optional().describe("Tokens; default 8,000"),
    session_id,
  }),
  output: z.object({
    tokens: z.int(),
    included: z.array(z.object({ label: z.string(), id: z.string() })),
    left: z.array(z.string()).describe("Did not fit, or gone"),
    ...BODY,
  }),
  async call(input, call) {
    const { session_id: _, ...asked } = input
    const { text, ...fields } = KbContext.parse(await ask(call, "kb.context", asked))
    const ids = fields.included.map((it) => it.id)
    const isUntrusted = await areOfWeb(ids, call)
    return metered({ tool: "kb_format_context", text, isUntrusted, given: input }, fields, call)
  },
})

export const webSearch = defineTool({
  name: "kb_web_search",
  set,
  title: "Search the web",
  description:
    "Send the query, without secrets, to the configured source outside for pages of the web; cite them as [W1], [W2] …",
  // By the protocol it changes nothing, and the world it asks is open: hosts that ask a person before
  // anything leaves go by the second hint.
  annotations: { readOnlyHint: true, openWorldHint: true },
  input: z.strictObject({ query, limit: z.int().min(1).max(20).optional(), session_id }),
  output: z.object({
    source: z.string().nullable(),
    results: z.array(z.object({ title: z.string(), url: z.string() })),
    ...BODY,
  }),
  async call(input, call) {
    const { session_id: _, ...asked } = input
    const web = KbWeb.parse(await ask(call, "kb.web", asked))
    const results = web.results.map(({ title, url }) => ({ title, url }))
    const body = { tool: "kb_web_search", text: sayWeb(web), isUntrusted: results.length > 0 }
    return metered({ ...body, given: input }, { source: web.source, results }, call)
  },
})

export const status = defineTool({
  name: "kb_status",
  set,
  title: "State of the knowledge base",
  description: "Folders, sizes, whether files changed since, and by what is searched.",
  annotations: reads,
  input: z.strictObject({ session_id }),
  output: z.object({ documents: z.int(), paragraphs: z.int(), stale: z.int(), ...BODY }),
  async call(input, call) {
    const known = KbStatus.parse(await ask(call, "kb.status", {}))
    const { documents, paragraphs: kept, folders } = known
    const stale = folders.filter((it) => it.isStale).length
    const body = { tool: "kb_status", text: sayKnown(known), given: input }
    return metered(body, { documents, paragraphs: kept, stale }, call)
  },
})
