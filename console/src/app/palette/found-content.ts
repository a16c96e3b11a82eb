import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { formatAge, shortSession, visibleLine } from "../../base/format.ts"
import { formatCount, plural } from "../../contract.ts"
import type { AnyOperation, Input, OperationEntry, Output } from "../../data/client.ts"
import { browserClock, useSettled } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import { paths } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import type { Entry, EntryGroup } from "./entries.ts"
import { score } from "./match.ts"

/** Short enough that results come within 100 ms of the last letter. */
const SETTLE_MS = 15
const MOST_PER_GROUP = 5
const MOST_SESSIONS = 200
const SESSION_HOURS = 24 * 30
const MOST_TICKETS = 2_000

type ContentSearch = {
  readonly groups: readonly EntryGroup[]
  readonly isSearching: boolean
  /** Names of groups whose search failed. */
  readonly failed: readonly string[]
}

type ContentOptions = {
  readonly operations: readonly OperationEntry[]
  readonly isReadOnly: boolean
}

/**
 * Finds runs, files, symbols and memories by these words. Each group has its own request, so a
 * slow one delays no other; the next letter cancels requests that are under way.
 */
export function useFoundContent(query: string, options: ContentOptions): ContentSearch {
  const typed = query.trim()
  const words = useSettled(typed, SETTLE_MS)
  const hasQuery = typed !== "" && words !== ""
  const runs = useAnswer("agents.list", { text: words, limit: MOST_PER_GROUP }, hasQuery)
  // An empty text prepares the names while the user types the first letter.
  const names = useAnswer("search.names", { text: words, limit: MOST_PER_GROUP })
  const memories = useAnswer("memory.search", { words, limit: MOST_PER_GROUP }, hasQuery)
  const stored = useAnswer("agents.sessions", { limit: MOST_SESSIONS })
  const live = useAnswer("session.list", { sinceHours: SESSION_HOURS, limit: MOST_SESSIONS })
  const config = useAnswer("config.show", { sources: true })
  const lineWords = wordsForLines(words)
  const indexed = useAnswer(
    "sessions.search",
    { query: lineWords, limit: MOST_PER_GROUP },
    hasQuery && lineWords !== "",
  )
  const board = useAnswer("board.show", { limit: MOST_TICKETS })
  const repositories = useAnswer("fleet.list", {})
  const answers = [
    ["Runs", runs],
    ["Files and symbols", names],
    ["Memories", memories],
    ["Sessions", stored],
    ["Sessions", live],
    ["Sessions", indexed],
    ["Tickets", board],
    ["Repositories", repositories],
    ["Settings", config],
  ] as const
  if (typed === "") return { groups: [], isSearching: false, failed: [] }
  const now = browserClock.now()
  /** Results of an earlier text stay only where they match this one, so Enter never opens another. */
  const current = (
    answer: { readonly isPlaceholderData: boolean },
    entries: readonly Entry[] = [],
  ) => (answer.isPlaceholderData || words !== typed ? matching(entries, typed) : entries)
  const sessions = [
    ...(stored.data?.sessions.flatMap((it) => storedEntry(it, { ...options, now })) ?? []),
    ...(live.data?.live.map((it) => liveEntry(it, now)) ?? []),
  ]
  const hits = indexed.data?.hits.map((it) => lineEntry(it, now)) ?? []
  const lines = lineWords === words ? current(indexed, hits) : matching(hits, typed)
  const groups: readonly EntryGroup[] = [
    {
      group: "Runs",
      entries: current(
        runs,
        runs.data?.runs.map((it) => runEntry(it, typed, now)),
      ),
    },
    { group: "Sessions", entries: bySession([...lines, ...matching(sessions, typed)]) },
    { group: "Files", entries: current(names, names.data?.files.map(fileEntry)) },
    { group: "Symbols", entries: current(names, names.data?.symbols.map(symbolEntry)) },
    { group: "Memories", entries: current(memories, memories.data?.found.map(memoryEntry)) },
    {
      group: "Tickets",
      entries: matching(board.data?.tickets.map(ticketEntry) ?? [], typed),
    },
    {
      group: "Repositories",
      entries: matching(repositories.data?.repositories.flatMap(repositoryEntry) ?? [], typed),
    },
    { group: "Settings", entries: matching(config.data?.settings.map(settingEntry) ?? [], typed) },
  ]
  return {
    groups: groups.filter((it) => it.entries.length > 0),
    isSearching: words !== typed || answers.some(([, it]) => it.isFetching),
    failed: [...new Set(answers.flatMap(([name, it]) => (it.error === null ? [] : [name])))],
  }
}

/**
 * A last word of one character is not searched in the texts of sessions: nearly every line has one
 * that begins with it, and the search costs more than that of a whole word. Empty if none is left.
 */
export function wordsForLines(words: string): string {
  const searched = words.replace(/(?<=^|[^\p{L}\p{N}_])[\p{L}\p{N}_]$/u, "").trim()
  return /[\p{L}\p{N}]/u.test(searched) ? searched : ""
}

function useAnswer<Name extends AnyOperation>(name: Name, input: Input<Name>, isEnabled = true) {
  const client = useClient()
  return useQuery<Output<Name>>({
    queryKey: keys.operation(name, input),
    queryFn: ({ signal }) => client.read(name, input, { signal }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    retry: false,
  })
}

function matching(entries: readonly Entry[], query: string): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, points: score(entry, query) }))
    .filter((it) => it.points > 0)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, MOST_PER_GROUP)
    .map((it) => it.entry)
}

