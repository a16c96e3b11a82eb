import { isAppError, isRecord, oneLine } from "#ground/base"
import { createApp } from "#show/app"
import type { Terminal } from "../cli.ts"
import type { Candidate, ListRequest } from "./completion.ts"

/** The shell waits for the candidates. */
const LONGEST_WAIT_MS = 5_000

/** More would not fit on a screen. */
const MOST_IDS = 200

/** The ids of a list that start with the typed text; none if the list cannot be read. */
export async function listIds(
  list: ListRequest,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  try {
    return candidatesOf(await readList(list, terminal), list)
  } catch (error) {
    // Completion runs while the user types: an unreadable store is reported by the command itself.
    if (isAppError(error)) return []
    throw error
  }
}

async function readList(list: ListRequest, terminal: Terminal): Promise<unknown> {
  await using app = await createApp({
    directory: list.directory ?? terminal.directory,
    environment: terminal.environment,
    settings: list.settings,
    writeLog: () => {},
    mayCreateStore: false,
  })
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(LONGEST_WAIT_MS)])
  return await app.call(list.operation, list.rows.given ?? {}, { signal })
}

function candidatesOf(output: unknown, { rows, typed, before }: ListRequest): Candidate[] {
  const field = isRecord(output) ? output[rows.field] : undefined
  const records = (Array.isArray(field) ? field : []).filter(isRecord)
  const ids = records.map((row) => ({
    text: textOf(row[rows.id]),
    about: titleOf(row, rows.title),
  }))
  const [newest] = ids
  const named = newest === undefined || rows.newest === undefined ? [] : [rows.newest]
  return [...named.map((text) => ({ text, about: newest?.about ?? "" })), ...ids]
    .filter((it) => it.text !== "" && it.text.startsWith(typed))
    .slice(0, MOST_IDS)
    .map((it) => ({ ...it, text: before + it.text }))
}

function titleOf(row: Readonly<Record<string, unknown>>, fields: readonly string[]): string {
  const texts = fields.map((it) => textOf(row[it])).filter((it) => it !== "")
  return oneLine(texts.join(" "))
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}
