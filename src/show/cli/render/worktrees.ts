import { formatDuration, plural } from "#ground/base"
import type {
  Worktree,
  WorktreeCheck,
  WorktreeCreated,
  WorktreeDiff,
  WorktreeList,
  WorktreeOpened,
  WorktreeRemoved,
  worktreeOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { listing, quoted, rowText, section } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_FILES = 20

function renderList({ worktrees, folder }: WorktreeList, screen: Screen): string {
  if (worktrees.length === 0)
    return screen.paint.muted(
      `No worktrees. Create one, such as \`qm worktree new rounding\`; it will be in ${rowText(folder)}.`,
    )
  const rows = worktrees.map((it) => [
    it.name,
    stateText(it, screen),
    rowText(it.branch ?? "detached"),
    changesText(it),
    portsText(it),
    it.sessions.length === 0 ? "none" : screen.paint.ok(String(it.sessions.length)),
    rowText(it.path),
  ])
  return listing(
    ["Name", "State", "Branch", "Changes", "Ports", "Sessions", "Folder"],
    rows,
    screen,
  )
}

function stateText({ state }: Worktree, { paint }: Screen): string {
  if (state === "ready") return state
  return state === "foreign" ? paint.muted(state) : paint.warn(state)
}

function changesText({ uncommitted, ahead, behind, baseRef }: Worktree): string {
  const parts = [
    ...((uncommitted ?? 0) > 0 ? [`${uncommitted} uncommitted`] : []),
    ...((ahead ?? 0) > 0 ? [plural(ahead ?? 0, "commit")] : []),
    ...((behind ?? 0) > 0 ? [`${behind} behind ${baseRef ?? "its base"}`] : []),
  ]
  return uncommitted === null && ahead === null ? "unknown" : parts.join(", ") || "none"
}

function portsText({ firstPort, ports }: Worktree): string {
  return firstPort === null ? "" : `${firstPort}–${firstPort + ports - 1}`
}

function renderCreated(created: WorktreeCreated, screen: Screen): string {
  const { worktree, skipped, claimed, heldByOthers } = created
  const { paint } = screen
  const { setup, copied } = worktree
  const isFailed = worktree.state === "failed"
  return [
    `${paint.bold(worktree.name)}  ${rowText(worktree.branch ?? "")}${isFailed ? paint.bad("  setup failed") : ""}`,
    table(
      [
        ["Folder", rowText(worktree.path)],
        ["Base", `${worktree.baseRef ?? "commit"} at ${(worktree.baseCommit ?? "").slice(0, 9)}`],
        ...(worktree.firstPort === null ? [] : [["Ports", portsText(worktree)]]),
        ...(copied.length === 0 ? [] : [["Copied", rowText(copied.join(", "))]]),
        ...(skipped.length === 0
          ? []
          : [["Not copied", rowText(skipped.map((it) => `${it.path}: ${it.reason}`).join("; "))]]),
        ...(claimed.length === 0 ? [] : [["Claimed", rowText(claimed.join(", "))]]),
        ...heldByOthers.map((it) => [
          paint.warn("Claimed by others"),
          rowText(`${it.path}, session ${it.session}`),
        ]),
        ...(setup === null ? [] : [["Setup", setupText(setup)]]),
      ],
      screen,
    ),
    ...(isFailed && setup !== null && setup.tail.trim() !== "" ? ["", quoted(setup.tail), ""] : []),
    isFailed
      ? paint.warn(`Correct it, then run \`qm worktree new ${worktree.name}\` again.`)
      : paint.muted(`Work there: cd ${rowText(worktree.path)}`),
  ].join("\n")
}

function setupText({ command, exitCode, durationMs }: NonNullable<Worktree["setup"]>): string {
  const result = exitCode === null ? "did not finish" : `exit code ${exitCode}`
  return rowText(`${command}: ${result} in ${formatDuration(durationMs)}`)
}

function renderOpened({ worktree, environment }: WorktreeOpened, screen: Screen): string {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${value}`)
  const changes = screen.paint.muted(`# changes: ${changesText(worktree)}`)
  return [`cd ${rowText(worktree.path)}`, ...variables, changes].join("\n")
}

function renderCheck(check: WorktreeCheck, screen: Screen): string {
  const { paint } = screen
  const row = (it: { with: string; conflicts: readonly string[] }) => [
    rowText(it.with),
    it.conflicts.length === 0
      ? paint.ok("merges")
      : paint.warn(`conflicts in ${rowText(it.conflicts.join(", "))}`),
  ]
  const behind = (check.behind ?? 0) > 0 ? `, ${check.behind} behind its base` : ""
  return [
    `${paint.bold(check.name)}  ${plural(check.changed.length, "changed file")}${paint.muted(behind)}`,
    ...section(
      "Changed",
      check.changed.map((it) => [rowText(it)]),
      { screen, most: MOST_FILES, headings: ["File"] },
    ),
    "",
    listing(
      ["With", "Forecast"],
      [
        ...(check.base === null ? [["base", paint.warn("the base is gone")]] : [row(check.base)]),
        ...check.others.map(row),
      ],
      screen,
    ),
  ].join("\n")
}

function renderRemoved({ name, keptBranch, rescue }: WorktreeRemoved, { paint }: Screen): string {
  return [
    `Removed the worktree ${name}.`,
    ...(keptBranch === null ? [] : [paint.muted(`Its branch ${keptBranch} was kept.`)]),
    ...(rescue === null ? [] : [paint.muted(`Uncommitted files: \`git show --stat ${rescue}\`.`)]),
  ].join("\n")
}

function renderDiff({ name, text, isCut }: WorktreeDiff, { paint }: Screen): string {
  if (text === "") return paint.muted(`No changes in ${name}.`)
  const lines = text.trimEnd().split("\n")
  const painted = lines.map((line) => {
    if (line.startsWith("+") && !line.startsWith("+++")) return paint.ok(line)
    return line.startsWith("-") && !line.startsWith("---") ? paint.bad(line) : line
  })
  return [
    ...painted,
    ...(isCut ? [paint.muted("The diff is longer; the rest is not shown.")] : []),
  ].join("\n")
}

function isMergeable({ base, others }: WorktreeCheck): boolean {
  return base?.conflicts.length === 0 && others.every((it) => it.conflicts.length === 0)
}

export const worktreeRenderers: Renderers<typeof worktreeOperations> = {
  new: { text: renderCreated, isGood: ({ worktree }) => worktree.state !== "failed" },
  list: renderList,
  open: renderOpened,
  check: { text: renderCheck, isGood: isMergeable },
  diff: renderDiff,
  remove: renderRemoved,
}
