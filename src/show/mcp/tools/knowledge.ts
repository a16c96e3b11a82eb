import { z } from "zod"
import { KB_TIERS, KbFound, KbTier, KbTrace } from "#ground/contract"
import { areOfWeb, metered, paragraphs, query } from "./knowledge-body.ts"
import { sayHits, sayHops, sayTiers, sayTrace } from "./say-knowledge.ts"
import { ask, BODY, defineTool, session_id, type ToolCall } from "./tool.ts"

const limit = z.int().min(1).max(50).optional()
const depth = z.int().min(1).max(3).optional()
const tier = KbTier.optional()

const set = "knowledge"
const reads = { readOnlyHint: true }

const FOUND = {
  paragraphs: z.array(z.object({ id: z.string(), citation: z.string(), score: z.number() })),
  meaning: z.boolean().describe("Whether meaning was searched too"),
  ...BODY,
}

function foundFields({ hits, by }: KbFound) {
  const found = hits.map(({ paragraph: { id, citation }, score }) => ({ id, citation, score }))
  return { paragraphs: found, meaning: by.meaning !== null }
}

function isOfWeb({ hits }: KbFound): boolean {
  return hits.some((it) => it.paragraph.tier === "web")
}

async function search(asked: z.input<typeof SearchAsked>, call: ToolCall): Promise<KbFound> {
  return KbFound.parse(await ask(call, "kb.search", asked))
}
const SearchAsked = z.object({
  query,
  limit,
  tier,
  hops: z.int().min(0).max(3).optional(),
})

export const hybridSearch = defineTool({
  name: "kb_hybrid_search",
  set,
  title: "Search documents",
  description:
    "Find paragraphs of the added documents by words, and by meaning where that is set up. hops also brings what they refer to.",
  annotations: reads,
  input: z.strictObject({ ...SearchAsked.shape, session_id }),
  output: z.object(FOUND),
  async call(input, call) {
    const { session_id: _, ...asked } = input
    const found = await search(asked, call)
    const body = { tool: "kb_hybrid_search", text: sayHits(found), isUntrusted: isOfWeb(found) }
    return metered({ ...body, given: input }, foundFields(found), call)
  },
})

export const guideSearch = defineTool({
  name: "kb_guide_search",
  set,
  title: "Search guides",
  description:
    "The same among guides only, which explain and do not rule; follow with kb_guide_to_primary_hop.",
  annotations: reads,
  input: z.strictObject({ query, limit, session_id }),
  output: z.object(FOUND),
  async call(input, call) {
    const found = await search({ query: input.query, limit: input.limit, tier: "guide" }, call)
    const body = { tool: "kb_guide_search", text: sayHits(found) }
    return metered({ ...body, given: input }, foundFields(found), call)
  },
})

export const multiTierSearch = defineTool({
  name: "kb_multi_tier_search",
  set,
  title: "Search tier by tier",
  description: "The same for each tier: primary documents, guides, pages of the web.",
  annotations: reads,
  input: z.strictObject({ query, limit: limit.describe("A tier"), session_id }),
  output: z.object(FOUND),
  async call(input, call) {
    const tiers = []
    for (const one of KB_TIERS) {
      const found = await search({ query: input.query, limit: input.limit, tier: one }, call)
      tiers.push({ tier: one, found })
    }
    const all = tiers.map((it) => foundFields(it.found))
    const body = {
      tool: "kb_multi_tier_search",
      text: sayTiers(tiers),
      isUntrusted: tiers.some((it) => isOfWeb(it.found)),
    }
    const fields = {
      paragraphs: all.flatMap((it) => it.paragraphs),
      meaning: all.some((it) => it.meaning),
    }
    return metered({ ...body, given: input }, fields, call)
  },
})

const HopInput = { paragraphs, depth, limit, session_id }

export const hopRetrieve = defineTool({
  name: "kb_hop_retrieve",
  set,
  title: "Follow references",
  description: "Paragraphs that some refer to, are referred to from, or stand beside.",
  annotations: reads,
  input: z.strictObject(HopInput),
  output: z.object(FOUND),
  async call(input, call) {
    const { session_id: _, ...asked } = input
    const found = KbFound.parse(await ask(call, "kb.hop", asked))
    const body = { tool: "kb_hop_retrieve", text: sayHops(found), isUntrusted: isOfWeb(found) }
    return metered({ ...body, given: input }, foundFields(found), call)
  },
})

/** More are reached than are wanted: guides lead to guides too. */
const MOST_REACHED = 100

export const guideToPrimaryHop = defineTool({
  name: "kb_guide_to_primary_hop",
  set,
  title: "From guides to rules",
  description: "Primary paragraphs that paragraphs of guides lead to. Cite these, not the guide.",
  annotations: reads,
  input: z.strictObject(HopInput),
  output: z.object(FOUND),
  async call(input, call) {
    const asked = { paragraphs: input.paragraphs, depth: input.depth, limit: MOST_REACHED }
    const reached = KbFound.parse(await ask(call, "kb.hop", asked))
    const primary = reached.hits.filter((it) => it.paragraph.tier === "primary")
    const found = { ...reached, hits: primary.slice(0, input.limit ?? 10) }
    const body = { tool: "kb_guide_to_primary_hop", text: sayHops(found) }
    return metered({ ...body, given: input }, foundFields(found), call)
  },
})

export const debugHopTrace = defineTool({
  name: "kb_debug_hop_trace",
  set,
  title: "Explain hops",
  description: "Step by step, which words lead from which paragraph to which.",
  annotations: reads,
  input: z.strictObject(HopInput),
  output: z.object({ steps: z.int(), ...BODY }),
  async call(input, call) {
    const { session_id: _, ...asked } = input
    const trace = KbTrace.parse(await ask(call, "kb.trace", asked))
    const ids = [...input.paragraphs, ...trace.steps.flatMap((it) => [it.from, it.to])]
    const isUntrusted = await areOfWeb(ids, call)
    const body = { tool: "kb_debug_hop_trace", text: sayTrace(trace), isUntrusted }
    return metered({ ...body, given: input }, { steps: trace.steps.length }, call)
  },
})
