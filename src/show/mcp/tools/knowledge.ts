import { z } from "zod"
import {
  KB_TIERS,
  KbContext,
  KbContradictions,
  KbDocuments,
  KbParagraphShown,
  KbSearchResult,
  KbStatus,
  KbTrace,
  KbVerification,
  KbWeb,
} from "#ground/contract"
import {
  contradictionsText,
  documentsText,
  hitsText,
  hopsText,
  shownParagraphText,
  statusText,
  tiersText,
  traceText,
  verificationText,
  webText,
} from "./knowledge-text.ts"
import { ask, type ToolArguments, type ToolCall, toolView } from "./tool.ts"

const FOUND = {
  paragraphs: z.array(z.object({ id: z.string(), citation: z.string(), score: z.number() })),
  meaning: z.boolean().describe("Whether semantic search was used too"),
}

function foundFields({ hits, by }: KbSearchResult) {
  const paragraphs = hits.map(({ paragraph: { id, citation }, score }) => ({ id, citation, score }))
  return { paragraphs, meaning: by.meaning !== null }
}

function isOfWeb({ hits }: KbSearchResult): boolean {
  return hits.some((it) => it.paragraph.tier === "web")
}

/** Whether any paragraph is from a web page; an id starts with its document's id. */
async function checkOfWeb(ids: readonly string[], call: ToolCall): Promise<boolean> {
  const { documents } = KbDocuments.parse(await ask(call, "kb.documents", { tier: "web" }))
  const web = new Set(documents.map((it) => it.id))
  return ids.some((id) => web.has(id.slice(0, Math.max(0, id.lastIndexOf(".")))))
}

function paragraphsIn(args: ToolArguments): readonly string[] {
  return z.array(z.string()).default([]).parse(args["paragraphs"])
}

const search = toolView({
  result: KbSearchResult,
  fields: FOUND,
  answer: (result) => ({
    text: hitsText(result),
    isUntrusted: isOfWeb(result),
    fields: foundFields(result),
  }),
})

const SearchArguments = z.object({ query: z.string(), limit: z.int().optional() })

const multiTierSearch = toolView({
  result: z.array(z.object({ tier: z.string(), found: KbSearchResult })),
  fields: FOUND,
  async ask(args, call) {
    const query = SearchArguments.parse(args)
    const tiers = []
    for (const tier of KB_TIERS) {
      tiers.push({
        tier,
        found: KbSearchResult.parse(await ask(call, "kb.search", { ...query, tier })),
      })
    }
    return tiers
  },
  answer(tiers) {
    const all = tiers.map((it) => foundFields(it.found))
    return {
      text: tiersText(tiers),
      isUntrusted: tiers.some((it) => isOfWeb(it.found)),
      fields: {
        paragraphs: all.flatMap((it) => it.paragraphs),
        meaning: all.some((it) => it.meaning),
      },
    }
  },
})

const hop = toolView({
  result: KbSearchResult,
  fields: FOUND,
  answer: (result) => ({
    text: hopsText(result),
    isUntrusted: isOfWeb(result),
    fields: foundFields(result),
  }),
})

/** More than requested, because guides also lead to guides. */
const MOST_REACHED = 100
const HopArguments = z.object({
  paragraphs: z.array(z.string()),
  depth: z.int().optional(),
  limit: z.int().default(10),
})

const guideToPrimaryHop = toolView({
  result: KbSearchResult,
  fields: FOUND,
  async ask(args, call) {
    const { limit, ...query } = HopArguments.parse(args)
    const reached = KbSearchResult.parse(
      await ask(call, "kb.hop", { ...query, limit: MOST_REACHED }),
    )
    const primary = reached.hits.filter((it) => it.paragraph.tier === "primary")
    return { ...reached, hits: primary.slice(0, limit) }
  },
  answer: (result) => ({ text: hopsText(result), fields: foundFields(result) }),
})

