import { formatCount, formatDuration, formatExact, plural } from "#ground/base"
import type {
  Branch,
  FoldList,
  FoldRestore,
  FoldSearch,
  FoldShow,
  FoldTree,
  foldOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import {
  firstRowText,
  indentedTable,
  listing,
  quoted,
  rowText,
  section,
  shareBar,
  timeText,
} from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = "Give Claude Code the branch tools with `claude mcp add qm -- qm mcp`."

function renderFoldTree({ sessions }: FoldTree, screen: Screen): string {
  const { paint } = screen
  if (sessions.length === 0) {
    return paint.muted(
      `No branches in the last hour. List older ones with \`qm fold --all\`.\n${FIRST_STEP}`,
    )
  }
  const blocks = sessions.map((session) => {
    const saved = `${paint.bold(formatExact(session.tokensKeptOut))} tokens saved`
    const inWindow = `${formatExact(session.tokensInWindow)} in the window`
    const client = session.client === null ? "" : `, ${rowText(session.client)}`
    const whose = `session ${rowText(session.sessionId)}${client}, since ${timeText(session.startedAt)}`
    return [
      `${saved}, ${inWindow}, ${formatExact(session.budgetUsed)} used  ${paint.muted(whose)}`,
      ...session.branches.flatMap((branch) => ["", ...branchLines(branch, screen)]),
    ].join("\n")
  })
  const isPartlyMetered = sessions.some((it) => it.branches.some((own) => own.isLowerBound))
  return [blocks.join("\n\n"), ...(isPartlyMetered ? ["", paint.muted(LOWER_BOUND)] : [])].join(
    "\n",
  )
}

function branchLines(branch: Branch, screen: Screen): readonly string[] {
  const { paint } = screen
  const indent = "  ".repeat(branch.depth + 1)
  const status = describeStatus(branch)
  const figures = [budgetText(branch), branchTimeText(branch), keptOutText(branch)].filter(Boolean)
  return [
    `${indent}${toned(branch, status, paint)}  ${rowText(branch.description)}`,
    `${indent}${shareBar(shareUsed(branch))}  ${figures.join(", ")}  ${paint.muted(branch.id)}`,
  ]
}

function renderFoldList(list: FoldList, screen: Screen): string {
  const { paint } = screen
  const { branches, active, total, tokensInWindow, tokensKeptOut } = list
  if (branches.length === 0) {
    const earlier =
      total === 0 ? "No branch has been opened in this repository yet." : earlierText(total)
    return paint.muted(`${earlier}\n${FIRST_STEP}`)
  }
  const rows = branches.map((it) => [
    it.id,
    toned(it, describeStatus(it), paint),
    `${shareBar(shareUsed(it))} ${usedText(it)}`,
    formatExact(it.tokensInWindow),
    formatExact(it.tokensKeptOut),
    rowText(it.description),
  ])
  const left = total - branches.length
  const open = active === 0 ? "none open" : `${active} open`
  return [
    `${paint.bold(formatExact(tokensKeptOut))} tokens saved by ${plural(branches.length, "branch", "branches")}, ${formatExact(tokensInWindow)} in the window, ${open}`,
    "",
    listing(["Branch", "State", "Used", "In window", "Saved", "Task"], rows, screen),
    ...(left > 0
      ? ["", paint.muted(`${formatExact(left)} more; list them with --all or --limit.`)]
      : []),
    ...(branches.some((it) => it.isLowerBound) ? ["", paint.muted(LOWER_BOUND)] : []),
  ].join("\n")
}

function earlierText(total: number): string {
  return `No open branches and none ended in the last hour; --all lists ${formatExact(total)} older.`
}

const LOWER_BOUND = "+ means at least: only calls of qm tools are counted"

function renderFoldSearch({ found, searched }: FoldSearch, screen: Screen): string {
  const { paint, width } = screen
  if (found.length === 0) {
    if (searched === 0) return paint.muted(`No trails are stored yet.\n${FIRST_STEP}`)
    const where = plural(searched, "trail")
    return paint.muted(
      `No match in ${where}. Try fewer words, or list all branches with \`qm fold list --all\`.`,
    )
  }
  const byBranch = Map.groupBy(found, (it) => it.branchId)
  const blocks = [...byBranch].map(([id, steps]) => {
    const rows = steps.map((step) => {
      const what = step.tool === null ? step.kind : `${step.kind} ${rowText(step.tool)}`
      return [String(step.seq).padStart(3), paint.muted(what), rowText(step.line, width - 36)]
    })
    const title = rowText(steps[0]?.description ?? "")
    return `${paint.bold(title)}  ${paint.muted(id)}\n${indentedTable(["Step", "Kind", "Text"], rows, screen)}`
  })
  const first = found[0]?.branchId ?? ""
  const next = `Show a trail with \`qm fold show ${first}\`, print it for a model with \`qm fold restore ${first}\`.`
  return [...blocks, paint.muted(next)].join("\n\n")
}

/** Only the text, for a pipe. */
function renderFoldRestore({ text }: FoldRestore): string {
  return text.replace(/\n$/, "")
}

function shareUsed({ budgetUsed, budgetTotal }: Branch): number {
  return Math.min(1, budgetUsed / budgetTotal)
}

function budgetText(branch: Branch): string {
  return `${usedText(branch)} of ${formatExact(branch.budgetTotal)} tokens`
}

function usedText({ budgetUsed, isLowerBound }: Branch): string {
  return `${formatExact(budgetUsed)}${isLowerBound ? "+" : ""}`
}

function branchTimeText({ createdAt, completedAt, deadlineAt }: Branch): string {
  if (completedAt !== null) return formatDuration(Math.max(0, completedAt - createdAt))
  return `until ${timeText(deadlineAt).slice(-5)} UTC`
}

function keptOutText({ tokensKeptOut, completedAt }: Branch): string {
  return completedAt === null ? "" : `${formatExact(tokensKeptOut)} saved`
}

function describeStatus({ status, endReason, isPartial, isExhausted }: Branch): string {
  const whyEnded = endReason === null ? "" : WHY_ENDED[endReason]
  const why = isExhausted ? WHY_ENDED.budget : whyEnded
  return [status, ...(why === "" ? [] : [why]), ...(isPartial ? ["partial"] : [])].join(", ")
}

const WHY_ENDED = {
  returned: "",
  budget: "budget used up",
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

/** A long branch has hundreds of steps. */
const MOST_STEPS = 40
const MOST_PATHS = 20

function renderFoldShow({ branch, trail }: FoldShow, screen: Screen): string {
  const { paint, width } = screen
  const steps = trail.map((it) => [
    String(it.seq).padStart(3),
    paint.muted(`at ${formatDuration(Math.max(0, it.at - branch.createdAt))}`),
    it.tool === null ? it.kind : `${it.kind} ${rowText(it.tool)}`,
    it.tokens === 0 ? "" : formatCount(it.tokens),
    firstRowText(it.text, width - 44),
    ...(it.handle === null ? [] : [paint.muted(it.handle)]),
  ])
  const hasHandles = trail.some((it) => it.handle !== null)
  const headings = ["Step", "Time", "Kind", "Tokens", "Text", ...(hasHandles ? ["Handle"] : [])]
  return [
    paint.bold(rowText(branch.description, width)),
    `${shareBar(shareUsed(branch))}  ${budgetText(branch)}, ${branchTimeText(branch)}, ${toned(branch, describeStatus(branch), paint)}`,
    "",
    table(factsOf(branch, width), screen),
    ...answerOf(branch, screen),
    ...section("Trail", steps, { screen, most: MOST_STEPS, headings }),
    ...(branch.isLowerBound ? ["", paint.muted(LOWER_BOUND)] : []),
    "",
    paint.muted(`Print the trail for a model with \`qm fold restore ${branch.id}\`.`),
  ].join("\n")
}

function factsOf(branch: Branch, width: number): readonly (readonly string[])[] {
  const { parentId, children, client, scope, injectedMemoryIds, redactions, progress } = branch
  const room = width - 12
  const place = [
    parentId === null ? "no parent" : `child of ${parentId}`,
    `depth ${branch.depth}`,
    ...(children === 0 ? [] : [plural(children, "child", "children")]),
  ]
  return [
    ["Branch", `${branch.id}, ${place.join(", ")}`],
    ["Session", rowText([branch.sessionId, ...(client === null ? [] : [client])].join(", "), room)],
    [
      "Opened",
      `${timeText(branch.createdAt)} UTC, timeout ${formatDuration(branch.timeoutSeconds * 1_000)}`,
    ],
    ["Folded by", MODES[branch.mode]],
    ...(branch.charges.length === 0 ? [] : [["Counted", rowText(chargesText(branch), room)]]),
    ["In window", `${formatExact(branch.tokensInWindow)} tokens`],
    ["Saved", `${formatExact(branch.tokensKeptOut)} tokens`],
    ...(scope.length === 0 ? [] : [["Scope", rowText(scope.join(", "), room)]]),
    ...(progress === null ? [] : [["Progress", rowText(progress, room)]]),
    ...(injectedMemoryIds.length === 0 ? [] : [["Memories", injectedMemoryIds.join(", ")]]),
    ...(redactions === 0 ? [] : [["Secrets", `${redactions} redacted`]]),
    ...(branch.isArchived ? [["Archived", "yes"]] : []),
  ]
}

/** The parts of the used tokens, by who counted them. */
function chargesText({ charges }: Branch): string {
  return charges.map((it) => `${formatExact(it.tokens)} ${SOURCES[it.source]}`).join(", ")
}

const SOURCES = {
  tool: "by qm tools",
  hook: "by hooks of the host",
  usage: "by the provider's count",
  wire: "when folded",
} as const satisfies Record<Branch["charges"][number]["source"], string>

const MODES = {
  wire: "the gateway",
  "sub-agent": "a sub-agent of the host",
  handle: "handles for large results",
  none: "nothing; its work stays in the window",
} as const satisfies Record<Branch["mode"], string>

function answerOf(branch: Branch, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const lines = (texts: readonly string[]) => texts.map((it) => [rowText(it, width - 4)])
  const list = (title: string, texts: readonly string[]) =>
    section(title, lines(texts), { screen, most: MOST_PATHS, headings: [] })
  const title = branch.isPartial ? "Partial result" : "Result"
  const size = paint.muted(`${formatCount(branch.resultTokens)} tokens`)
  return [
    ...(branch.error === null ? [] : ["", paint.warn(rowText(branch.error, width))]),
    ...(branch.result === null ? [] : ["", `${paint.bold(title)} ${size}`, quoted(branch.result)]),
    ...list("Evidence", branch.evidence),
    ...list("Open questions", branch.openQuestions),
    ...list("Files in the result", branch.files),
    ...list("Files read or written", branch.touchedPaths),
    ...list(paint.warn("Outside its scope"), branch.outOfScope),
  ]
}

export const foldRenderers: Renderers<typeof foldOperations> = {
  list: renderFoldList,
  restore: { text: renderFoldRestore, isVerbatim: () => true },
  search: renderFoldSearch,
  show: renderFoldShow,
  tree: renderFoldTree,
}
