import { isUtf8 } from "node:buffer"
import type { Classifier } from "./classify.ts"
import { digest } from "./paths.ts"
import {
  type LedgerRecord,
  lineAround,
  lineFrom,
  linesWith,
  readBytes,
  readLedger,
} from "./records.ts"

const MOST_DRIFTED_FILES = 100

const FEWEST_DRIFTED_FILES = 2

export type Drift = {
  /** Of the paths only: editing the same files again is the same drift. */
  readonly fingerprint: string
  readonly paths: readonly string[]
  readonly isCut: boolean
}

export type NudgeDue =
  | { readonly kind: "due"; readonly drift: Drift }
  | { readonly kind: "not-due"; readonly why: "registered" | "little" | "nudged" }

export async function readDrift(file: string, classifier: Classifier): Promise<Drift> {
  return (await driftAndBytes(file, classifier)).drift
}

export async function readNudgeDue(file: string, classifier: Classifier): Promise<NudgeDue> {
  const { drift, bytes } = await driftAndBytes(file, classifier)
  if (drift.paths.length === 0) return { kind: "not-due", why: "registered" }
  if (drift.paths.length < FEWEST_DRIFTED_FILES) return { kind: "not-due", why: "little" }
  const nudges = linesWith(bytes, `"fingerprint":${JSON.stringify(drift.fingerprint)}`)
  const wasNudged = nudges.some(
    (it) => it.kind === "nudged" && it.fingerprint === drift.fingerprint,
  )
  return wasNudged ? { kind: "not-due", why: "nudged" } : { kind: "due", drift }
}

async function driftAndBytes(
  file: string,
  classifier: Classifier,
): Promise<{ readonly drift: Drift; readonly bytes: Buffer }> {
  const bytes = (await readBytes(file)) ?? Buffer.alloc(0)
  const drift = quickDrift(bytes, classifier) ?? driftOf(await readLedger(file), classifier)
  return { drift, bytes }
}

export function driftOf(records: readonly LedgerRecord[], classifier: Classifier): Drift {
  return asDrift(driftedIn(records, classifier).slice(0, MOST_DRIFTED_FILES + 1))
}

export function driftedIn(
  records: readonly LedgerRecord[],
  classifier: Classifier,
): readonly string[] {
  const last = records.findLastIndex((it) => isRegistration(it, classifier))
  const since = records.slice(last + 1)
  const touched = new Set(since.flatMap((it) => (it.kind === "modified" ? [it.path] : [])))
  return [...touched].filter((it) => classifier.isImportant(it))
}

/**
 * Like `driftOf` without reading everything: of 10,000 drifted files the first hundred decide.
 * Undefined when a line is damaged or registrations cannot be searched for; then the caller uses
 * `driftOf`.
 */
export function quickDrift(bytes: Buffer, classifier: Classifier): Drift | undefined {
  const since = isUtf8(bytes) ? endOfRegistration(bytes, classifier) : undefined
  if (since === undefined) return undefined
  const seenPaths = new Set<string>()
  const paths: string[] = []
  for (let at = since; at < bytes.length && paths.length <= MOST_DRIFTED_FILES; ) {
    const { record, end } = lineFrom(bytes, at)
    if (record === "broken") return undefined
    at = end + 1
    if (record?.kind !== "modified" || seenPaths.has(record.path)) continue
    seenPaths.add(record.path)
    if (classifier.isImportant(record.path)) paths.push(record.path)
  }
  return asDrift(paths)
}

function asDrift(first: readonly string[]): Drift {
  const paths = first.slice(0, MOST_DRIFTED_FILES).toSorted()
  const isCut = first.length > MOST_DRIFTED_FILES
  return { fingerprint: digest(paths.join("\0")), paths, isCut }
}

function isRegistration(record: LedgerRecord, { isRegistrationFile }: Classifier): boolean {
  return (
    record.kind === "registered" || (record.kind === "modified" && isRegistrationFile(record.path))
  )
}

function endOfRegistration(bytes: Buffer, classifier: Classifier): number | undefined {
  if (classifier.registrationMarks === undefined) return undefined
  const marks = classifier.registrationMarks.map((it) => JSON.stringify(it).slice(1, -1))
  let since = 0
  for (const mark of ['{"kind":"registered"', ...marks]) {
    const end = lastWith(bytes, { mark, after: since }, classifier)
    if (end === "broken") return undefined
    since = Math.max(since, end)
  }
  return since
}

type MarkSearch = { readonly mark: string; readonly after: number }

function lastWith(
  bytes: Buffer,
  { mark, after }: MarkSearch,
  classifier: Classifier,
): number | "broken" {
  for (let at = bytes.lastIndexOf(mark); at >= after; ) {
    const { record, start, end } = lineAround(bytes, at)
    if (record === "broken") return "broken"
    if (record !== undefined && isRegistration(record, classifier)) return end + 1
    at = start === 0 ? -1 : bytes.lastIndexOf(mark, start - 1)
  }
  return after
}