const trace = toolView({
  result: KbTrace,
  fields: { steps: z.int() },
  async answer(result, args, call) {
    const ids = [...paragraphsIn(args), ...result.steps.flatMap((it) => [it.from, it.to])]
    const isUntrusted = await checkOfWeb(ids, call)
    return { text: traceText(result), isUntrusted, fields: { steps: result.steps.length } }
  },
})

const documents = toolView({
  result: KbDocuments,
  fields: {
    documents: z.array(z.object({ id: z.string(), title: z.string(), tier: z.string() })),
  },
  answer: ({ documents: listed }) => ({
    text: documentsText(listed),
    isUntrusted: listed.some((it) => it.tier === "web"),
    fields: { documents: listed.map(({ id, title, tier }) => ({ id, title, tier })) },
  }),
})

const paragraph = toolView({
  result: KbParagraphShown,
  fields: { id: z.string(), citation: z.string() },
  answer(shown) {
    const { id, citation } = shown.paragraph
    const ends = [...shown.refersTo, ...shown.referredFrom].map((it) => it.paragraph)
    const isUntrusted = [shown.paragraph, ...ends].some((it) => it.tier === "web")
    return { text: shownParagraphText(shown), isUntrusted, fields: { id, citation } }
  },
})

const context = toolView({
  result: KbContext,
  fields: {
    tokens: z.int(),
    included: z.array(z.object({ label: z.string(), id: z.string() })),
    left: z.array(z.string()).describe("Left out: too long, or deleted"),
  },
  async answer({ text, ...fields }, _, call) {
    const ids = fields.included.map((it) => it.id)
    return { text, isUntrusted: await checkOfWeb(ids, call), fields }
  },
})

const web = toolView({
  result: KbWeb,
  fields: {
    source: z.string().nullable(),
    results: z.array(z.object({ title: z.string(), url: z.string() })),
  },
  answer(result) {
    const results = result.results.map(({ title, url }) => ({ title, url }))
    return {
      text: webText(result),
      isUntrusted: results.length > 0,
      fields: { source: result.source, results },
    }
  },
})

const status = toolView({
  result: KbStatus,
  fields: { documents: z.int(), paragraphs: z.int(), stale: z.int() },
  answer: (result) => ({
    text: statusText(result),
    fields: {
      documents: result.documents,
      paragraphs: result.paragraphs,
      stale: result.folders.filter((it) => it.isStale).length,
    },
  }),
})

const verification = (what: string) =>
  toolView({
    result: KbVerification,
    fields: {
      score: z.number(),
      bar: z.number(),
      is_passed: z.boolean(),
      checked: z.int(),
      failed: z.int(),
    },
    answer: async (report, args, call) => ({
      label: what,
      text: verificationText(what, report),
      isUntrusted: await checkOfWeb(paragraphsIn(args), call),
      fields: {
        score: report.score,
        bar: report.bar,
        is_passed: report.isPassed,
        checked: report.checked,
        failed: report.failed.length,
      },
    }),
  })

const contradictions = toolView({
  result: KbContradictions,
  fields: { pairs: z.int(), is_passed: z.boolean(), checked: z.int() },
  answer: async (result, args, call) => ({
    label: "contradictions",
    text: contradictionsText(result),
    isUntrusted: await checkOfWeb(paragraphsIn(args), call),
    fields: { pairs: result.pairs.length, is_passed: result.isPassed, checked: result.checked },
  }),
})

export const KNOWLEDGE_VIEWS = {
  kb_hybrid_search: search,
  kb_guide_search: search,
  kb_multi_tier_search: multiTierSearch,
  kb_hop_retrieve: hop,
  kb_guide_to_primary_hop: guideToPrimaryHop,
  kb_debug_hop_trace: trace,
  kb_list_documents: documents,
  kb_list_guides: documents,
  kb_get_paragraph: paragraph,
  kb_format_context: context,
  kb_web_search: web,
  kb_status: status,
  kb_entity_verify: verification("Entity grounding"),
  kb_citation_verify: verification("Citation accuracy"),
  kb_relation_verify: verification("Relation preservation"),
  kb_contradiction_check: contradictions,
}