const opens = (href: string) => ({ verb: "Open", action: { kind: "place", href } }) as const

type FoundRun = Output<"agents.list">["runs"][number]

function runEntry(run: FoundRun, query: string, now: number): Entry {
  const label = visibleLine(run.title)
  const where = score({ label }, query) === 0 ? "in its messages, " : ""
  return {
    id: `run of ${run.id}`,
    group: "Runs",
    icon: "play",
    label,
    detail: `${where}${run.type}, ${run.status}, ${formatAge(run.updatedAt, now)}`,
    ...opens(paths.run(run.id)),
  }
}

type StoredSession = Output<"agents.sessions">["sessions"][number]

/** A session that is no run yet is imported first, which a read-only console cannot do. */
function storedEntry(
  session: StoredSession,
  { operations, isReadOnly, now }: ContentOptions & { readonly now: number },
): readonly Entry[] {
  const entry = {
    id: `stored session ${session.sessionId}`,
    group: "Sessions",
    icon: "pulse",
    label: visibleLine(session.title),
    detail: `${session.host}, ${formatAge(session.changedAt, now)}`,
    words: `${session.sessionId} ${session.host}`,
  } as const
  if (session.runId !== null) return [{ ...entry, ...opens(paths.run(session.runId)) }]
  const operation = operations.find((it) => it.name === "agents.read")
  if (operation === undefined || isReadOnly) return []
  const input = { session: session.sessionId }
  return [{ ...entry, verb: "Import", action: { kind: "call", operation, input } }]
}

function liveEntry(session: Output<"session.list">["live"][number], now: number): Entry {
  const { session: id, host, edits, lastAt } = session
  return {
    id: `session ${id}`,
    group: "Sessions",
    icon: "pulse",
    label: `${visibleLine(host ?? "session")} ${shortSession(id)}`,
    detail: `${plural(edits, "edit")}, ${formatAge(lastAt, now)}`,
    words: id,
    ...opens(paths.sessions({ at: id, show: id })),
  }
}

/** Found by its text; the page opens at the line. */
function lineEntry(hit: Output<"sessions.search">["hits"][number], now: number): Entry {
  const { session, title, host, line, excerpt, matches } = hit
  return {
    id: `indexed session ${session}`,
    group: "Sessions",
    icon: "pulse",
    label: visibleLine(title),
    detail: `${plural(matches, "line")}, ${host}, ${formatAge(line.at, now)}`,
    words: visibleLine(excerpt),
    ...opens(paths.session(session, { tab: "transcript", line: line.id })),
  }
}

/** One entry a session, though the index, the host's files and the ledger all may know it. */
function bySession(entries: readonly Entry[]): readonly Entry[] {
  const sessions = new Map<string, Entry>()
  for (const entry of entries) {
    const session = entry.id.slice(entry.id.lastIndexOf(" ") + 1)
    if (!sessions.has(session)) sessions.set(session, entry)
  }
  return [...sessions.values()].slice(0, MOST_PER_GROUP)
}

function ticketEntry({
  id,
  title,
  lane,
  priority,
}: Output<"board.show">["tickets"][number]): Entry {
  return {
    id: `ticket ${id}`,
    group: "Tickets",
    icon: "check",
    label: visibleLine(title),
    detail: `${id}, ${lane}, ${priority}`,
    words: id,
    ...opens(paths.ticket(id)),
  }
}

type FoundRepository = Output<"fleet.list">["repositories"][number]

function repositoryEntry({ id, name, root, isCurrent, isMissing }: FoundRepository) {
  if (isCurrent || isMissing) return []
  return [
    {
      id: `repository ${id}`,
      group: "Repositories",
      icon: "branch",
      label: visibleLine(name),
      detail: visibleLine(root),
      ...opens(paths.repository(id)),
    } as const,
  ]
}

function fileEntry({ path, tokens }: Output<"search.names">["files"][number]): Entry {
  return {
    id: `file ${path}`,
    group: "Files",
    icon: "file",
    label: visibleLine(path),
    isLabelCode: true,
    detail: `${formatCount(tokens)} tokens`,
    ...opens(paths.map({ show: path })),
  }
}

function symbolEntry(symbol: Output<"search.names">["symbols"][number]): Entry {
  const { path, name, kind, parent, fromLine } = symbol
  const full = parent === undefined ? name : `${parent}.${name}`
  return {
    id: `symbol ${path}#${full} ${fromLine}`,
    group: "Symbols",
    icon: "code",
    label: visibleLine(full),
    isLabelCode: true,
    detail: `${kind}, ${visibleLine(path)}:${fromLine}`,
    ...opens(paths.map({ show: `${path}#${full}` })),
  }
}

function memoryEntry({ memory }: Output<"memory.search">["found"][number]): Entry {
  return {
    id: `memory ${memory.id}`,
    group: "Memories",
    icon: "memory",
    label: visibleLine(memory.title),
    detail: `${memory.kind}, ${memory.state}`,
    ...opens(paths.memory({ at: memory.id, show: memory.id })),
  }
}

function settingEntry({
  key,
  description,
  value,
  isSecret,
}: Output<"config.show">["settings"][number]): Entry {
  return {
    id: `setting ${key}`,
    group: "Settings",
    icon: "settings",
    label: key,
    isLabelCode: true,
    detail: isSecret ? "not shown" : String(value),
    words: description,
    ...opens(paths.settings({ at: key })),
  }
}
