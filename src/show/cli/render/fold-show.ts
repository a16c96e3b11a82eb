import { formatCount, formatDuration, plural } from "#ground/base"
import { type Branch, type FoldShow } from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { LOWER_BOUND, sayBranchTime, sayBudget, sayStatus, shareUsed, toned } from "./fold.ts"
import { firstLine, oneLine, quoted, section, shareBar } from "./lines.ts"

/** Steps and paths of a branch that are listed; a long one has hundreds. */
const MOST_STEPS = 40
const MOST_PATHS = 20

/** A branch whole: how it stands, what it gave back, what it did. */
export function renderFoldShow({ branch, trail }: FoldShow, screen: Screen): string {
  const { paint, width } = screen
  const steps = trail.map((it) => [
    String(it.seq).padStart(3),
    paint.muted(`at ${formatDuration(Math.max(0, it.at - branch.createdAt))}`),
    it.tool === null ? it.kind : `${it.kind} ${oneLine(it.tool, 24)}`,
    it.tokens === 0 ? "" : formatCount(it.tokens),
    firstLine(it.text, width - 44),
    ...(it.handle === null ? [] : [paint.muted(it.handle)]),
  ])
  return [
    paint.bold(oneLine(branch.description, width)),
    `${shareBar(shareUsed(branch))}  ${sayBudget(branch)}, ${sayBranchTime(branch)}, ${toned(branch, sayStatus(branch), paint)}`,
    "",
    table(factsOf(branch, width)),
    ...answerOf(branch, screen),
    ...section("Trail", steps, { screen, most: MOST_STEPS }),
    ...(branch.isLowerBound ? ["", paint.muted(LOWER_BOUND)] : []),
    "",
    paint.muted(`\`qm fold restore ${branch.id}\` prints the trail for a model.`),
  ].join("\n")
}

function factsOf(branch: Branch, width: number): readonly (readonly string[])[] {
  const { parentId, children, client, scope, injectedMemoryIds, redactions, progress } = branch
  const room = width - 12
  const place = [
    parentId === null ? "of the root" : `of ${parentId}`,
    `depth ${branch.depth}`,
    ...(children === 0 ? [] : [plural(children, "child", "children")]),
  ]
  return [
    ["Branch", `${branch.id}, ${place.join(", ")}`],
    ["Session", oneLine([branch.sessionId, ...(client === null ? [] : [client])].join(", "), room)],
    [
      "Opened",
      `${sayTime(branch.createdAt)}, for at most ${formatDuration(branch.timeoutSeconds * 1_000)}`,
    ],
    ["Folded by", MODES[branch.mode]],
    ["Kept out", `${formatCount(branch.tokensKeptOut)} tokens`],
    ...(scope.length === 0 ? [] : [["Scope", oneLine(scope.join(", "), room)]]),
    ...(progress === null ? [] : [["Progress", oneLine(progress, room)]]),
    ...(injectedMemoryIds.length === 0 ? [] : [["Memories", injectedMemoryIds.join(", ")]]),
    ...(redactions === 0 ? [] : [["Secrets", `${redactions} replaced`]]),
    ...(branch.isArchived ? [["Archived", "yes"]] : []),
  ]
}

const MODES = {
  wire: "the gateway, on the wire",
  "sub-agent": "the host's own sub-agent",
  handle: "handles for large results",
  none: "nothing: its work stays in the window",
} as const satisfies Record<Branch["mode"], string>

function answerOf(branch: Branch, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const lines = (texts: readonly string[]) => texts.map((it) => [oneLine(it, width - 4)])
  const list = (title: string, texts: readonly string[]) =>
    section(title, lines(texts), { screen, most: MOST_PATHS })
  const title = branch.isPartial ? "Result, as far as it was known" : "Result"
  const size = paint.muted(`${formatCount(branch.resultTokens)} tokens`)
  return [
    ...(branch.error === null ? [] : ["", paint.warn(oneLine(branch.error, width))]),
    ...(branch.result === null ? [] : ["", `${paint.bold(title)} ${size}`, quoted(branch.result)]),
    ...list("Evidence", branch.evidence),
    ...list("Open questions", branch.openQuestions),
    ...list("Files it names", branch.files),
    ...list("Files it touched", branch.touchedPaths),
    ...list(paint.warn("Outside of its scope"), branch.outOfScope),
  ]
}
