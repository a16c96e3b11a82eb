import { LONGEST_HEADING_UNITS, MOST_PARAGRAPHS_OF_A_DOCUMENT } from "../limits.ts"
import { numberOfHeading } from "../numbers.ts"

/** A link as it was written, with the words it stands on. */
export type Link = { readonly target: string; readonly words: string }

/** A piece of a document that is found and cited as one. */
export type Block = {
  readonly text: string
  readonly line: number
  /** From the outermost, without the title of the document. */
  readonly headings: readonly string[]
  /** Names by which links lead here. */
  readonly anchors: readonly string[]
  readonly links: readonly Link[]
}

export type ReadDocument = {
  /** Undefined when the document does not say. */
  readonly title: string | undefined
  /** How it is cited, when that is not its title. */
  readonly citeAs: string | undefined
  readonly blocks: readonly Block[]
  /** Whether it had more than is kept. */
  readonly isCut: boolean
}

/** Names that lead to the same place; a page with more has them for a program. */
const MOST_ANCHORS = 20

type Heading = { readonly level: number; readonly text: string }
type Piece = Pick<Block, "text" | "line"> & { readonly links?: readonly Link[] }
type Open = Omit<Block, "headings"> & { readonly under: readonly Heading[] }

/** Collects the blocks of a document below its headings, whatever format it has. */
export function createOutline() {
  const blocks: Open[] = []
  const tops: Heading[] = []
  let under: readonly Heading[] = []
  let anchors: string[] = []
  let isCut = false

  return {
    heading(level: number, text: string): void {
      const shown = oneLine(text).slice(0, LONGEST_HEADING_UNITS)
      if (shown === "") return
      const heading = { level, text: shown }
      if (level === 1) tops.push(heading)
      under = [...under.filter((it) => it.level < level), heading]
    },
    anchor(name: string): void {
      const isName = name !== "" && name.length <= LONGEST_HEADING_UNITS
      if (isName && anchors.length < MOST_ANCHORS) anchors.push(name)
    },
    block({ text, line, links = [] }: Piece): void {
      if (text.trim() === "") return
      if (blocks.length >= MOST_PARAGRAPHS_OF_A_DOCUMENT) {
        isCut = true
        return
      }
      blocks.push({ text, line, links, under, anchors })
      anchors = []
    },
    done(said: { readonly title?: string | undefined; readonly citeAs?: string | undefined }) {
      const title = said.title ?? titleAmong(tops)?.text
      const isTitle = (it: Heading) => it.level === 1 && it.text === title
      const kept = ({ under: headings, ...block }: Open): Block => ({
        ...block,
        headings: headings
          .filter((it) => !isTitle(it) || numberOfHeading(it.text) !== null)
          .map((it) => it.text),
      })
      return { title, citeAs: said.citeAs, blocks: blocks.map(kept), isCut } satisfies ReadDocument
    },
  }
}

/** One heading above all others is the title; of several, the first is unless it is numbered. */
function titleAmong(tops: readonly Heading[]): Heading | undefined {
  const [first] = tops
  if (first === undefined) return undefined
  return tops.length === 1 || numberOfHeading(first.text) === null ? first : undefined
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}
