import { once } from "#ground/base"
import { base64Views, type Run, runsOf } from "./encodings/base64.ts"
import { unescapedViews, type View } from "./encodings/escapes.ts"
import type { KnownSecretFinder } from "./known-secrets.ts"
import { continuationsOf, PLACEMENT_RULES } from "./placements.ts"
import { createKeywordScan } from "./rules/automaton.ts"
import { NAME_RULES, PROSE_RULES } from "./rules/names.ts"
import { createRejections, type Rule, type SecretMatch, type Work } from "./rules/rule.ts"
import { DISCORD_TOKEN, STRUCTURE_RULES } from "./rules/structures.ts"
import { VENDOR_RULES } from "./rules/vendors.ts"

export type Span = SecretMatch & { readonly secret: string; readonly rank: number }

/** Findings in the raw text, the unescaped text and decoded base64. They may overlap. */
export function findSpans(
  text: string,
  knownSecrets: KnownSecretFinder,
  work: Work,
): readonly Span[] {
  const spans = [...findThroughBase64(text, knownSecrets, work)]
  for (const view of unescapedViews(text)) {
    work.steps += view.text.length
    pushMapped(spans, view, findThroughBase64(view.text, knownSecrets, work))
  }
  return spans
}

function findThroughBase64(
  text: string,
  knownSecrets: KnownSecretFinder,
  work: Work,
): readonly Span[] {
  const runs = runsOf(text)
  const spans = findPlain(text, runs, { known: knownSecrets, work })
  for (const view of base64Views(text, runs)) {
    pushMapped(spans, view, findPlain(view.text, runsOf(view.text), { known: knownSecrets, work }))
  }
  return spans
}

/** Ordered by specificity: of two overlapping matches the first rule names the kind. */
export const RULES: readonly Rule[] = [
  ...VENDOR_RULES,
  ...STRUCTURE_RULES,
  ...PLACEMENT_RULES,
  ...NAME_RULES,
  ...PROSE_RULES,
]
export const KEYWORDS: readonly string[] = [...new Set(RULES.flatMap((it) => it.keywords))]

/** Made at the first search: most commands print nothing that needs one. */
const loadKeywords = once(() => {
  const ranksByKeyword = new Map<string, number[]>(KEYWORDS.map((it) => [it, []]))
  for (const [rank, { keywords }] of RULES.entries()) {
    for (const keyword of new Set(keywords)) ranksByKeyword.get(keyword)?.push(rank)
  }
  return { walk: createKeywordScan(KEYWORDS), ranksOf: [...ranksByKeyword.values()] }
})

type Tools = { readonly known: KnownSecretFinder; readonly work: Work }

function findPlain(text: string, runs: readonly Run[], { known, work }: Tools): Span[] {
  const spans: Span[] = []
  const foundUntil = new Uint32Array(RULES.length)
  const rejections = createRejections()
  work.steps += text.length
  const { walk, ranksOf } = loadKeywords()
  walk(text, (keyword, at) => {
    for (const rank of ranksOf[keyword] ?? []) {
      if (at < (foundUntil[rank] ?? 0)) continue
      const match = RULES[rank]?.find({ text, at, work, rejections })
      if (match === undefined) continue
      const further = continuationsOf(text, match)
      foundUntil[rank] = further.at(-1)?.end ?? match.end
      spans.push(spanOf(text, match, rank))
      for (const part of further) spans.push(spanOf(text, { ...match, ...part }, rank))
    }
  })
  for (const run of runs) {
    if (text[run.end] !== ".") continue
    const match = DISCORD_TOKEN.find({
      text,
      at: firstLetter(text, run),
      work,
      rejections: createRejections(),
    })
    if (match !== undefined) spans.push(spanOf(text, match, 0))
  }
  for (const secret of known(text, work)) spans.push(spanOf(text, secret, RULES.length))
  return spans
}

/** A run may start with the `+` or `-` of a diff. */
function firstLetter(text: string, { start }: Run): number {
  return /[+-]/.test(text[start] ?? "") ? start + 1 : start
}

function spanOf(text: string, match: SecretMatch, rank: number): Span {
  return { ...match, rank, secret: text.slice(match.start, match.end) }
}

function pushMapped(spans: Span[], view: View, viewSpans: readonly Span[]): void {
  for (const span of viewSpans) spans.push({ ...span, ...view.source(span.start, span.end) })
}
