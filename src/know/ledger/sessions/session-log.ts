import { isUtf8 } from "node:buffer"
import { type OpenFolder, truncate, visibleLine, withoutHiddenCharacters } from "#ground/base"
import type { LoggedSession } from "#ground/contract"
import {
  LARGEST_INDEXED_FILE_BYTES,
  LONGEST_INDEX_LINE_UNITS,
  MOST_INDEXED_FILES,
} from "../limits.ts"
import { openBelow } from "../paths.ts"
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "./indices.ts"
import {
  newestNameFirst,
  parseSession,
  parseSessionName,
  type SessionParts,
} from "./session-file.ts"

type LoggedText = {
  readonly file: string
  readonly text: string
}

export type ReadSession = SessionParts & { readonly file: string; readonly date: string }

/** With the archive, newest first. Reads only as many files as `limit`; skips unreadable ones. */
export function listLogged(
  root: string,
  limit: number,
): { readonly logged: readonly LoggedSession[]; readonly count: number } {
  const names = findSessions(root)
  const read = readSessions(root, names).take(limit)
  const logged = read.map(({ file, date, title, request }) => {
    return { file, date, title: lineOf(title), request: lineOf(request) }
  })
  return { logged: logged.toArray(), count: names.length }
}

export function latestLogged(root: string): ReadSession | undefined {
  return readLatest(root, 1)[0]
}

export function readLatest(root: string, limit: number): readonly ReadSession[] {
  return readSessions(root, findSessions(root)).take(limit).toArray()
}

/**
 * By path or name, also when it moved to the archive. Undefined when it is missing, not a session,
 * too large or not a regular file.
 */
export function readLogged(root: string, file: string): LoggedText | undefined {
  const [, folderPath, name = ""] =
    /^(\.qm\/memory\/sessions\/(?:archive\/)?)?([^/\\]+)$/.exec(file) ?? []
  if (parseSessionName(name) === undefined) return undefined
  const places = [SESSIONS_FOLDER, ARCHIVE_FOLDER]
  const first = folderPath === undefined ? SESSIONS_FOLDER : folderPath.slice(0, -1)
  for (const folder of [first, ...places.filter((it) => it !== first)]) {
    using held = openBelow(root, folder)
    const text = held === undefined ? undefined : textIn(held, name)
    if (text !== undefined) return { file: `${folder}/${name}`, text }
  }
  return undefined
}

type SessionName = { readonly folder: string; readonly name: string }

function findSessions(root: string): readonly SessionName[] {
  const names = [SESSIONS_FOLDER, ARCHIVE_FOLDER].flatMap((folder) => {
    using held = openBelow(root, folder)
    const listed = held?.list({ maxEntries: MOST_INDEXED_FILES })
    const entries = listed?.kind === "listed" ? listed.entries : []
    return entries.flatMap(({ name, what }) =>
      what === "regular file" && parseSessionName(name) !== undefined ? [{ folder, name }] : [],
    )
  })
  return names.toSorted((a, b) => newestNameFirst(a.name, b.name))
}

function* readSessions(root: string, names: readonly SessionName[]): Generator<ReadSession> {
  for (const { folder, name } of names) {
    using held = openBelow(root, folder)
    const text = held === undefined ? undefined : textIn(held, name)
    const date = parseSessionName(name)?.day
    if (text === undefined || date === undefined) continue
    yield { ...parseSession(name, text), file: `${folder}/${name}`, date }
  }
}

function textIn(held: OpenFolder, name: string): string | undefined {
  const read = held.read(name, { maxBytes: LARGEST_INDEXED_FILE_BYTES })
  if (read.kind !== "read" || !isUtf8(read.bytes)) return undefined
  const text = withoutHiddenCharacters(read.bytes.toString().replaceAll("\r\n", "\n"))
  // An empty file reserves a name before its text is written.
  return text.trim() === "" ? undefined : text
}

function lineOf(text: string): string {
  const [first = ""] = text.split("\n")
  return truncate(visibleLine(first.trim()), LONGEST_INDEX_LINE_UNITS)
}
