import { formatExact, plural } from "#ground/base"
import type {
  KbAdded,
  KbBy,
  KbDocuments,
  KbFound,
  KbHit,
  KbParagraph,
  KbParagraphShown,
  KbStatus,
  KbWeb,
  kbOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { firstRowText, quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = "`qm kb add <folder>` reads the first."
const MOST_SKIPPED = 12
const MOST_UNRESOLVED = 12
const MOST_ENDS = 12

function renderKbAdded(added: KbAdded, screen: Screen): string {
  const { paint, width } = screen
  const counts = [
    [added.added, "new"],
    [added.changed, "changed"],
    [added.removed, "gone"],
    [added.unchanged, "as before"],
  ] as const
  const told = counts.flatMap(([count, what]) =>
    count === 0 ? [] : [`${formatExact(count)} ${what}`],
  )
  const size = `${plural(added.documents, "document")}, ${plural(added.paragraphs, "paragraph")}`
  const skipped = added.skipped.map((it) => [
    rowText(it.path, 40),
    paint.muted(rowText(it.reason, width - 44)),
  ])
  return [
    `${paint.bold(rowText(added.folder, width - 20))} ${paint.muted(added.tier)}`,
    told.length === 0 ? size : `${size}: ${told.join(", ")}`,
    paint.muted(byText(added.by)),
    ...section("Left out", skipped, { screen, most: MOST_SKIPPED }),
  ].join("\n")
}

function renderKbFound({ hits, by, documents }: KbFound, screen: Screen): string {
  const { paint, width } = screen
  if (hits.length === 0) {
    if (documents === 0) return paint.muted(`No document is known yet. ${FIRST_STEP}`)
    const all = plural(documents, "document")
    return paint.muted(
      `Nothing in ${all} matches. Try other words, or look with \`qm kb documents\`.`,
    )
  }
  const indent = " ".repeat(10)
  const blocks = hits.map((hit) =>
    [
      `${shareBar(hit.score)}  ${paint.bold(rowText(hit.paragraph.citation, width - 10))}`,
      `${indent}${firstRowText(hit.paragraph.text, width - 10)}`,
      `${indent}${paint.muted(`${rowText(whyOf(hit), width - 40)}  ${rowText(hit.paragraph.id, 40)}`)}`,
    ].join("\n"),
  )
  return [...blocks, paint.muted(byText(by))].join("\n\n")
}

/** Why it is here: found by words, by meaning, by both, or reached from another. */
function whyOf({ hop, words, meaning, matched }: KbHit): string {
  if (hop !== null) return `${hop.kind}, ${plural(hop.depth, "step")} from ${hop.from}`
  const has = matched.length === 0 ? "" : `: ${matched.join(", ")}`
  if (words !== null && meaning !== null) return `words and meaning${has}`
  return words === null ? "meaning" : `words${has}`
}

function byText({ meaning, note }: KbBy): string {
  const how = meaning === null ? "By words only" : `By words and by ${meaning}`
  return note === null ? `${how}.` : `${how}: ${rowText(note, 200)}.`
}

function renderKbStatus(status: KbStatus, screen: Screen): string {
  const { paint, width } = screen
  if (status.folders.length === 0) return paint.muted(`No document is known yet. ${FIRST_STEP}`)
  const folders = status.folders.map((it) => [
    it.tier,
    plural(it.documents, "document"),
    it.isStale ? paint.warn("files changed since") : paint.ok("up to date"),
    paint.muted(timeText(it.addedAt)),
    // Last and whole: it is what `qm kb remove` wants to hear.
    rowText(it.folder, 4_000),
  ])
  const unresolved = status.unresolved.map((it) => [
    rowText(it.document, 30),
    rowText(it.text, Math.max(20, width - 36)),
  ])
  const sizes = [
    plural(status.documents, "document"),
    plural(status.paragraphs, "paragraph"),
    plural(status.references, "reference"),
  ]
  const isAnyStale = status.folders.some((it) => it.isStale)
  return [
    paint.bold(sizes.join(", ")),
    paint.muted(byText(status.by)),
    "",
    table(folders),
    ...(isAnyStale ? [paint.muted("`qm kb add <folder>` reads what changed.")] : []),
    ...section("References that lead nowhere", unresolved, { screen, most: MOST_UNRESOLVED }),
  ].join("\n")
}

function renderKbParagraph(shown: KbParagraphShown, screen: Screen): string {
  const { paint, width } = screen
  const { paragraph, before, after } = shown
  const place = `${paragraph.path}:${paragraph.line}`
  const beside = [
    ...(before === null ? [] : [["Before", rowText(before.id, 40), cited(before, width)]]),
    ...(after === null ? [] : [["After", rowText(after.id, 40), cited(after, width)]]),
  ]
  return [
    paint.bold(rowText(paragraph.citation, width)),
    paint.muted(rowText([...paragraph.headings, place, paragraph.tier].join(" · "), width)),
    "",
    quoted(paragraph.text),
    ...ends("Refers to", shown.refersTo, screen),
    ...ends("Referred to by", shown.referredFrom, screen),
    ...(beside.length === 0 ? [] : ["", table(beside)]),
  ].join("\n")
}

function ends(title: string, all: KbParagraphShown["refersTo"], screen: Screen) {
  const rows = all.map(({ paragraph, text }) => [
    rowText(paragraph.id, 40),
    rowText(paragraph.citation, 40),
    screen.paint.muted(rowText(text, Math.max(20, screen.width - 70))),
  ])
  return section(title, rows, { screen, most: MOST_ENDS })
}

function cited({ citation }: KbParagraph, width: number): string {
  return rowText(citation, Math.max(20, width - 40))
}

function renderKbDocuments({ documents }: KbDocuments, { paint, width }: Screen): string {
  if (documents.length === 0) return paint.muted(`No document is known yet. ${FIRST_STEP}`)
  return table(
    documents.map((it) => [
      it.id,
      it.tier,
      plural(it.paragraphs, "paragraph"),
      rowText(it.title, 40),
      paint.muted(rowText(it.path, Math.max(20, width - 78))),
    ]),
  )
}

function renderKbRemoved(removed: { readonly folder: string; readonly documents: number }): string {
  const what = plural(removed.documents, "document")
  return `Took ${what} of ${rowText(removed.folder, 200)} out. The files are as they were.`
}

function renderKbWeb({ source, note, results }: KbWeb, { paint, width }: Screen): string {
  const from = source === null ? "No source was asked" : `Asked ${rowText(source, 60)}`
  const head = paint.muted(note === null ? `${from}.` : `${from}: ${rowText(note, 300)}.`)
  const blocks = results.map((it, at) =>
    [
      `W${at + 1}  ${paint.bold(rowText(it.title, width - 6))}`,
      `    ${firstRowText(it.text, width - 6)}`,
      `    ${paint.muted(rowText(it.url, width - 6))}`,
    ].join("\n"),
  )
  return [...blocks, results.length === 0 ? `${head} Nothing was found.` : head].join("\n\n")
}

export const kbRenderers: Renderers<typeof kbOperations> = {
  add: renderKbAdded,
  documents: renderKbDocuments,
  paragraph: renderKbParagraph,
  remove: renderKbRemoved,
  search: renderKbFound,
  status: renderKbStatus,
  web: renderKbWeb,
}
