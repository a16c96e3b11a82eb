import { escapeMarkup } from "#ground/base"
import type { PriorAnswer } from "../stage.ts"
import type { Reference, RetrievedParagraph, WebResult } from "./outputs.ts"

/** Maximum share of a context for web results and prior sections together. */
const BESIDE_SHARE = 0.3

/** A search result is a pointer, not the page. */
const MOST_WEB_CHARACTERS = 2_000

export type ShapedContext = {
  readonly text: string
  readonly tokens: number
  readonly references: readonly Reference[]
  readonly left: readonly string[]
}

type Material = {
  readonly paragraphs: readonly RetrievedParagraph[]
  readonly web: readonly WebResult[]
  readonly prior: PriorAnswer | undefined
}

type Room = { readonly budgetTokens: number; count(text: string): number }

type Piece = { readonly text: string; readonly reference?: Reference; readonly id?: string }

/**
 * XML within a token budget: whole paragraphs only, best first. Earlier sections get what the
 * paragraphs leave, so that a follow-up is never told less than a new run.
 */
export function shapeContext(material: Material, { budgetTokens, count }: Room): ShapedContext {
  const besideTokens = Math.floor(budgetTokens * BESIDE_SHARE)
  const web = takeWithin(webPieces(material.web), { budgetTokens: besideTokens, count })
  const mainTokens = budgetTokens - web.tokens - count(wrap("", ""))
  const main = takeWithin(paragraphPieces(material.paragraphs), { budgetTokens: mainTokens, count })
  const prior = takeWithin(priorPieces(material.prior), {
    budgetTokens: Math.min(besideTokens - web.tokens, mainTokens - main.tokens),
    count,
  })
  const text = wrap(join(main.taken), join([...prior.taken, ...web.taken]))
  return {
    text,
    tokens: count(text),
    references: [...main.taken, ...web.taken].flatMap((it) => it.reference ?? []),
    left: main.left.flatMap((it) => it.id ?? []),
  }
}

function takeWithin(pieces: readonly Piece[], { budgetTokens, count }: Room) {
  const chosenPieces: Piece[] = []
  const left: Piece[] = []
  let tokens = 0
  for (const piece of pieces) {
    // Including its line break, so that the sum of the parts is not below the whole.
    const size = count(`${piece.text}\n`) + 1
    const fits = tokens + size <= budgetTokens
    if (fits) tokens += size
    ;(fits ? chosenPieces : left).push(piece)
  }
  return { taken: chosenPieces, left, tokens }
}

function paragraphPieces(paragraphs: readonly RetrievedParagraph[]): readonly Piece[] {
  return paragraphs.map((paragraph, index) => {
    const label = `P${index + 1}`
    const origin = paragraph.isPrior ? ' from="an earlier answer"' : ""
    const name = `label="${label}" id="${escapeMarkup(paragraph.id)}" citation="${escapeMarkup(paragraph.citation)}"`
    const { id, title, citation, text, tier, isPrior } = paragraph
    return {
      id,
      text: `<paragraph ${name} tier="${tier}"${origin}>${escapeMarkup(text)}</paragraph>`,
      reference: { label, title, citation, text, paragraph: id, url: null, tier, isPrior },
    }
  })
}

function webPieces(web: readonly WebResult[]): readonly Piece[] {
  const base = { paragraph: null, tier: "web", isPrior: false } as const
  return web.map(({ title, url, text: whole }, index) => {
    const label = `W${index + 1}`
    const text = whole.slice(0, MOST_WEB_CHARACTERS)
    const name = `label="${label}" title="${escapeMarkup(title)}" url="${escapeMarkup(url)}"`
    return {
      text: `<result ${name}>${escapeMarkup(text)}</result>`,
      reference: { ...base, label, title, citation: title, text, url },
    }
  })
}

/** Without the old labels, which would refer to other paragraphs here. */
function priorPieces(prior: PriorAnswer | undefined): readonly Piece[] {
  return (prior?.sections ?? []).map(({ title, text }) => ({
    text: `<prior run="${escapeMarkup(prior?.run ?? "")}" title="${escapeMarkup(title)}">${escapeMarkup(withoutLabels(text))}</prior>`,
  }))
}

function withoutLabels(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\[[PW]\d+(?:,\s*[PW]\d+)*\]/g, "")
}

const join = (pieces: readonly Piece[]): string => pieces.map((it) => it.text).join("\n")

const wrap = (paragraphs: string, beside: string): string =>
  `<knowledge>\n${paragraphs}\n</knowledge>\n<beside>\n${beside}\n</beside>`
