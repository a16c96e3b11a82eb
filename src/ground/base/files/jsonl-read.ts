import { isUtf8 } from "node:buffer"
import type { FileHandle } from "node:fs/promises"
import { FileNotReadable, FileNotRegular } from "../errors.ts"
import { parseJson } from "../json.ts"
import { isRecord } from "../object.ts"
import { openRegular } from "./bounded-read.ts"
import type { JsonlRecord } from "./jsonl.ts"
import { JSONL_LONGEST_LINE_BYTES, READ_STEP_BYTES } from "./limits.ts"
import { reasonOf } from "./system-error.ts"

/** Larger journals should be streamed or rotated. */
const JSONL_LARGEST_FILE_BYTES = 1024 ** 3

export type JsonlWarning =
  /** The last line has no newline and is not a record: its writer died or is still writing. */
  | { readonly kind: "truncated_tail"; readonly line: number; readonly sizeBytes: number }
  /** With `nul_bytes` the rest of the line is still a record if it parses. */
  | {
      readonly kind: "bad_line"
      readonly line: number
      readonly reason: "not_json" | "not_an_object" | "not_utf8" | "nul_bytes"
    }
  | { readonly kind: "too_long"; readonly line: number; readonly sizeBytes: number }
  /** The file exceeds the limit; the rest was not read. */
  | { readonly kind: "cut_short"; readonly line: number; readonly maxBytes: number }

export type JsonlItem =
  | { readonly kind: "record"; readonly line: number; readonly record: JsonlRecord }
  | { readonly kind: "warning"; readonly warning: JsonlWarning }

export type JsonlLimits = { readonly maxLineBytes?: number; readonly maxBytes?: number }

/**
 * A missing file has no records. An unreadable one is an error, so that no caller mistakes it for
 * empty.
 */
export async function readJsonl(
  path: string,
  limits: JsonlLimits = {},
): Promise<{
  readonly records: readonly JsonlRecord[]
  readonly warnings: readonly JsonlWarning[]
}> {
  const records: JsonlRecord[] = []
  const warnings: JsonlWarning[] = []
  for await (const item of streamJsonl(path, limits)) {
    if (item.kind === "record") records.push(item.record)
    else warnings.push(item.warning)
  }
  return { records, warnings }
}

export async function* streamJsonl(
  path: string,
  limits: JsonlLimits = {},
): AsyncGenerator<JsonlItem> {
  const opened = await openRegular(path)
  if (opened.kind === "missing") return
  if (opened.kind === "not-regular") throw FileNotRegular({ path, what: opened.what })
  if (opened.kind === "unreadable") throw FileNotReadable({ path, reason: opened.reason })
  await using handle = opened.handle

  const maxBytes = limits.maxBytes ?? JSONL_LARGEST_FILE_BYTES
  const lines = createLines(limits.maxLineBytes ?? JSONL_LONGEST_LINE_BYTES)
  for await (const piece of readPieces({ handle, path, from: 0 }, maxBytes)) {
    for (const line of lines.feed(piece)) for (const item of judge(line)) yield item
  }
  const { size } = await handle.stat()
  if (size > maxBytes) yield warning({ kind: "cut_short", line: lines.count(), maxBytes })
  else for (const line of lines.end()) for (const item of judge(line)) yield item
}

export type FileLine = {
  /** Undefined if the line exceeds `maxLineBytes`. */
  readonly bytes: Buffer | undefined
  /** Position of the first byte after its newline. */
  readonly end: number
}

/**
 * The lines of a growing file from a byte position on. A last line without newline is left out,
 * because its writer may not be done. A missing file has no lines.
 */
