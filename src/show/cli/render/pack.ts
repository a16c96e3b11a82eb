import { formatExact, plural } from "#ground/base"
import type {
  ContextPack,
  GuidelinesList,
  guidelinesOperations,
  PackBuilt,
  PackDiff,
  PackFile,
  PackLeft,
  PackList,
  packOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { renderBar } from "./bar.ts"
import { timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** What had no room is a list to glance at; `--json` has all. */
const MOST_LEFT_LISTED = 10

/** A format that was asked for is printed as it is: it goes to an agent or a file. */
function renderPack(built: PackBuilt, screen: Screen): string {
  if (built.out !== null) return `Written to ${built.out}, ${tokensText(built.textTokens)}`
  return built.format === null ? describePack(built.pack, screen) : built.text
}

function describePack(pack: ContextPack, screen: Screen): string {
  const { paint } = screen
  if (pack.isEmpty) return [pack.emptyReason ?? "The package is empty.", ...pack.notes].join("\n")
  const { used, missing } = pack.signals
  const signals = [
    `by ${used.join(", ")}`,
    ...missing.map((it) => `no ${it.signal}: ${it.why}`),
  ].join("; ")
  const head = `of ${formatExact(pack.budget)} tokens, ${plural(pack.files.length, "file")}`
  return [
    `${paint.bold(formatExact(pack.tokens))} ${head}  ${paint.muted(pack.id)}`,
    renderBar(pack.manifest.kinds, pack.budget, screen),
    "",
    table(pack.files.map((it) => fileRow(it, screen))),
    ...leftLines(pack, screen),
    "",
    paint.muted(signals),
    ...pack.notes.map((it) => paint.muted(it)),
    ...pack.advice.map((it) => paint.muted(`${it.guideline}: ${it.text}`)),
    paint.muted("--format summary, markdown, xml or json prints what an agent gets"),
  ].join("\n")
}

function fileRow(file: PackFile, { paint }: Screen): readonly string[] {
  return [
    file.score.toFixed(2),
    FORMS[file.form],
    formatExact(file.tokens).padStart(7),
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

function leftLines(pack: ContextPack, { paint }: Screen): readonly string[] {
  const withoutRoom = pack.left.filter((it) => it.why === "no-room").slice(0, MOST_LEFT_LISTED)
  if (withoutRoom.length === 0) return []
  const rows = withoutRoom.map((it) => [it.score.toFixed(2), it.path, paint.muted(it.detail)])
  return ["", `${paint.bold("No room")} ${paint.muted(leftText(pack.left))}`, table(rows)]
}

function leftText(left: readonly PackLeft[]): string {
  const counts = LEFT_WORDS.flatMap(([why, words]) => {
    const count = left.filter((it) => it.why === why).length
    return count === 0 ? [] : [`${formatExact(count)} ${words}`]
  })
  return counts.join(", ")
}

const LEFT_WORDS = [
  ["no-room", "without room"],
  ["below", "below the least relevance"],
  ["denied", "denied"],
  ["dropped", "dropped"],
] as const

function renderPackList({ packs }: PackList, { paint }: Screen): string {
  if (packs.length === 0) return paint.muted('No package was kept yet. Run qm pack "<task>".')
  return table(
    packs.map((it) => [
      it.id,
      timeText(it.builtAt),
      tokensText(it.tokens),
      plural(it.files, "file"),
      firstRowText(it.task),
    ]),
  )
}

function renderPackDiff(diff: PackDiff, { paint }: Screen): string {
  const changed = diff.changes.filter((it) => it.change !== "same")
  const same = diff.changes.length - changed.length
  const rows = changed.map((it) => [
    SIGNS[it.change],
    it.path,
    `${it.formBefore ?? "none"} to ${it.formAfter ?? "none"}`,
    signed(it.tokensAfter - it.tokensBefore),
  ])
  const head = `${tokensText(diff.from.tokens)} to ${tokensText(diff.to.tokens)}`
  return [
    `${paint.bold(head)} ${paint.muted(`${plural(same, "file")} the same`)}`,
    ...(rows.length === 0 ? [] : [table(rows)]),
  ].join("\n")
}

const SIGNS = { added: "+", removed: "-", changed: "~", same: " " } as const

function renderGuidelines(list: GuidelinesList, { paint }: Screen): string {
  if (list.guidelines.length === 0) return paint.muted("No guideline applies.")
  const rows = list.guidelines.map((it) => [
    String(it.priority).padStart(4),
    it.id,
    it.category,
    it.isEnabled ? "" : "off",
    paint.muted(it.origin),
  ])
  const said = [...list.verdict.instructions, ...list.verdict.constraints]
  return [table(rows), ...said.map((it) => `\n${it}`)].join("\n")
}

function tokensText(tokens: number): string {
  return `${formatExact(tokens)} tokens`
}

function signed(tokens: number): string {
  return tokens > 0 ? `+${formatExact(tokens)}` : formatExact(tokens)
}

function firstRowText(text: string): string {
  const [line = ""] = text.trim().split("\n")
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

export const guidelinesRenderers: Renderers<typeof guidelinesOperations> = {
  list: renderGuidelines,
}

export const packRenderers: Renderers<typeof packOperations> = {
  build: renderPack,
  diff: renderPackDiff,
  list: renderPackList,
  show: renderPack,
}
