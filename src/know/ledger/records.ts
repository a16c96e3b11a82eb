import { isUtf8 } from "node:buffer"
import { basename, dirname } from "node:path"
import { isRecord, type JsonlRecord, openFolder, parseJson, readJsonl } from "#ground/base"
import { LedgerUnreadable } from "./errors.ts"

/** About 600,000 edits; a hook reads it whole. */
const LARGEST_LEDGER_BYTES = 64 * 1024 ** 2

export type SimulatedFile = { readonly path: string; readonly sha: string | undefined }

export type LedgerRecord =
  | {
      readonly kind: "opened"
      readonly sessionId: string
      readonly host: string | undefined
      readonly at: number
      /** The worktree it was opened in; earlier lines have none. */
      readonly tree?: string | undefined
    }
  | {
      readonly kind: "modified"
      readonly path: string
      readonly tool: string
      readonly at: number
      readonly sha: string | undefined
      /** The worktree; the same path is another file in each. */
      readonly tree: string | undefined
    }
  /** A change by no known session to a file that this session had touched. */
  | { readonly kind: "outside"; readonly path: string; readonly at: number }
  | {
      readonly kind: "simulated"
      readonly id: string
      readonly files: readonly SimulatedFile[]
      readonly risk: number
      readonly at: number
    }
  | { readonly kind: "registered"; readonly file: string; readonly at: number }
  | {
      readonly kind: "nudged"
      readonly fingerprint: string
      readonly nonce: string
      readonly at: number
    }

export async function readLedger(file: string): Promise<readonly LedgerRecord[]> {
  const bytes = await readBytes(file)
  if (bytes === undefined) return []
  return quickly(bytes) ?? (await readJsonl(file)).records.flatMap((it) => recordOf(it) ?? [])
}

export async function readLines(file: string, text: string): Promise<readonly LedgerRecord[]> {
  const bytes = await readBytes(file)
  return bytes === undefined ? [] : linesWith(bytes, text)
}

/**
 * Undefined when the file is missing. Synchronous: a hook has nothing else to do, and 1 MB takes
 * 0.7 ms instead of 4 ms.
 */
export async function readBytes(file: string): Promise<Buffer | undefined> {
  const opened = openFolder(dirname(file))
  if (opened.kind === "missing") return undefined
  if (opened.kind !== "open")
    throw LedgerUnreadable({ file, problem: "its parent is not a folder" })
  using folder = opened.folder
  const outcome = folder.read(basename(file), { maxBytes: LARGEST_LEDGER_BYTES })
  switch (outcome.kind) {
    case "read":
      return outcome.bytes
    case "missing":
      return undefined
    case "too-large":
      throw LedgerUnreadable({ file, problem: `it has ${outcome.sizeBytes} bytes` })
    case "not-regular":
      throw LedgerUnreadable({ file, problem: `it is a ${outcome.what}` })
    case "unreadable":
      throw LedgerUnreadable({ file, problem: outcome.reason })
    default:
      return outcome satisfies never
  }
}

/**
 * 10,000 edits take about 5 ms, a third of the tolerant reader. Undefined at the first damaged
 * line.
 */
function quickly(bytes: Buffer): readonly LedgerRecord[] | undefined {
  if (!isUtf8(bytes)) return undefined
  const records: LedgerRecord[] = []
  try {
    for (const line of bytes.toString().split("\n")) {
      const record = line === "" ? undefined : recordOf(JSON.parse(line))
      if (record !== undefined) records.push(record)
    }
    return records
  } catch {
    return undefined
  }
}

export function linesWith(bytes: Buffer, text: string): readonly LedgerRecord[] {
  const needle = Buffer.from(text)
  const records: LedgerRecord[] = []
  let at = bytes.indexOf(needle)
  while (at !== -1) {
    const { record, end } = lineAround(bytes, at)
    if (record !== undefined && record !== "broken") records.push(record)
    at = bytes.indexOf(needle, end)
  }
  return records
}

type Line = {
  readonly start: number
  readonly end: number
  readonly record: LedgerRecord | "broken" | undefined
}

export function lineAround(bytes: Buffer, at: number): Line {
  // `lastIndexOf` counts a negative offset from the end.
  return lineFrom(bytes, at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1)
}

export function lineFrom(bytes: Buffer, start: number): Line {
  const next = bytes.indexOf(NEWLINE, start)
  const end = next === -1 ? bytes.length : next
  const line = bytes.toString("utf8", start, end)
  return { start, end, record: line === "" ? undefined : parsed(line) }
}

const NEWLINE = 0x0a

function parsed(line: string): Line["record"] {
  const value = parseJson(line)
  return value === undefined ? "broken" : recordOf(value)
}

function recordOf(value: unknown): LedgerRecord | undefined {
  if (!isRecord(value)) return undefined
  const { kind, at, path } = value
  if (typeof at !== "number" || !Number.isFinite(at)) return undefined
  switch (kind) {
    case "opened":
      if (!isText(value["sessionId"])) return undefined
      return {
        kind,
        sessionId: value["sessionId"],
        host: textOr(value["host"]),
        at,
        tree: textOr(value["tree"]),
      }
    case "modified":
      if (!isText(path) || !isText(value["tool"])) return undefined
      return {
        kind,
        path,
        tool: value["tool"],
        at,
        sha: textOr(value["sha"]),
        tree: textOr(value["tree"]),
      }
    case "outside":
      return isText(path) ? { kind, path, at } : undefined
    case "simulated":
      return simulatedOf(value, at)
    case "registered":
      return isText(value["file"]) ? { kind, file: value["file"], at } : undefined
    case "nudged": {
      const { fingerprint, nonce } = value
      return isText(fingerprint) && isText(nonce) ? { kind, fingerprint, nonce, at } : undefined
    }
    default:
      return undefined
  }
}

function simulatedOf(value: JsonlRecord, at: number): LedgerRecord | undefined {
  const { id, files, risk } = value
  if (!isText(id) || !Array.isArray(files) || typeof risk !== "number") return undefined
  const hashedFiles = files.flatMap((it: unknown) =>
    isRecord(it) && isText(it["path"]) ? [{ path: it["path"], sha: textOr(it["sha"]) }] : [],
  )
  return { kind: "simulated", id, files: hashedFiles, risk, at }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function textOr(value: unknown): string | undefined {
  return isText(value) ? value : undefined
}
