import { formatBytes, formatUsd, plural } from "#ground/base"
import type {
  mediaOperations,
  PullRequest,
  ReviewComments,
  ReviewStatus,
  reviewOperations,
  ScaffoldTests,
  SyncCheck,
  SyncPreflight,
  SyncPrepr,
  scaffoldOperations,
  syncOperations,
} from "#ground/contract"
import { tableRows } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { indentedTable, listing, quoted, rowText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_ITEMS = 8

function renderSync(report: SyncPreflight | SyncPrepr, screen: Screen): string {
  const { paint } = screen
  const marks = {
    passed: paint.ok("passed"),
    warning: paint.warn("warning"),
    failed: paint.bad("failed"),
    skipped: paint.muted("skipped"),
  }
  const rows = report.checks.map((it) => [marks[it.state], it.name, rowText(it.detail)])
  const drawn = tableRows(rows, screen)
  const lines = report.checks.flatMap((it, at) => [...(drawn[at] ?? []), ...itemLines(it, screen)])
  const unknown = report.skipped === 0 ? "" : ` ${plural(report.skipped, "check")} could not run.`
  const verdict = report.isReady ? "No check failed." : paint.bad("Not ready: a check failed.")
  const title = `${paint.bold(rowText(report.branch ?? "detached HEAD"))} ${paint.muted(`→ ${rowText(report.base ?? "unknown base")}`)}`
  return [title, "", ...lines, "", `${verdict}${paint.warn(unknown)}`].join("\n")
}

function itemLines({ items }: SyncCheck, screen: Screen): readonly string[] {
  if (items.length === 0) return []
  const shown = items.slice(0, MOST_ITEMS).map((it) => [rowText(it)])
  const left = items.length - shown.length
  const more = left > 0 ? [screen.paint.muted(`  and ${left} more; --json lists all`)] : []
  return [indentedTable([], shown, screen), ...more]
}

function pullRow({ number, title, ci, review, branch, isDraft }: PullRequest): readonly string[] {
  const name = `#${number}${isDraft ? " (draft)" : ""}`
  return [name, rowText(title), ci, review, rowText(branch)]
}

function renderStatus({ pull, branch, repository }: ReviewStatus, screen: Screen): string {
  if (pull === null)
    return screen.paint.muted(
      `No pull request is open for ${branch === null ? "a detached HEAD" : `the branch ${rowText(branch)}`} in ${rowText(repository)}.`,
    )
  const headings = ["Number", "Title", "CI", "Review", "Branch"]
  return [listing(headings, [pullRow(pull)], screen), rowText(pull.url)].join("\n")
}

function renderComments({ comments, number }: ReviewComments, { paint }: Screen): string {
  if (comments.length === 0) return paint.muted(`No unresolved comments on #${number}.`)
  return comments
    .map((it) => {
      const line = it.line === null ? "" : `:${it.line}`
      const place = it.path === null ? "" : ` on ${rowText(it.path)}${line}`
      const replies = it.replies === 0 ? "" : `, ${plural(it.replies, "answer")}`
      return `${paint.bold(rowText(it.author))}${paint.muted(place + replies)}\n${quoted(it.text)}`
    })
    .join("\n\n")
}

function renderScaffold(plan: ScaffoldTests, screen: Screen): string {
  const { paint } = screen
  if (plan.projects.length === 0)
    return "This repository has no Node, Python, Go, Rust or PHP project."
  const projects = plan.projects.map((it) => [
    it.folder === "" ? "." : rowText(it.folder),
    it.stack,
    it.runner,
    rowText(it.why),
    rowText(it.command),
  ])
  const files = plan.files.flatMap((it) => [
    "",
    `${paint.bold(rowText(it.source))} ${paint.muted(`${it.state}: ${rowText(it.test)}`)}`,
    indentedTable(
      ["Symbol", "Case", "Test"],
      it.symbols.flatMap(({ name, happy, edge, failure }) => [
        [rowText(name), "happy", rowText(happy)],
        ["", "edge", rowText(edge)],
        ["", "failure", rowText(failure)],
      ]),
      screen,
    ),
  ])
  const missing = plan.files.filter((it) => it.state === "missing").length
  const last =
    plan.written.length > 0
      ? `Wrote ${plural(plan.written.length, "starter test")}. They fail until you fill them in.`
      : `${plural(missing, "starter test")} missing; --write creates ${missing === 1 ? "it" : "them"}.`
  const left =
    plan.left === 0 ? "" : ` ${plural(plan.left, "source file")} not listed; raise --limit.`
  const headings = ["Folder", "Stack", "Runner", "Chosen because", "Command"]
  return [listing(headings, projects, screen), ...files, "", `${last}${left}`].join("\n")
}

const isReady = ({ isReady: it }: { readonly isReady: boolean }) => it

export const syncRenderers: Renderers<typeof syncOperations> = {
  preflight: { text: renderSync, isGood: isReady },
  prepr: { text: renderSync, isGood: isReady },
}

export const reviewRenderers: Renderers<typeof reviewOperations> = {
  create: ({ number, url, branch, base }) =>
    `Opened #${number}: ${rowText(branch)} into ${rowText(base)}\n${rowText(url)}`,
  comments: renderComments,
  post: ({ number, url }) => `Posted on #${number}.${url === null ? "" : `\n${rowText(url)}`}`,
  status: renderStatus,
}

export const scaffoldRenderers: Renderers<typeof scaffoldOperations> = { tests: renderScaffold }

const renderMedia = (it: {
  readonly file: string
  readonly bytes: number
  readonly usd: number
  readonly model: string
}) => `Wrote ${it.file} (${formatBytes(it.bytes)}) with ${it.model}, about ${formatUsd(it.usd)}.`

export const mediaRenderers: Renderers<typeof mediaOperations> = {
  image: renderMedia,
  video: renderMedia,
}
