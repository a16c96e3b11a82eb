import { formatCount, formatDuration, plural } from "#ground/base"
import type {
  Branch,
  FoldList,
  FoldRestore,
  FoldSearch,
  FoldShow,
  FoldTree,
  foldOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { firstRowText, quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** How an agent comes to the tools, for whoever looks before the first one has used them. */
const FIRST_STEP = "`claude mcp add qm -- qm mcp` gives Claude Code the tools branch and return."

function renderFoldTree({ sessions }: FoldTree, screen: Screen): string {
  const { paint } = screen
  if (sessions.length === 0) {
    return paint.muted(
      `Nothing was folded in the last hour; --all shows what was before.\n${FIRST_STEP}`,
    )
  }
  const blocks = sessions.map((it) => {
    const kept = `${paint.bold(formatCount(it.tokensKeptOut))} tokens kept out`
    const client = it.client === null ? "" : `, ${rowText(it.client, 40)}`
    const whose = `session ${rowText(it.sessionId, 60)}${client}, since ${timeText(it.startedAt)}`
    return [
      `${kept}, ${formatCount(it.budgetUsed)} used  ${paint.muted(whose)}`,
      ...it.branches.flatMap((branch) => ["", ...branchLines(branch, screen)]),
    ].join("\n")
  })
  const isPartlyMetered = sessions.some((it) => it.branches.some((own) => own.isLowerBound))
  return [blocks.join("\n\n"), ...(isPartlyMetered ? ["", paint.muted(LOWER_BOUND)] : [])].join(
    "\n",
  )
}

/** Two lines, as deep as it lies: how it stands, and the figures for that. */
function branchLines(branch: Branch, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const indent = "  ".repeat(branch.depth + 1)
  const status = describeStatus(branch)
  const room = width - indent.length - status.length - 4
  const figures = [budgetText(branch), branchTimeText(branch), keptOutText(branch)].filter(Boolean)
  return [
    `${indent}${toned(branch, status, paint)}  ${rowText(branch.description, room)}`,
    `${indent}${shareBar(shareUsed(branch))}  ${figures.join(", ")}  ${paint.muted(branch.id)}`,
  ]
}

function renderFoldList(list: FoldList, { paint, width }: Screen): string {
  const { branches, active, total, tokensKeptOut } = list
  if (branches.length === 0) {
    const earlier = total === 0 ? "No agent has opened a branch here yet." : earlierText(total)
    return paint.muted(`${earlier}\n${FIRST_STEP}`)
  }
  const rows = branches.map((it) => [
    it.id,
    toned(it, describeStatus(it), paint),
    `${shareBar(shareUsed(it))} ${formatCount(it.budgetUsed)}${it.isLowerBound ? "+" : ""}`,
    rowText(it.description, Math.max(24, width - 62)),
  ])
  const left = total - branches.length
  const open = active === 0 ? "none open" : `${active} open`
  return [
    `${paint.bold(formatCount(tokensKeptOut))} tokens kept out by ${plural(branches.length, "branch", "branches")}, ${open}`,
    "",
    table(rows),
    ...(left > 0
      ? [
          "",
          paint.muted(`${plural(left, "more is", "more are")} kept; --all and --limit list them.`),
        ]
      : []),
    ...(branches.some((it) => it.isLowerBound) ? ["", paint.muted(LOWER_BOUND)] : []),
  ].join("\n")
}

function earlierText(total: number): string {
  return `None is open or ended in the last hour; ${plural(total, "branch is", "branches are")} kept, see --all.`
}

const LOWER_BOUND = "+ only our own tools were metered, so it may have used more"

function renderFoldSearch({ found, searched }: FoldSearch, screen: Screen): string {
  const { paint, width } = screen
  if (found.length === 0) {
    if (searched === 0) return paint.muted(`No trail is kept yet.\n${FIRST_STEP}`)
    const where = plural(searched, "trail")
    return paint.muted(
      `No line of ${where} has these words. Try fewer; \`qm fold list --all\` lists the branches.`,
    )
  }
  const byBranch = Map.groupBy(found, (it) => it.branchId)
  const blocks = [...byBranch].map(([id, steps]) => {
    const rows = steps.map((it) => {
      const what = it.tool === null ? it.kind : `${it.kind} ${rowText(it.tool, 24)}`
      return ["", String(it.seq).padStart(3), paint.muted(what), rowText(it.line, width - 36)]
    })
    const title = rowText(steps[0]?.description ?? "", width - id.length - 2)
    return `${paint.bold(title)}  ${paint.muted(id)}\n${table(rows)}`
  })
  const next =
    "`qm fold show <id>` has the whole trail, `qm fold restore <id>` its text for a model."
  return [...blocks, paint.muted(next)].join("\n\n")
}

/** It goes into a pipe: the text and nothing of ours. */
function renderFoldRestore({ text }: FoldRestore): string {
  return text.replace(/\n$/, "")
}

function shareUsed({ budgetUsed, budgetTotal }: Branch): number {
  return budgetUsed / budgetTotal
}

function budgetText({ budgetUsed, budgetTotal, isLowerBound }: Branch): string {
  const used = `${formatCount(budgetUsed)}${isLowerBound ? "+" : ""}`
  return `${used} of ${formatCount(budgetTotal)} tokens`
}

/** Without a look at the clock: how long it took, or until when it may take. */
function branchTimeText({ createdAt, completedAt, deadlineAt }: Branch): string {
  if (completedAt !== null) return formatDuration(Math.max(0, completedAt - createdAt))
  return `until ${timeText(deadlineAt).slice(-5)} UTC`
}

function keptOutText({ tokensKeptOut, completedAt }: Branch): string {
  return completedAt === null ? "" : `${formatCount(tokensKeptOut)} kept out`
}

/** The state in words; colour only repeats it. */
function describeStatus({ status, endReason, isPartial }: Branch): string {
  const why = endReason === null ? "" : WHY_ENDED[endReason]
  return [status, ...(why === "" ? [] : [why]), ...(isPartial ? ["partial"] : [])].join(", ")
}

const WHY_ENDED = {
  returned: "",
  budget: "budget spent",
  timeout: "",
  "parent-returned": "its parent returned",
  "session-ended": "its session ended",
  shutdown: "qm was shut down",
} as const satisfies Record<NonNullable<Branch["endReason"]>, string>

function toned({ status }: Branch, text: string, paint: Screen["paint"]): string {
  if (status === "completed") return paint.ok(text)
  if (status === "failed" || status === "timeout") return paint.warn(text)
  return status === "cancelled" ? paint.muted(text) : paint.accent(text)
}

/** Steps and paths of a branch that are listed; a long one has hundreds. */
const MOST_STEPS = 40
const MOST_PATHS = 20

/** A branch whole: how it stands, what it gave back, what it did. */
function renderFoldShow({ branch, trail }: FoldShow, screen: Screen): string {
  const { paint, width } = screen
  const steps = trail.map((it) => [
    String(it.seq).padStart(3),
    paint.muted(`at ${formatDuration(Math.max(0, it.at - branch.createdAt))}`),
    it.tool === null ? it.kind : `${it.kind} ${rowText(it.tool, 24)}`,
    it.tokens === 0 ? "" : formatCount(it.tokens),
    firstRowText(it.text, width - 44),
    ...(it.handle === null ? [] : [paint.muted(it.handle)]),
  ])
  return [
    paint.bold(rowText(branch.description, width)),
    `${shareBar(shareUsed(branch))}  ${budgetText(branch)}, ${branchTimeText(branch)}, ${toned(branch, describeStatus(branch), paint)}`,
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
    ["Session", rowText([branch.sessionId, ...(client === null ? [] : [client])].join(", "), room)],
    [
      "Opened",
      `${timeText(branch.createdAt)}, for at most ${formatDuration(branch.timeoutSeconds * 1_000)}`,
    ],
    ["Folded by", MODES[branch.mode]],
    ["Kept out", `${formatCount(branch.tokensKeptOut)} tokens`],
    ...(scope.length === 0 ? [] : [["Scope", rowText(scope.join(", "), room)]]),
    ...(progress === null ? [] : [["Progress", rowText(progress, room)]]),
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
  const lines = (texts: readonly string[]) => texts.map((it) => [rowText(it, width - 4)])
  const list = (title: string, texts: readonly string[]) =>
    section(title, lines(texts), { screen, most: MOST_PATHS })
  const title = branch.isPartial ? "Result, as far as it was known" : "Result"
  const size = paint.muted(`${formatCount(branch.resultTokens)} tokens`)
  return [
    ...(branch.error === null ? [] : ["", paint.warn(rowText(branch.error, width))]),
    ...(branch.result === null ? [] : ["", `${paint.bold(title)} ${size}`, quoted(branch.result)]),
    ...list("Evidence", branch.evidence),
    ...list("Open questions", branch.openQuestions),
    ...list("Files it names", branch.files),
    ...list("Files it touched", branch.touchedPaths),
    ...list(paint.warn("Outside of its scope"), branch.outOfScope),
  ]
}

export const foldRenderers: Renderers<typeof foldOperations> = {
  list: renderFoldList,
  restore: renderFoldRestore,
  search: renderFoldSearch,
  show: renderFoldShow,
  tree: renderFoldTree,
}
