import { oneLine, sliceFrontMatter } from "#ground/base"
import type { CallContext, ChangeDraft, ParsedInput } from "#ground/contract"
import { openBelow } from "#know/ledger"
import type { Commit, Git } from "#see/repo"
import { lastVersion, type ReportDeps, requireCommit, requireGit } from "../deps.ts"

const MOST_COMMITS = 5_000
const MOST_CHANGE_FILES = 500
const LONGEST_SUBJECT_UNITS = 200
const LONGEST_ENTRY_UNITS = 2_000

/** Folders in which projects collect entries for the next release. */
const CHANGE_FOLDERS = ["changes", ".changeset", "changelog.d"]

const LARGEST_ENTRY_BYTES = 64 * 1024

type Item = ChangeDraft["sections"][number]["items"][number]

type ParsedCommit = {
  readonly type: string | null
  readonly scope: string | null
  readonly subject: string
  readonly isBreaking: boolean
}

/** A section of the changelog, or notes for users; what follows no convention is listed apart. */
export async function draftChanges(
  { from, form }: ParsedInput<"report.changes">,
  { signal }: CallContext,
  deps: ReportDeps,
): Promise<ChangeDraft> {
  const git = await requireGit(deps, signal)
  const to = await requireCommit(git, "HEAD")
  const start = await rangeStart(git, { name: from, to })
  const query = { from: to, limit: MOST_COMMITS }
  const commits = await git.history(start === undefined ? query : { ...query, since: start.commit })
  const redact = await deps.redact()
  const cleaned = commits.map((it) => ({ ...it, message: redact(it.message).text }))
  const draft = sortCommits(cleaned)
  const entries = writtenEntries(deps.repository.root, (text) => redact(text).text)
  const sections =
    entries.length === 0
      ? draft.sections
      : withEntries(
          draft.sections,
          entries.map((it) => it.text),
        )
  const bump = bumpOf(sections, commits.length)
  const head = { since: start?.name ?? null, bump, form }
  return {
    from: start?.commit ?? commits.at(-1)?.id ?? to,
    to,
    since: head.since,
    sections,
    unsorted: draft.unsorted,
    bump,
    commits: commits.length,
    text: renderDraft(sections, draft.unsorted, head),
  }
}

async function rangeStart(
  git: Git,
  { name, to }: { readonly name: string | undefined; readonly to: string },
): Promise<{ readonly name: string; readonly commit: string } | undefined> {
  if (name !== undefined) return { name, commit: await requireCommit(git, name) }
  const version = await lastVersion(git, to)
  return version === undefined ? undefined : { name: version.tag, commit: version.commit }
}

export function parseSubject(message: string): ParsedCommit {
  const [first = ""] = message.split("\n", 1)
  const line = oneLine(first, LONGEST_SUBJECT_UNITS)
  const [, type, scope, mark, subject] =
    /^([a-z]{2,20})(?:\(([^()\n]{1,60})\))?(!?): (.+)$/.exec(line) ?? []
  const isBreaking = mark === "!" || /^BREAKING[ -]CHANGE: /m.test(message)
  return { type: type ?? null, scope: scope ?? null, subject: subject ?? line, isBreaking }
}

const SECTION_OF: Readonly<Record<string, string>> = {
  feat: "Added",
  fix: "Fixed",
  perf: "Changed",
  change: "Changed",
  revert: "Removed",
  remove: "Removed",
  deprecate: "Deprecated",
  security: "Security",
}

const ORDER = ["Breaking", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]

/** Types without a section (docs, test, chore …) are not visible to users. */
export function sortCommits(commits: readonly Pick<Commit, "id" | "message">[]) {
  const items = new Map<string, Item[]>()
  const unsorted: string[] = []
  for (const { id, message } of commits) {
    const { type, scope, subject, isBreaking } = parseSubject(message)
    const section = isBreaking ? "Breaking" : SECTION_OF[type ?? ""]
    if (type === null && !isBreaking) unsorted.push(subject)
    if (section === undefined) continue
    const item = { text: subject, scope, commit: id, isBreaking }
    items.set(section, [...(items.get(section) ?? []), item])
  }
  const sections = ORDER.flatMap((title) => {
    const own = items.get(title)
    return own === undefined ? [] : [{ title, items: own }]
  })
  return { sections, unsorted }
}

/** Entries that people wrote for users come first; commits below are to check that none is missing. */
function withEntries(
  sections: ChangeDraft["sections"],
  entries: readonly string[],
): ChangeDraft["sections"] {
  const items = entries.map((text) => ({
    text,
    scope: null,
    commit: null,
    isBreaking: /\bbreaking\b/i.test(text),
  }))
  return [{ title: "Written entries", items }, ...sections]
}

/** The entries below the folders of the next release, by name; frontmatter is left out. */
export function writtenEntries(
  root: string,
  redact: (text: string) => string,
): readonly { readonly file: string; readonly text: string }[] {
  return CHANGE_FOLDERS.flatMap((folder) => {
    using held = openBelow(root, folder)
    const listing = held?.list({ maxEntries: MOST_CHANGE_FILES })
    const names = listing?.kind === "listed" ? listing.entries : []
    return names.flatMap(({ name }) => {
      if (!name.endsWith(".md") || /^readme\.md$/i.test(name)) return []
      const read = held?.read(name, { maxBytes: LARGEST_ENTRY_BYTES })
      const text = read?.kind === "read" ? read.bytes.toString("utf8") : ""
      const body = (sliceFrontMatter(text, LARGEST_ENTRY_BYTES)?.body ?? text).trim()
      const line = oneLine(redact(body), LONGEST_ENTRY_UNITS)
      return line === "" ? [] : [{ file: `${folder}/${name}`, text: line }]
    })
  })
}

function bumpOf(sections: ChangeDraft["sections"], commits: number): ChangeDraft["bump"] {
  const items = sections.flatMap((it) => it.items)
  if (items.some((it) => it.isBreaking)) return "major"
  if (sections.some((it) => it.title === "Added")) return "minor"
  return commits > 0 ? "patch" : "none"
}

type DraftHead = Pick<ChangeDraft, "since" | "bump"> & { readonly form: "changelog" | "notes" }

function renderDraft(
  sections: ChangeDraft["sections"],
  unsorted: readonly string[],
  { since, bump, form }: DraftHead,
): string {
  const title = form === "notes" ? "# What is new" : "## [Unreleased]"
  const about = since === null ? "All commits" : `Since ${since}`
  const intro = form === "notes" ? [`${about}. Suggested version step: ${bump}.`, ""] : []
  const body = sections.flatMap(({ title: name, items }) => [
    form === "notes" ? `## ${name}` : `### ${name}`,
    "",
    ...items.map((it) => lineOf(it, form)),
    "",
  ])
  const rest =
    unsorted.length === 0
      ? []
      : [
          "<!-- Commits without a type such as feat or fix. Sort them by hand:",
          ...unsorted.map((it) => `- ${it.replaceAll("--", "—")}`),
          "-->",
        ]
  return [title, "", ...intro, ...body, ...rest].join("\n").trimEnd()
}

function lineOf({ text, scope, commit }: Item, form: "changelog" | "notes"): string {
  const prefix = scope === null ? "" : `**${scope}**: `
  const suffix = commit === null || form === "notes" ? "" : ` (${commit.slice(0, 9)})`
  return `- ${prefix}${text}${suffix}`
}