export async function* streamLines(
  path: string,
  options: { readonly from: number; readonly maxLineBytes: number },
): AsyncGenerator<FileLine> {
  const opened = await openRegular(path)
  if (opened.kind === "missing") return
  if (opened.kind === "not-regular") throw FileNotRegular({ path, what: opened.what })
  if (opened.kind === "unreadable") throw FileNotReadable({ path, reason: opened.reason })
  await using handle = opened.handle

  const lines = createLines(options.maxLineBytes)
  let end = options.from
  // Lines written during the read are for the next one, or a fast writer would keep us here.
  const maxBytes = Math.max(0, opened.stats.size - end)
  for await (const piece of readPieces({ handle, path, from: end }, maxBytes)) {
    for (const line of lines.feed(piece)) {
      end += line.sizeBytes + 1
      yield { bytes: line.bytes, end }
    }
  }
}

async function* readPieces(
  file: { readonly handle: FileHandle; readonly path: string; readonly from: number },
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(READ_STEP_BYTES)
  let done = 0
  while (done < maxBytes) {
    const chunkBytes = Math.min(buffer.length, maxBytes - done)
    const { bytesRead } = await file.handle
      .read(buffer, 0, chunkBytes, file.from + done)
      .catch((error: unknown) => {
        throw FileNotReadable({ path: file.path, reason: reasonOf(error) }, error)
      })
    if (bytesRead === 0) return
    done += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

type Line = {
  readonly number: number
  readonly sizeBytes: number
  /** Undefined when the line was too long to keep. */
  readonly bytes: Buffer | undefined
  readonly isEnded: boolean
}

function createLines(maxLineBytes: number) {
  let number = 1
  let sizeBytes = 0
  let parts: Buffer[] = []

  function take(part: Buffer): void {
    sizeBytes += part.length
    if (sizeBytes <= maxLineBytes) parts.push(part)
    else parts = []
  }

  function finish(isEnded: boolean): Line {
    const bytes = sizeBytes <= maxLineBytes ? Buffer.concat(parts) : undefined
    const line = { number, sizeBytes, bytes, isEnded }
    number++
    sizeBytes = 0
    parts = []
    return line
  }

  return {
    *feed(piece: Buffer): Generator<Line> {
      let from = 0
      for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
        take(piece.subarray(from, end))
        yield finish(true)
        from = end + 1
      }
      take(Buffer.from(piece.subarray(from)))
    },
    *end(): Generator<Line> {
      if (sizeBytes > 0) yield finish(false)
    },
    count: () => number,
  }
}

const NEWLINE = 0x0a

function judge(line: Line): readonly JsonlItem[] {
  const { number, sizeBytes, bytes } = line
  if (bytes === undefined) return [warning({ kind: "too_long", line: number, sizeBytes })]
  const content = withoutNuls(bytes)
  const hasNuls = content.length < bytes.length
  const parsed = parseRecord(number === 1 ? withoutByteOrderMark(content) : content)
  const record: JsonlItem[] =
    parsed.kind === "record" ? [{ kind: "record", line: number, record: parsed.record }] : []
  // Without a newline only a complete record counts.
  if (!line.isEnded && parsed.kind !== "record")
    return [warning({ kind: "truncated_tail", line: number, sizeBytes })]
  if (hasNuls) return [...record, warning({ kind: "bad_line", line: number, reason: "nul_bytes" })]
  if (parsed.kind === "bad")
    return [warning({ kind: "bad_line", line: number, reason: parsed.reason })]
  return record
}

function warning(problem: JsonlWarning): JsonlItem {
  return { kind: "warning", warning: problem }
}

/** After a power cut a file may have its full length and NULs where bytes were never written. */
function withoutNuls(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < end && bytes[start] === 0) start++
  while (end > start && bytes[end - 1] === 0) end--
  return bytes.subarray(start, end)
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

type ParsedLine =
  | { readonly kind: "record"; readonly record: JsonlRecord }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: "not_json" | "not_an_object" | "not_utf8" }

function parseRecord(bytes: Buffer): ParsedLine {
  if (!isUtf8(bytes)) return { kind: "bad", reason: "not_utf8" }
  const text = bytes.toString()
  if (text.trim() === "") return { kind: "blank" }
  const value = parseJson(text)
  if (value === undefined) return { kind: "bad", reason: "not_json" }
  return isRecord(value)
    ? { kind: "record", record: value }
    : { kind: "bad", reason: "not_an_object" }
}
