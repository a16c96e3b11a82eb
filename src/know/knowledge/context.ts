import type { KbContext } from "#ground/contract"
import type { Kept } from "./library.ts"

/**
 * Paragraphs for a model, within a budget of tokens: the most important first, each whole, each
 * with the label by which it is cited. What is in them is data and cannot end its element.
 */
export function formatContext(
  wanted: readonly { readonly id: string; readonly paragraph: Kept | undefined }[],
  budget: number,
  count: (text: string) => number,
): KbContext {
  const taken: Kept[] = []
  let tokens = count(textOf([]))
  for (const { paragraph } of wanted) {
    if (paragraph === undefined || taken.includes(paragraph)) continue
    const more = count(`${elementOf(paragraph, taken.length)}\n`)
    if (tokens + more > budget) continue
    taken.push(paragraph)
    tokens += more
  }
  // Tokens of a whole may be more than those of its parts, by a few at the seams.
  while (taken.length > 0 && count(textOf(taken)) > budget) taken.pop()
  const text = textOf(taken)
  const included = taken.map((it, at) => ({ label: labelOf(at), id: it.id }))
  const isIn = new Set(taken.map((it) => it.id))
  const left = [...new Set(wanted.map((it) => it.id))].filter((id) => !isIn.has(id))
  return { text, tokens: count(text), included, left }
}

function textOf(paragraphs: readonly Kept[]): string {
  return ["<knowledge>", ...paragraphs.map(elementOf), "</knowledge>"].join("\n")
}

function elementOf({ id, body, document }: Kept, at: number): string {
  const attributes = [
    `label="${labelOf(at)}"`,
    `id="${escaped(id)}"`,
    `citation="${escaped(body.citation)}"`,
    `tier="${document.tier}"`,
  ]
  return `<paragraph ${attributes.join(" ")}>${escaped(body.text)}</paragraph>`
}

function labelOf(at: number): string {
  return `P${at + 1}`
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
