import { formatExact, oneLine, plural } from "#ground/base"
import {
  type ContextPack,
  describeScale,
  type GuidelinesList,
  type guidelinesOperations,
  type PackBuilt,
  type PackDiff,
  type PackFile,
  type PackLeft,
  type PackList,
  type packOperations,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { renderBar } from "./bar.ts"
import { firstRowText, listing, rowLimit, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_LEFT_LISTED = 10

function renderPack(built: PackBuilt, screen: Screen): string {
  if (built.out !== null) return `Wrote ${built.out}, ${tokensText(built.textTokens)}.`
  return built.format === null ? describePack(built.pack, screen) : built.text
}

function isVerbatim({ format, out }: PackBuilt): boolean {
  return format !== null && out === null
}

function describePack(pack: ContextPack, screen: Screen): string {
  const { paint } = screen
  if (pack.isEmpty) return [pack.emptyReason ?? "The package is empty.", ...pack.notes].join("\n")
  const { used, missing } = pack.signals
  const unused = missing.map((it) => `${it.signal} (${it.why})`).join(", ")
  const signals = `Ranked by ${used.join(", ")}${unused === "" ? "" : `. Not used: ${unused}`}`
  const head = `of ${formatExact(pack.budget)} tokens, ${plural(pack.files.length, "file")}`
  return [
    `${paint.bold(formatExact(pack.tokens))} ${head}  ${paint.muted(pack.id)}`,
    renderBar(pack.manifest.kinds, pack.budget, screen),
    ...(pack.scale === null ? [] : [paint.muted(`Tokens ${describeScale(pack.scale)}.`)]),
    "",
    listing(
      ["Score", "Form", "Tokens", "File", "Reason"],
      pack.files.map((it) => fileRow(it, screen)),
      screen,
    ),
    ...recordLines(pack, screen),
    ...leftLines(pack, screen),
    "",
    ...expectationLines(pack, screen),
    paint.muted(signals),
    ...pack.notes.map((it) => paint.muted(it)),
    ...pack.advice.map((it) => paint.muted(`${it.guideline}: ${it.text}`)),
    paint.muted("Print the package for an agent: qm pack show last --format markdown"),
  ].join("\n")
}

/** Where the package ends on the curve of what a larger or smaller one would be expected to have. */
function expectationLines({ expectation }: ContextPack, { paint }: Screen): readonly string[] {
  const { recall, curve } = expectation
  if (curve.length === 0) return []
  const points = curve.map((it) => `${kilo(it.tokens)}: ${percent(it.recall)}`)
  return [
    `Estimate: the package has ${paint.bold(percent(recall))} of the code the task needs.`,
    paint.muted(`Estimates for other sizes, in tokens: ${points.join(", ")}`),
  ]
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

function kilo(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${tokens / 1_000}k`
}

function fileRow(file: PackFile, { paint }: Screen): readonly string[] {
  return [
    file.score.toFixed(2),
    FORMS[file.form],
    formatExact(file.tokens).padStart(6),
    file.path,
    paint.muted(file.sentBefore ? "sent before" : file.reasons.join(", ")),
  ]
}

const FORMS: Readonly<Record<PackFile["form"], string>> = {
  full: "whole",
  symbols: "symbols",
  signatures: "signatures",
  path: "path",
}

function recordLines({ records }: ContextPack, screen: Screen): readonly string[] {
  if (records.length === 0) return []
  const rows = records.map(({ kind, id, text, why, tokens }) => [
    kind,
    formatExact(tokens).padStart(6),
    screen.paint.muted(why),
    oneLine(kind === "paragraph" ? `${id}: ${text}` : text),
  ])
  return ["", listing(["Kind", "Tokens", "Reason", "Text"], rows, screen)]
}

function leftLines(pack: ContextPack, screen: Screen): readonly string[] {
  const { paint } = screen
  const withoutRoom = pack.left
    .filter((it) => it.why === "no-room" || it.why === "unlikely")
    .slice(0, rowLimit(MOST_LEFT_LISTED, screen))
  if (withoutRoom.length === 0) return []
  const rows = withoutRoom.map((it) => [it.score.toFixed(2), it.path, paint.muted(it.detail)])
  return [
    "",
    `${paint.bold("Left out")} ${paint.muted(leftText(pack.left))}`,
    listing(["Score", "File", "Size"], rows, screen),
  ]
}

function leftText(left: readonly PackLeft[]): string {
  const counts = LEFT_WORDS.flatMap(([why, words]) => {
    const count = left.filter((it) => it.why === why).length
    return count === 0 ? [] : [`${formatExact(count)} ${words}`]
  })
  return counts.join(", ")
}

const LEFT_WORDS = [
  ["no-room", "over budget"],
  ["unlikely", "unlikely to be needed"],
  ["below", "below pack.minRelevance"],
  ["denied", "denied"],
  ["dropped", "dropped"],
] as const

function renderPackList({ packs }: PackList, screen: Screen): string {
  if (packs.length === 0) {
    return screen.paint.muted('No package is stored yet. Build one with `qm pack "fix the login"`.')
  }
  return listing(
    ["Package", "Built (UTC)", "Tokens", "Files", "Task"],
    packs.map((it) => [
      it.id,
      timeText(it.builtAt),
      tokensText(it.tokens),
      plural(it.files, "file"),
      firstRowText(it.task, Math.max(20, screen.width - 66)),
    ]),
    screen,
  )
}

function renderPackDiff(diff: PackDiff, screen: Screen): string {
  const { paint } = screen
  const changed = diff.changes.filter((it) => it.change !== "same")
  const same = diff.changes.length - changed.length
  const rows = changed.map((it) => [
    SIGNS[it.change],
    it.path,
    `${it.formBefore ?? "none"} to ${it.formAfter ?? "none"}`,
    signed(it.tokensAfter - it.tokensBefore),
  ])
  const records = diff.recordsAfter - diff.recordsBefore
  if (records !== 0) rows.push(["~", "memories, tickets and documents", "", signed(records)])
  const head = `${tokensText(diff.from.tokens)} to ${tokensText(diff.to.tokens)}`
  return [
    `${paint.bold(head)} ${paint.muted(`${plural(same, "file")} unchanged`)}`,
    ...(rows.length === 0 ? [] : [listing(["", "File", "Form", "Tokens"], rows, screen)]),
  ].join("\n")
}

const SIGNS = { added: "+", removed: "-", changed: "~", same: " " } as const

function renderGuidelines(list: GuidelinesList, screen: Screen): string {
  const { paint } = screen
  if (list.guidelines.length === 0) return paint.muted("No guidelines apply.")
  const rows = list.guidelines.map((it) => [
    String(it.priority).padStart(4),
    it.id,
    it.category,
    it.isEnabled ? "on" : "off",
    paint.muted(it.origin),
  ])
  const statements = [...list.verdict.instructions, ...list.verdict.constraints]
  const headings = ["Priority", "Guideline", "Category", "State", "Source"]
  return [listing(headings, rows, screen), ...statements.map((it) => `\n${it}`)].join("\n")
}

function tokensText(tokens: number): string {
  return `${formatExact(tokens)} tokens`
}

function signed(tokens: number): string {
  return tokens > 0 ? `+${formatExact(tokens)}` : formatExact(tokens)
}

export const guidelinesRenderers: Renderers<typeof guidelinesOperations> = {
  list: renderGuidelines,
}

export const packRenderers: Renderers<typeof packOperations> = {
  build: { text: renderPack, isVerbatim },
  diff: renderPackDiff,
  list: renderPackList,
  show: { text: renderPack, isVerbatim },
}
