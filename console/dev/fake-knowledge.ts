import type { KbDocument, KbHit, KbParagraph, KbStatus } from "../src/contract.ts"
import type { WorldState } from "./fake-world.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** The knowledge base of the fake world. Undefined for every address that is not its own. */
export function answerKnowledge(state: WorldState, url: URL, body: Record<string, unknown>) {
  const query = url.searchParams
  const isEmpty = state === "empty"
  switch (url.pathname) {
    case "/api/kb/status":
      return ok(isEmpty ? NOTHING : STATUS)
    case "/api/kb/documents":
      return ok({ documents: isEmpty ? [] : ofTier(DOCUMENTS, query.get("tier")) })
    case "/api/kb/search":
      return ok(found(query, isEmpty))
    case "/api/kb/paragraph": {
      const paragraph = PARAGRAPHS.find((it) => it.id === query.get("id"))
      return paragraph === undefined ? NO_SUCH : ok(shown(paragraph))
    }
    case "/api/kb/add":
      return textOf(body.path).startsWith("/no") ? UNREADABLE : ok(added(body))
    case "/api/kb/remove":
      return ok({ folder: textOf(body.path), documents: 4 })
    default:
      return undefined
  }
}

const textOf = (it: unknown): string => (typeof it === "string" ? it : "")
const ok = (answer: object) => ({ status: 200, answer })

const BY = {
  words: true,
  meaning: null,
  note: "no embedder is configured",
} as const

const FOLDER = "/usr/lib/quartermaster/agents/deep-research/corpus"

function paragraph(id: string, given: Partial<KbParagraph>): KbParagraph {
  return {
    id,
    document: "kd_handbook",
    title: "Harbour Handbook",
    path: "harbour-handbook.md",
    tier: "primary",
    headings: ["Harbour Handbook", "4 Arrival"],
    number: "4.2",
    text: "",
    line: 118,
    page: null,
    citation: "Harbour Handbook § 4.2",
    ...given,
  }
}

const PARAGRAPHS: readonly KbParagraph[] = [
  paragraph("kp_arrival42", {
    text: "A vessel has **arrived** when the pilot reports her inside the breakwater. The first line ashore is no arrival; see § 4.3 and Annex B.",
  }),
  paragraph("kp_arrival43", {
    number: "4.3",
    citation: "Harbour Handbook § 4.3",
    text: "The pilot's report is entered with its minute. Until then the quote of the booking date stands (Tariff § 2.1).",
  }),
  paragraph("kp_tariff21", {
    document: "kd_tariff",
    title: "Tariff",
    path: "tariff.md",
    headings: ["Tariff", "2 Which tariff holds"],
    number: "2.1",
    citation: "Tariff § 2.1",
    text: "The tariff of the day on which the booking is confirmed holds for the whole stay.",
  }),
  paragraph("kp_reprice3", {
    document: "kd_reprice",
    title: "Re-pricing Order",
    path: "re-pricing-order.md",
    headings: ["Re-pricing Order"],
    number: "3",
    citation: "Re-pricing Order § 3",
    text: "After arrival a booking may be re-priced only for an amendment that the master asked for, within 24 hours of the request.",
  }),
  paragraph("kp_guide1", {
    document: "kd_guide",
    title: "Guide for shipping agents <img src=x>",
    path: "guides/shipping-agents-guide.md",
    tier: "guide",
    headings: ["Guide \u202Eevil"],
    number: null,
    citation: "Guide for shipping agents, paragraph 7",
    text: "Ask for the re-priced quote <script>alert(1)</script> before the second night.",
  }),
]

function shown(it: KbParagraph) {
  const index = PARAGRAPHS.indexOf(it)
  const others = PARAGRAPHS.filter((other) => other !== it)
  return {
    paragraph: it,
    before: PARAGRAPHS[index - 1] ?? null,
    after: PARAGRAPHS[index + 1] ?? null,
    refersTo: others
      .slice(0, 2)
      .map((other) => ({ paragraph: other, text: `see ${other.citation}` })),
    referredFrom: others.slice(2, 3).map((other) => ({ paragraph: other, text: `${it.citation}` })),
  }
}

