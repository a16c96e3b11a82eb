import type { TextLabel } from "./labels.ts"
import { safeLink } from "./rendered-markdown.tsx"

type Reference = {
  readonly label: string
  readonly title: string
  readonly citation: string
  readonly paragraph: string | null
  readonly url: string | null
  readonly isPrior: boolean
}

/** Links of the labels in a document: a paragraph by `hrefOf`, or a page of the web. */
export function labelsOf(
  references: readonly Reference[],
  hrefOf: (paragraph: string) => string,
): ReadonlyMap<string, TextLabel> {
  return new Map(references.flatMap((it) => labelOf(it, hrefOf)))
}

function labelOf(
  reference: Reference,
  hrefOf: (paragraph: string) => string,
): readonly (readonly [string, TextLabel])[] {
  const { label, title, citation, paragraph, url, isPrior } = reference
  const name = citation === title ? title : `${citation}, ${title}`
  const tip = isPrior ? `${name}, from an earlier run` : name
  if (paragraph !== null) {
    return [[label, { href: hrefOf(paragraph), title: tip, outside: null }]]
  }
  const link = url === null ? undefined : safeLink(url)
  if (link === undefined) return []
  return [[label, { href: link.href, title: `${tip} (${link.place})`, outside: link.place }]]
}
