import { oneLine } from "#ground/base"
import { MOST_PARAGRAPHS_OF_A_DOCUMENT } from "../limits.ts"
import { numberOfHeading } from "../references/section-numbers.ts"

const LONGEST_HEADING_UNITS = 300

export type Link = { readonly target: string; readonly words: string }

export type Block = {
  readonly text: string
  readonly line: number
  readonly page: number | null
  readonly headings: readonly string[]
  readonly anchors: readonly string[]
  readonly links: readonly Link[]
}

export type ReadDocument = {
  readonly title: string | undefined
  readonly citeAs: string | undefined
  readonly blocks: readonly Block[]
  readonly isCut: boolean
}

const MOST_ANCHORS = 20

type Heading = { readonly level: number; readonly text: string }
type Piece = Pick<Block, "text" | "line"> & {
  readonly page?: number | null
  readonly links?: readonly Link[]
}
type OpenBlock = Omit<Block, "headings"> & { readonly under: readonly Heading[] }

export function createOutline() {
  const blocks: OpenBlock[] = []
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
    block({ text, line, page = null, links = [] }: Piece): void {
      if (text.trim() === "") return
      if (blocks.length >= MOST_PARAGRAPHS_OF_A_DOCUMENT) {
        isCut = true
        return
      }
      blocks.push({ text, line, page, links, under, anchors })
      anchors = []
    },
    done(header: { readonly title?: string | undefined; readonly citeAs?: string | undefined }) {
      const title = header.title ?? titleAmong(tops)?.text
      const isTitle = (it: Heading) => it.level === 1 && it.text === title
      const asBlock = ({ under: headings, ...block }: OpenBlock): Block => ({
        ...block,
        headings: headings
          .filter((it) => !isTitle(it) || numberOfHeading(it.text) !== null)
          .map((it) => it.text),
      })
      return {
        title,
        citeAs: header.citeAs,
        blocks: blocks.map(asBlock),
        isCut,
      } satisfies ReadDocument
    },
  }
}

/** The only top heading, or the first of several unless it is numbered. */
function titleAmong(tops: readonly Heading[]): Heading | undefined {
  const [first] = tops
  if (first === undefined) return undefined
  return tops.length === 1 || numberOfHeading(first.text) === null ? first : undefined
}