function found(query: URLSearchParams, isEmpty: boolean) {
  const words = (query.get("query") ?? "").toLowerCase().split(/\s+/).filter(Boolean)
  const hits = ofTier(PARAGRAPHS, query.get("tier")).flatMap((it, i): KbHit[] => {
    const matched = words.filter((word) => it.text.toLowerCase().includes(word))
    const isHop = matched.length === 0 && query.get("hops") === "1" && i < 2
    if (matched.length === 0 && !isHop) return []
    const hop = isHop ? { from: "kp_reprice3", kind: "refers", depth: 1 } : null
    return [
      {
        paragraph: it,
        score: 1 / (i + 1),
        words: isHop ? null : i + 1,
        meaning: null,
        hop,
        matched,
      },
    ]
  })
  return { hits: isEmpty ? [] : hits, by: BY, documents: isEmpty ? 0 : DOCUMENTS.length }
}

function ofTier<One extends { readonly tier: string }>(all: readonly One[], tier: string | null) {
  return tier === null ? all : all.filter((it) => it.tier === tier)
}

type Named = Pick<KbDocument, "id" | "title" | "path"> & Partial<KbDocument>

const document = (given: Named): KbDocument => ({
  folder: FOLDER,
  tier: "primary",
  format: "markdown",
  digest: "sha256:9a",
  paragraphs: 18,
  references: 7,
  sizeBytes: 9_412,
  updatedAt: WORLD_NOW - 90 * 60_000,
  ...given,
})

const DOCUMENTS: readonly KbDocument[] = [
  document({
    id: "kd_handbook",
    title: "Harbour Handbook",
    path: "harbour-handbook.md",
    paragraphs: 41,
    references: 22,
  }),
  document({ id: "kd_tariff", title: "Tariff", path: "tariff.md" }),
  document({ id: "kd_reprice", title: "Re-pricing Order", path: "re-pricing-order.md" }),
  document({
    id: "kd_arrival",
    title: "Arrival procedure",
    path: "arrival-procedure.html",
    format: "html",
  }),
  document({
    id: "kd_guide",
    title: "Guide for shipping agents <img src=x>",
    path: "guides/shipping-agents-guide.md",
    tier: "guide",
  }),
  document({
    id: "kd_notes",
    title: "Notes on split stays",
    path: "split-stays.txt",
    folder: "/home/ada/code/tideline/docs/notes",
    format: "text",
    paragraphs: 6,
    references: 0,
  }),
]

const folder = (
  path: string,
  documents: number,
  isStale: boolean,
): KbStatus["folders"][number] => ({
  folder: path,
  tier: "primary",
  documents,
  paragraphs: documents * 14,
  addedAt: WORLD_NOW - 90 * 60_000,
  isStale,
  skipped: isStale ? 2 : 0,
})

const STATUS: KbStatus = {
  folders: [folder(FOLDER, 5, false), folder("/home/ada/code/tideline/docs/notes", 1, true)],
  documents: DOCUMENTS.length,
  paragraphs: 124,
  references: 61,
  unresolved: [{ document: "kd_handbook", text: "see Annex D" }],
  by: BY,
}

const NOTHING: KbStatus = {
  folders: [],
  documents: 0,
  paragraphs: 0,
  references: 0,
  unresolved: [],
  by: BY,
}

function added(body: Record<string, unknown>) {
  return {
    folder: textOf(body.path),
    tier: "primary",
    added: 3,
    changed: 1,
    removed: 0,
    unchanged: 2,
    documents: 6,
    paragraphs: 80,
    skipped: [{ path: "logo.png", reason: "it is not text" }],
    by: BY,
  }
}

const NO_SUCH = {
  status: 404,
  answer: {
    code: "KNOWLEDGE_PARAGRAPH_NOT_FOUND",
    message: "There is no paragraph of this id in the knowledge base.",
    hint: "Its document may have been changed or taken out. Search with `qm kb search`.",
    data: {},
  },
}

const UNREADABLE = {
  status: 422,
  answer: {
    code: "KNOWLEDGE_FOLDER_UNREADABLE",
    message: "/nowhere cannot be read: there is no such folder.",
    hint: "Name a folder or a file that this user may read.",
    data: {},
  },
}
