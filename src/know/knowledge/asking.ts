import {
  type CallContext,
  type KbContext,
  type KbDocuments,
  type KbFound,
  type KbParagraph,
  type KbParagraphShown,
  type KbTrace,
  OPERATIONS,
  type OperationInput,
} from "#ground/contract"
import { formatContext } from "./context.ts"
import type { KnowledgeDeps } from "./deps.ts"
import { byWords } from "./embed.ts"
import { ParagraphUnknown } from "./errors.ts"
import { findParagraphs, hitOfStep } from "./find.ts"
import { type EdgeKind, type Graph, walkGraph } from "./hops.ts"
import { type Kept, type Library, shownDocuments, shownParagraph } from "./library.ts"
import type { Shelf } from "./shelf.ts"

/** What is asked of the documents that are known. */
export function createAsking(deps: Pick<KnowledgeDeps, "count">, shelf: Shelf) {
  return {
    async search(input: OperationInput<"kb.search">, context: CallContext = QUIET) {
      const { tier, ...asked } = OPERATIONS["kb.search"].input.parse(input)
      const { library, graph } = await shelf.open()
      const meaning = await shelf.meaning.rank(asked.query, library, context.signal)
      const hits = findParagraphs({ ...asked, tier }, library, { graph, meaning })
      const documents = library.documents.length
      return { hits: [...hits], by: meaning.by, documents } satisfies KbFound
    },

    async hop(input: OperationInput<"kb.hop">): Promise<KbFound> {
      const { library, steps } = await walked(input, shelf)
      const hits = steps.map((it) => hitOfStep(it))
      return { hits, by: byWords(OVER_THE_GRAPH), documents: library.documents.length }
    },

    async trace(input: OperationInput<"kb.trace">): Promise<KbTrace> {
      const { steps } = await walked(input, shelf)
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

    ...createLooking(deps, shelf),
  }
}

function createLooking(deps: Pick<KnowledgeDeps, "count">, shelf: Shelf) {
  return {
    async documents(input: OperationInput<"kb.documents"> = {}): Promise<KbDocuments> {
      const { library } = await shelf.open()
      const isWanted = (tier: string) => input.tier === undefined || tier === input.tier
      return { documents: shownDocuments(library).filter((it) => isWanted(it.tier)) }
    },

    async paragraph({ id }: OperationInput<"kb.paragraph">): Promise<KbParagraphShown> {
      const { library, graph } = await shelf.open()
      return showParagraph(known(id, library), library, graph())
    },

    /** In the order they were named; those that are gone are left out. */
    async paragraphs(ids: readonly string[]): Promise<readonly KbParagraph[]> {
      const { library } = await shelf.open()
      return ids.flatMap((id) => library.byId.get(id) ?? []).map(shownParagraph)
    },

    async context(input: OperationInput<"kb.context">): Promise<KbContext> {
      const { paragraphs, budget } = OPERATIONS["kb.context"].input.parse(input)
      const { library } = await shelf.open()
      const wanted = paragraphs.map((id) => ({ id, paragraph: library.byId.get(id) }))
      return formatContext(wanted, budget, await deps.count())
    },
  }
}

const QUIET: CallContext = { signal: new AbortController().signal }
const OVER_THE_GRAPH = "reached over references and headings, not searched"

async function walked(input: OperationInput<"kb.hop">, shelf: Shelf) {
  const { paragraphs, depth, limit } = OPERATIONS["kb.hop"].input.parse(input)
  const { library, graph } = await shelf.open()
  const starts = paragraphs.map((id) => ({ paragraph: known(id, library), weight: 1 }))
  return { library, steps: walkGraph(graph(), starts, { depth, most: limit }) }
}

function known(id: string, library: Library): Kept {
  const paragraph = library.byId.get(id)
  if (paragraph === undefined) throw ParagraphUnknown({ id })
  return paragraph
}

function showParagraph(it: Kept, library: Library, graph: Graph): KbParagraphShown {
  const beside = (number: number) => {
    const other = library.paragraphs[number]
    return other?.document.id === it.document.id ? shownParagraph(other) : null
  }
  const along = (kind: EdgeKind) =>
    graph
      .edges(it)
      .filter((edge) => edge.kind === kind)
      .map(({ to, words }) => ({ paragraph: shownParagraph(to), text: words }))
  return {
    paragraph: shownParagraph(it),
    before: beside(it.number - 1),
    after: beside(it.number + 1),
    refersTo: along("refers to"),
    referredFrom: along("referred from"),
  }
}
