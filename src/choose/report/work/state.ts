import { oneLine, openFolder } from "#ground/base"
import type { CallContext, ParsedInput, SignOff, WorkState } from "#ground/contract"
import { readLatest } from "#know/ledger"
import { currentBranch, headCommit, readStatus } from "#see/repo"
import { lastVersion, type ReportDeps } from "../deps.ts"
import { writtenEntries } from "./changes.ts"
import { reported, urgencyReason } from "./plan.ts"

const MOST_LISTED = 30
const MOST_UNRELEASED = 10
const MOST_TICKETS = 2_000
const NEXT_TICKETS = 5
const LARGEST_CHANGELOG_BYTES = 1024 ** 2
const LONGEST_LINE_UNITS = 160

/** The state at the start of a session, from files and records. */
export async function showState({ signal }: CallContext, deps: ReportDeps): Promise<WorkState> {
  const { repository } = deps
  const { root } = repository
  const { branch, problem, ...history } = await readHistory(deps, signal)
  const board = await (await deps.board()).show({ lane: undefined, limit: MOST_TICKETS })
  const secrets = await deps.redact()
  const redact = (text: string) => oneLine(secrets(text).text, LONGEST_LINE_UNITS)
  const [last] = readLatest(root, 1)
  const written = writtenEntries(root, redact).map((it) => `${it.file}: ${it.text}`)
  return {
    branch,
    ...history,
    claims: deps
      .claims()
      .list()
      .slice(0, MOST_LISTED)
      .map(({ path, session, expiresAt }) => ({ path, session, expiresAt })),
    lanes: board.lanes.map(({ lane, tickets }) => ({ lane, tickets })),
    next: board.tickets
      .filter((it) => it.isReady)
      .slice(0, NEXT_TICKETS)
      .map((it) => reported(it, urgencyReason(it))),
    lastSession:
      last === undefined
        ? null
        : {
            file: last.file,
            date: last.date,
            title: redact(last.title),
            finalState: redact(last.finalState),
          },
    unreleased: [...written, ...changelogLines(root).map(redact)].slice(0, MOST_UNRELEASED),
    notes: [...(problem === undefined ? [] : [problem]), ...board.problems.map(boardNote)],
  }
}

function boardNote({ file, problem }: { readonly file: string; readonly problem: string }): string {
  return `${file}: ${problem}`
}

async function readHistory(deps: ReportDeps, signal: AbortSignal) {
  const { repository } = deps
  const git = await deps.git(signal)
  const none = { lastTag: null, commitsSinceTag: null, changed: [], changedCount: 0 }
  const commit = (await headCommit(repository)) ?? null
  const branch = (await currentBranch(repository)) ?? null
  if ("problem" in git || commit === null) {
    const reason = "problem" in git ? git.problem : "there is no commit"
    return { branch, commit, ...none, problem: `history and changes are unknown: ${reason}` }
  }
  const version = await lastVersion(git, commit)
  const since = version && (await git.countApart(commit, version.commit))
  const { changes } = await readStatus({ repository, git, signal })
  return {
    branch,
    commit,
    lastTag: version?.tag ?? null,
    commitsSinceTag: since?.ahead ?? null,
    changed: (changes ?? []).slice(0, MOST_LISTED).map(({ path, kind }) => ({ path, state: kind })),
    changedCount: changes?.length ?? 0,
    problem: changes === undefined ? "changes are unknown: the index cannot be read" : undefined,
  }
}

/** Below `## [Unreleased]`, without headings. */
function changelogLines(root: string): readonly string[] {
  const opened = openFolder(root)
  if (opened.kind !== "open") return []
  using folder = opened.folder
  const read = folder.read("CHANGELOG.md", { maxBytes: LARGEST_CHANGELOG_BYTES })
  const lines = read.kind === "read" ? read.bytes.toString("utf8").split(/\r?\n/) : []
  const start = lines.findIndex((it) => /^## +\[?unreleased\b/i.test(it))
  if (start === -1) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((it) => /^#{1,2} /.test(it))
  const own = end === -1 ? rest : rest.slice(0, end)
  return own.filter((it) => /^\s*[-*] /.test(it))
}

/** Whether a person could approve: criteria, and evidence of the current tree. */
export async function checkSignOff(
  { tickets: names }: ParsedInput<"report.signoff">,
  { signal }: CallContext,
  deps: ReportDeps,
): Promise<SignOff> {
  const board = await deps.board()
  const listed =
    names.length === 0
      ? (await board.show({ lane: "testing", limit: MOST_TICKETS })).tickets.map((it) => it.id)
      : names
  const tree = await board.treeId(signal)
  const tickets: SignOff["tickets"] = []
  for (const id of listed) {
    const { ticket, evidence } = await board.detail({ id })
    const reason = await board.missingFor({ id: ticket.id }, signal)
    tickets.push({
      id: ticket.id,
      number: ticket.number,
      title: ticket.title,
      isReady: reason === undefined,
      reason: reason ?? null,
      criteriaDone: ticket.acceptance.filter((it) => it.isDone).length,
      criteria: ticket.acceptance.length,
      evidence: evidence.slice(0, MOST_LISTED).map(({ command, exitCode, tree: at }) => {
        return { command, exitCode, isCurrent: at === tree }
      }),
    })
  }
  return { tickets, isReady: tickets.length > 0 && tickets.every((it) => it.isReady) }
}
