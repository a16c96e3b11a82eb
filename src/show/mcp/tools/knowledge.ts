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

function paragraphsIn(given: ToolArguments): readonly string[] {
  return z.array(z.string()).default([]).parse(given["paragraphs"])
}

const search = toolView({
  result: KbSearchResult,
  fields: FOUND,
  answer: (found) => ({
    text: hitsText(found),
    isUntrusted: isOfWeb(found),
    fields: foundFields(found),
  }),
})

const SearchArguments = z.object({ query: z.string(), limit: z.int().optional() })

const multiTierSearch = toolView({
  result: z.array(z.object({ tier: z.string(), found: KbSearchResult })),
  fields: FOUND,
  async ask(given, call) {
    const query = SearchArguments.parse(given)
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
  answer: (found) => ({
    text: hopsText(found),
    isUntrusted: isOfWeb(found),
    fields: foundFields(found),
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
  async ask(given, call) {
    const { limit, ...asked } = HopArguments.parse(given)
    const reached = KbSearchResult.parse(
      await ask(call, "kb.hop", { ...asked, limit: MOST_REACHED }),
    )
    const primary = reached.hits.filter((it) => it.paragraph.tier === "primary")
    return { ...reached, hits: primary.slice(0, limit) }
  },
  answer: (found) => ({ text: hopsText(found), fields: foundFields(found) }),
})

const trace = toolView({
  result: KbTrace,
  fields: { steps: z.int() },
  async answer(found, given, call) {
    const ids = [...paragraphsIn(given), ...found.steps.flatMap((it) => [it.from, it.to])]
    const isUntrusted = await checkOfWeb(ids, call)
    return { text: traceText(found), isUntrusted, fields: { steps: found.steps.length } }
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
  answer(found) {
    const results = found.results.map(({ title, url }) => ({ title, url }))
    return {
      text: webText(found),
      isUntrusted: results.length > 0,
      fields: { source: found.source, results },
    }
  },
})

const status = toolView({
  result: KbStatus,
  fields: { documents: z.int(), paragraphs: z.int(), stale: z.int() },
  answer: (known) => ({
    text: statusText(known),
    fields: {
      documents: known.documents,
      paragraphs: known.paragraphs,
      stale: known.folders.filter((it) => it.isStale).length,
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
    answer: async (report, given, call) => ({
      label: what,
      text: verificationText(what, report),
      isUntrusted: await checkOfWeb(paragraphsIn(given), call),
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
  answer: async (found, given, call) => ({
    label: "contradictions",
    text: contradictionsText(found),
    isUntrusted: await checkOfWeb(paragraphsIn(given), call),
    fields: { pairs: found.pairs.length, is_passed: found.isPassed, checked: found.checked },
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
