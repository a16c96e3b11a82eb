import path from "node:path"
import { isAppError, isInside, statFile } from "#ground/base"
import {
  Board,
  type CallContext,
  ClaimList,
  type FoundRecord,
  KbSearchResult,
  type Memory,
  MemorySearch,
} from "#ground/contract"
import { checkForDocuments, wordShare } from "#know/knowledge"
import { PROJECT_FOLDER } from "#see/repo"
import type { Services } from "../services.ts"

const MOST_OF_A_KIND = 3

/** The longest query that `memory.search` and `kb.search` accept is longer. */
const LONGEST_QUERY_UNITS = 2_000

/** A paragraph with a single word of the task is rarely about it. */
const LEAST_MATCHING_WORDS = 2

/**
 * Of 823 issues of other projects, 90 % had two words in common with a paragraph about a harbour.
 * 4 % have a paragraph with this share of the words of their subject, and 63 % of 30 questions about
 * the harbour do.
 */
const LEAST_SHARE = 0.3

/** The first line of a task says what it is about; a shorter one is an introduction. */
const SHORTEST_SUBJECT_UNITS = 15
const LONGEST_SUBJECT_UNITS = 300

type RecordQuery = { readonly task: string; readonly paths: readonly string[] }

type RecordDeps = Pick<Services, "call" | "log" | "places" | "store">

/** Reads the records about a task. A source that fails is skipped and logged. */
export async function readPackRecords(
  query: RecordQuery,
  deps: RecordDeps,
  context: CallContext,
): Promise<readonly FoundRecord[]> {
  const recordLists = await Promise.all(
    SOURCES.map(async ({ name, read, hasRecords }) => {
      try {
        if (!(await hasRecords(deps))) return []
        return await read(query, (operation, input) => deps.call(operation, input, context))
      } catch (error) {
        if (!isAppError(error)) throw error
        deps.log.warn("records not read", { source: name, code: error.code })
        return []
      }
    }),
  )
  return recordLists.flat()
}

type RecordSource = {
  readonly name: string
  read(query: RecordQuery, call: Call): Promise<readonly FoundRecord[]>
  /** Looks before the rooms load: four of them take as long as the rest of `qm pack`. */
  hasRecords(deps: RecordDeps): Promise<boolean>
}

const SOURCES: readonly RecordSource[] = [
  {
    name: "claims",
    read: claimsOn,
    hasRecords: ({ places }) => isThere(places().repository.stateDirectory, "claims"),
  },
  {
    name: "tickets",
    read: ticketsOn,
    hasRecords: ({ places }) => isThere(places().repository.root, PROJECT_FOLDER, "board/tickets"),
  },
  {
    name: "memories",
    read: memoriesFor,
    // The second file is derived from memories: one that was deleted by hand must leave it.
    hasRecords: async ({ places }) =>
      (await isThere(places().repository.root, PROJECT_FOLDER, "memory")) ||
      (await isThere(places().repository.stateDirectory, "pitfalls.json")),
  },
  {
    name: "paragraphs",
    read: paragraphsFor,
    hasRecords: async ({ store }) => checkForDocuments((await store()).forRoom("knowledge")),
  },
]

async function isThere(...names: readonly string[]): Promise<boolean> {
  return (await statFile(path.join(...names))).kind !== "missing"
}

type Call = (name: string, input: unknown) => Promise<unknown>

async function claimsOn({ paths }: RecordQuery, call: Call): Promise<readonly FoundRecord[]> {
  const { claims } = ClaimList.parse(await call("claim.list", {}))
  return claims.flatMap(({ path, session, isHolderAlive }): readonly FoundRecord[] => {
    const covered = paths.find((it) => covers(path, it))
    if (covered === undefined || isHolderAlive === false) return []
    const text = `session ${session} works on ${path}; coordinate before you change it`
    return [{ kind: "claim", id: path, text, why: `covers ${covered}` }]
  })
}

async function ticketsOn({ paths }: RecordQuery, call: Call): Promise<readonly FoundRecord[]> {
  const { tickets } = Board.parse(await call("board.show", {}))
  const open = tickets.filter((it) => it.lane !== "conclusion" && !it.isDropped)
  const about = open.flatMap(({ number, title, lane, paths: own }): readonly FoundRecord[] => {
    const covered = paths.find((path) => own.some((it) => covers(it, path)))
    if (covered === undefined) return []
    return [
      { kind: "ticket", id: `#${number}`, text: `${title} (${lane})`, why: `about ${covered}` },
    ]
  })
  return about.slice(0, MOST_OF_A_KIND)
}

function covers(owner: string, path: string): boolean {
  return isInside(`/${owner}`, `/${path}`)
}

async function memoriesFor(
  { task, paths }: RecordQuery,
  call: Call,
): Promise<readonly FoundRecord[]> {
  const words = task.slice(0, LONGEST_QUERY_UNITS)
  if (words === "") return []
  const { found } = MemorySearch.parse(await call("memory.search", { words }))
  const subject = subjectOf(task)
  const records = found.flatMap(({ memory, why }): readonly FoundRecord[] => {
    if (OUTDATED.has(memory.state)) return []
    const { kind, id, title, body } = memory
    const cited = memory.cites.find((it) => paths.includes(it.path))
    const summary = summaryOf(memory)
    const isAbout = wordShare(subject, `${title}\n${summary}\n${body}`) >= LEAST_SHARE
    if (cited === undefined && !isAbout) return []
    return [
      {
        kind: kind === "decision" ? "decision" : "memory",
        id,
        text: `${title}: ${summary}`,
        why: cited === undefined ? (why[0] ?? "matches the task") : `about ${cited.path}`,
      },
    ]
  })
  return records.slice(0, MOST_OF_A_KIND)
}

/** Without a description of its own, the title is stored as one. */
function summaryOf({ title, description, body }: Memory): string {
  const summary = description === "" || description === title ? body : description
  return summary.replaceAll(HEADINGS, "$1: ")
}

/** A record is one line, in which a heading becomes an introduction. */
const HEADINGS = /^#{1,6} (\S.{0,200})\n{1,2}/gm

/** A stale memory cites code that has changed, a superseded one has a successor. */
const OUTDATED: ReadonlySet<string> = new Set(["stale", "superseded"])

async function paragraphsFor({ task }: RecordQuery, call: Call): Promise<readonly FoundRecord[]> {
  const query = subjectOf(task)
  if (query === "") return []
  const { hits } = KbSearchResult.parse(await call("kb.search", { query, limit: MOST_OF_A_KIND }))
  return hits
    .filter(({ matched }) => matched.length >= LEAST_MATCHING_WORDS)
    .filter(({ paragraph }) => wordShare(query, paragraph.text) >= LEAST_SHARE)
    .map(({ paragraph, matched }) => ({
      kind: "paragraph",
      id: paragraph.citation,
      text: paragraph.text,
      why: `has ${matched.slice(0, 3).join(", ")}`,
    }))
}

function subjectOf(task: string): string {
  const text = task.trim()
  const line = text.split("\n", 1)[0] ?? ""
  return (line.length < SHORTEST_SUBJECT_UNITS ? text : line).slice(0, LONGEST_SUBJECT_UNITS)
}
