import { formatCount, formatDuration, plural } from "#ground/base"
import {
  type Branch,
  type FoldList,
  type FoldRestore,
  type FoldSearch,
  type FoldTree,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine, shareBar } from "./lines.ts"

/** How an agent comes to the tools, for whoever looks before the first one has used them. */
const FIRST_STEP = "`claude mcp add qm -- qm mcp` gives Claude Code the tools branch and return."

export function renderFoldTree({ sessions }: FoldTree, screen: Screen): string {
  const { paint } = screen
  if (sessions.length === 0) {
    return paint.muted(
      `Nothing was folded in the last hour; --all shows what was before.\n${FIRST_STEP}`,
    )
  }
  const blocks = sessions.map((it) => {
    const kept = `${paint.bold(formatCount(it.tokensKeptOut))} tokens kept out`
    const client = it.client === null ? "" : `, ${oneLine(it.client, 40)}`
    const whose = `session ${oneLine(it.sessionId, 60)}${client}, since ${sayTime(it.startedAt)}`
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
  const status = sayStatus(branch)
  const room = width - indent.length - status.length - 4
  const figures = [sayBudget(branch), sayBranchTime(branch), sayKeptOut(branch)].filter(Boolean)
  return [
    `${indent}${toned(branch, status, paint)}  ${oneLine(branch.description, room)}`,
    `${indent}${shareBar(shareUsed(branch))}  ${figures.join(", ")}  ${paint.muted(branch.id)}`,
  ]
}

export function renderFoldList(list: FoldList, { paint, width }: Screen): string {
  const { branches, active, total, tokensKeptOut } = list
  if (branches.length === 0) {
    const earlier = total === 0 ? "No agent has opened a branch here yet." : sayEarlier(total)
    return paint.muted(`${earlier}\n${FIRST_STEP}`)
  }
  const rows = branches.map((it) => [
    it.id,
    toned(it, sayStatus(it), paint),
    `${shareBar(shareUsed(it))} ${formatCount(it.budgetUsed)}${it.isLowerBound ? "+" : ""}`,
    oneLine(it.description, Math.max(24, width - 62)),
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

function sayEarlier(total: number): string {
  return `None is open or ended in the last hour; ${plural(total, "branch is", "branches are")} kept, see --all.`
}

export const LOWER_BOUND = "+ only our own tools were metered, so it may have used more"

export function renderFoldSearch({ found, searched }: FoldSearch, screen: Screen): string {
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
      const what = it.tool === null ? it.kind : `${it.kind} ${oneLine(it.tool, 24)}`
      return ["", String(it.seq).padStart(3), paint.muted(what), oneLine(it.line, width - 36)]
    })
    const title = oneLine(steps[0]?.description ?? "", width - id.length - 2)
    return `${paint.bold(title)}  ${paint.muted(id)}\n${table(rows)}`
  })
  const next =
    "`qm fold show <id>` has the whole trail, `qm fold restore <id>` its text for a model."
  return [...blocks, paint.muted(next)].join("\n\n")
}

/** It goes into a pipe: the text and nothing of ours. */
export function renderFoldRestore({ text }: FoldRestore): string {
  return text.replace(/\n$/, "")
}

export function shareUsed({ budgetUsed, budgetTotal }: Branch): number {
  return budgetUsed / budgetTotal
}

export function sayBudget({ budgetUsed, budgetTotal, isLowerBound }: Branch): string {
  const used = `${formatCount(budgetUsed)}${isLowerBound ? "+" : ""}`
  return `${used} of ${formatCount(budgetTotal)} tokens`
}

/** Without a look at the clock: how long it took, or until when it may take. */
export function sayBranchTime({ createdAt, completedAt, deadlineAt }: Branch): string {
  if (completedAt !== null) return formatDuration(Math.max(0, completedAt - createdAt))
  return `until ${sayTime(deadlineAt).slice(-5)} UTC`
}

function sayKeptOut({ tokensKeptOut, completedAt }: Branch): string {
  return completedAt === null ? "" : `${formatCount(tokensKeptOut)} kept out`
}

/** The state in words; colour only repeats it. */
export function sayStatus({ status, endReason, isPartial }: Branch): string {
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

export function toned({ status }: Branch, text: string, paint: Screen["paint"]): string {
  if (status === "completed") return paint.ok(text)
  if (status === "failed" || status === "timeout") return paint.warn(text)
  return status === "cancelled" ? paint.muted(text) : paint.accent(text)
}
