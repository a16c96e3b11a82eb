import { escapeMarkup } from "#ground/base"
import {
  type CallContext,
  type KbContext,
  type KbDocuments,
  type KbParagraph,
  type KbParagraphShown,
  type KbSearchResult,
  type KbTrace,
  kbOperations,
  type OperationInput,
} from "#ground/contract"
import type { KnowledgeDeps } from "./deps.ts"
import { ParagraphUnknown } from "./errors.ts"
import { type Library, type StoredParagraph, shownDocuments, shownParagraph } from "./library.ts"
import type { LibraryAccess } from "./library-access.ts"
import { type EdgeKind, type Graph, walkGraph } from "./references/reference-graph.ts"
import { byWords, withRelated } from "./search/embeddings.ts"
import { findParagraphs, hitOfStep } from "./search/find.ts"

type AnswerDeps = Pick<KnowledgeDeps, "count" | "wordVectors" | "synonyms">

export function createAnswers(deps: AnswerDeps, access: LibraryAccess) {
  return {
    async search(input: OperationInput<"kb.search">, context: CallContext = QUIET) {
      const { tier, ...request } = kbOperations["kb.search"].input.parse(input)
      const { library, graph } = await access.open()
      const meaning = await access.meaning.rank(request.query, library, context.signal)
      const vectors = await deps.wordVectors?.()
      const expansion =
        vectors === undefined ? undefined : { vectors, synonyms: deps.synonyms ?? true }
      const hits = findParagraphs({ ...request, tier }, library, { graph, meaning, expansion })
      const documents = library.documents.length
      const by = withRelated(meaning.by, vectors)
      return { hits: [...hits], by, documents } satisfies KbSearchResult
    },

    async hop(input: OperationInput<"kb.hop">): Promise<KbSearchResult> {
      const { library, steps } = await walked(input, access)
      const hits = steps.map((it) => hitOfStep(it))
      return { hits, by: byWords(OVER_THE_GRAPH), documents: library.documents.length }
    },

    async trace(input: OperationInput<"kb.trace">): Promise<KbTrace> {
      const { steps } = await walked(input, access)
      return {
        steps: steps.map(({ from, to, kind, words, depth }) => ({
          from: from.id,
          to: to.id,
          kind,
          text: words,
          depth,
        })),
      }
    },

    ...createLooking(deps, access),
  }
}

function createLooking(deps: Pick<KnowledgeDeps, "count">, access: LibraryAccess) {
  return {
    async documents(input: OperationInput<"kb.documents"> = {}): Promise<KbDocuments> {
      const { library } = await access.open()
      const isWanted = (tier: string) => input.tier === undefined || tier === input.tier
      return { documents: shownDocuments(library).filter((it) => isWanted(it.tier)) }
    },

    async paragraph({ id }: OperationInput<"kb.paragraph">): Promise<KbParagraphShown> {
      const { library, graph } = await access.open()
      return showParagraph(findParagraph(id, library), library, graph())
    },

    async paragraphs(ids: readonly string[]): Promise<readonly KbParagraph[]> {
      const { library } = await access.open()
      return ids.flatMap((id) => library.byId.get(id) ?? []).map(shownParagraph)
    },

    async context(input: OperationInput<"kb.context">): Promise<KbContext> {
      const { paragraphs, budget } = kbOperations["kb.context"].input.parse(input)
      const { library } = await access.open()
      const listed = paragraphs.map((id) => ({ id, paragraph: library.byId.get(id) }))
      return formatContext(listed, budget, await deps.count())
    },
  }
}

const QUIET: CallContext = { signal: new AbortController().signal }
const OVER_THE_GRAPH = "reached by references and headings, not by search"

async function walked(input: OperationInput<"kb.hop">, access: LibraryAccess) {
  const { paragraphs, depth, limit } = kbOperations["kb.hop"].input.parse(input)
  const { library, graph } = await access.open()
  const starts = paragraphs.map((id) => ({ paragraph: findParagraph(id, library), weight: 1 }))
  return { library, steps: walkGraph(graph(), starts, { depth, most: limit }) }
}

function findParagraph(id: string, library: Library): StoredParagraph {
  const paragraph = library.byId.get(id)
  if (paragraph === undefined) throw ParagraphUnknown({ id })
  return paragraph
}

function showParagraph(
  paragraph: StoredParagraph,
  library: Library,
  graph: Graph,
): KbParagraphShown {
  const beside = (number: number) => {
    const other = library.paragraphs[number]
    return other?.document.id === paragraph.document.id ? shownParagraph(other) : null
  }
  const along = (kind: EdgeKind) =>
    graph
      .edges(paragraph)
      .filter((edge) => edge.kind === kind)
      .map(({ to, words }) => ({ paragraph: shownParagraph(to), text: words }))
  return {
    paragraph: shownParagraph(paragraph),
    before: beside(paragraph.number - 1),
    after: beside(paragraph.number + 1),
    refersTo: along("refers to"),
    referredFrom: along("referred from"),
  }
}

/**
 * Most important first, each whole with its citation label, within a token budget. A text cannot end its
 * element.
 */
export function formatContext(
  listed: readonly { readonly id: string; readonly paragraph: StoredParagraph | undefined }[],
  budget: number,
  count: (text: string) => number,
): KbContext {
  const paragraphs: StoredParagraph[] = []
  let tokens = count(textOf([]))
  for (const { paragraph } of listed) {
    if (paragraph === undefined || paragraphs.includes(paragraph)) continue
    const more = count(`${elementOf(paragraph, paragraphs.length)}\n`)
    if (tokens + more > budget) continue
    paragraphs.push(paragraph)
    tokens += more
  }
  // The whole may have a few more tokens than its parts.
  while (paragraphs.length > 0 && count(textOf(paragraphs)) > budget) paragraphs.pop()
  const text = textOf(paragraphs)
  const included = paragraphs.map((it, at) => ({ label: labelOf(at), id: it.id }))
  const isIn = new Set(paragraphs.map((it) => it.id))
  const left = [...new Set(listed.map((it) => it.id))].filter((id) => !isIn.has(id))
  return { text, tokens: count(text), included, left }
}

function textOf(paragraphs: readonly StoredParagraph[]): string {
  return ["<knowledge>", ...paragraphs.map(elementOf), "</knowledge>"].join("\n")
}

function elementOf({ id, body, document }: StoredParagraph, at: number): string {
  const attributes = [
    `label="${labelOf(at)}"`,
    `id="${escapeMarkup(id)}"`,
    `citation="${escapeMarkup(body.citation)}"`,
    `tier="${document.tier}"`,
  ]
  return `<paragraph ${attributes.join(" ")}>${escapeMarkup(body.text)}</paragraph>`
}

function labelOf(at: number): string {
  return `P${at + 1}`
}
