import { formatExact, plural } from "#ground/base"
import type {
  KbAdded,
  KbBy,
  KbDocuments,
  KbHit,
  KbParagraph,
  KbParagraphShown,
  KbSearchResult,
  KbStatus,
  KbWeb,
  kbOperations,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { firstRowText, listing, quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = "Add a folder with `qm kb add docs`."
const MOST_SKIPPED = 12
const MOST_UNRESOLVED = 12
const MOST_ENDS = 12

function renderKbAdded(added: KbAdded, screen: Screen): string {
  const { paint, width } = screen
  const counts = [
    [added.added, "new"],
    [added.changed, "changed"],
    [added.removed, "removed"],
    [added.unchanged, "unchanged"],
  ] as const
  const changes = counts.flatMap(([count, what]) =>
    count === 0 ? [] : [`${formatExact(count)} ${what}`],
  )
  const size = `${plural(added.documents, "document")}, ${plural(added.paragraphs, "paragraph")}`
  const skipped = added.skipped.map((it) => [rowText(it.path), paint.muted(rowText(it.reason))])
  return [
    `${paint.bold(rowText(added.folder, width - 20))} ${paint.muted(added.tier)}`,
    changes.length === 0 ? size : `${size}: ${changes.join(", ")}`,
    paint.muted(byText(added.by)),
    ...section("Left out", skipped, { screen, most: MOST_SKIPPED, headings: ["File", "Reason"] }),
  ].join("\n")
}

function renderKbFound({ hits, by, documents }: KbSearchResult, screen: Screen): string {
  const { paint, width } = screen
  if (hits.length === 0) {
    if (documents === 0) return paint.muted(`The knowledge base is empty. ${FIRST_STEP}`)
    const all = plural(documents, "document")
    return paint.muted(
      `No match in ${all}. Try other words, or list the documents with \`qm kb documents\`.`,
    )
  }
  const indent = " ".repeat(10)
  const blocks = hits.map((hit) =>
    [
      `${shareBar(hit.score)}  ${paint.bold(rowText(hit.paragraph.citation, width - 10))}`,
      `${indent}${firstRowText(hit.paragraph.text, width - 10)}`,
      `${indent}${paint.muted(`${rowText(whyOf(hit), width - 40)}  ${rowText(hit.paragraph.id)}`)}`,
    ].join("\n"),
  )
  return [...blocks, paint.muted(byText(by))].join("\n\n")
}

function whyOf({ hop, words, meaning, matched }: KbHit): string {
  if (hop !== null) return `${hop.kind}, ${plural(hop.depth, "step")} from ${hop.from}`
  const has = matched.length === 0 ? "" : `: ${matched.join(", ")}`
  if (words !== null && meaning !== null) return `words and meaning${has}`
  if (words === null) return "meaning"
  return matched.length === 0 ? "related words" : `words${has}`
}

function byText({ meaning, note, related = false }: KbBy): string {
  const words = related ? "words, related words" : "words"
  const without = related ? "Searched by words and related words" : "Searched by words only"
  const how = meaning === null ? without : `Searched by ${words} and ${meaning}`
  return note === null ? `${how}.` : `${how}: ${rowText(note)}.`
}

function renderKbStatus(status: KbStatus, screen: Screen): string {
  const { paint } = screen
  if (status.folders.length === 0) return paint.muted(`The knowledge base is empty. ${FIRST_STEP}`)
  const folders = status.folders.map((it) => [
    it.tier,
    plural(it.documents, "document"),
    it.isStale ? paint.warn("files changed") : paint.ok("up to date"),
    paint.muted(timeText(it.addedAt)),
    rowText(it.folder),
  ])
  const unresolved = status.unresolved.map((it) => [rowText(it.document), rowText(it.text)])
  const sizes = [
    plural(status.documents, "document"),
    plural(status.paragraphs, "paragraph"),
    plural(status.references, "reference"),
  ]
  const stale = status.folders.find((it) => it.isStale)
  return [
    paint.bold(sizes.join(", ")),
    paint.muted(byText(status.by)),
    "",
    listing(["Tier", "Documents", "State", "Added (UTC)", "Folder"], folders, screen),
    ...(stale === undefined
      ? []
      : [paint.muted(`Update it with \`qm kb add ${rowText(stale.folder)}\`.`)]),
    ...section("Broken references", unresolved, {
      screen,
      most: MOST_UNRESOLVED,
      headings: ["Document", "Reference"],
    }),
  ].join("\n")
}

function renderKbParagraph(shown: KbParagraphShown, screen: Screen): string {
  const { paint, width } = screen
  const { paragraph, before, after } = shown
  const { path, line, page } = paragraph
  const place = page === null ? `${path}:${line}` : `${path}, page ${page}`
  const beside = [
    ...(before === null ? [] : [["Before", rowText(before.id), cited(before, width)]]),
    ...(after === null ? [] : [["After", rowText(after.id), cited(after, width)]]),
  ]
  return [
    paint.bold(rowText(paragraph.citation, width)),
    paint.muted(rowText([...paragraph.headings, place, paragraph.tier].join(" · "), width)),
    "",
    quoted(paragraph.text),
    ...ends("Refers to", shown.refersTo, screen),
    ...ends("Referred to by", shown.referredFrom, screen),
    ...(beside.length === 0
      ? []
      : ["", listing(["Place", "Paragraph", "Citation"], beside, screen)]),
  ].join("\n")
}

function ends(title: string, all: KbParagraphShown["refersTo"], screen: Screen) {
  const rows = all.map(({ paragraph, text }) => [
    rowText(paragraph.id),
    rowText(paragraph.citation),
    screen.paint.muted(rowText(text, Math.max(20, screen.width - 70))),
  ])
  return section(title, rows, {
    screen,
    most: MOST_ENDS,
    headings: ["Paragraph", "Citation", "Text"],
  })
}

function cited({ citation }: KbParagraph, width: number): string {
  return rowText(citation, Math.max(20, width - 40))
}

function renderKbDocuments({ documents }: KbDocuments, screen: Screen): string {
  const { paint } = screen
  if (documents.length === 0) return paint.muted(`The knowledge base is empty. ${FIRST_STEP}`)
  return listing(
    ["Document", "Tier", "Size", "Title", "Path"],
    documents.map((it) => [
      it.id,
      it.tier,
      plural(it.paragraphs, "paragraph"),
      rowText(it.title),
      paint.muted(rowText(it.path)),
    ]),
    screen,
  )
}

function renderKbRemoved(removed: { readonly folder: string; readonly documents: number }): string {
  const what = plural(removed.documents, "document")
  return `Removed ${what} of ${rowText(removed.folder)}. The files were not touched.`
}

function renderKbWeb({ source, note, results }: KbWeb, { paint, width }: Screen): string {
  const from = source === null ? "No source was used" : `Source: ${rowText(source)}`
  const head = paint.muted(note === null ? `${from}.` : `${from}. ${rowText(note)}.`)
  const blocks = results.map((it, at) =>
    [
      `W${at + 1}  ${paint.bold(rowText(it.title, width - 6))}`,
      `    ${firstRowText(it.text, width - 6)}`,
      `    ${paint.muted(rowText(it.url, width - 6))}`,
    ].join("\n"),
  )
  return [...blocks, results.length === 0 ? `${head} No results.` : head].join("\n\n")
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
