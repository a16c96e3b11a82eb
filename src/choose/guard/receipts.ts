import { createHash } from "node:crypto"
import { join } from "node:path"
import {
  ensureDirectory,
  isRecord,
  listDirectory,
  parseJsonRecord,
  readBounded,
  readTextBounded,
  removeFile,
  sweepLeftovers,
  writeFileAtomic,
} from "#ground/base"
import type { LinkConfidence } from "#ground/contract"
import { CLOCK_SLACK_MS } from "./verdict-log.ts"

export const LONGEST_COVER_MS = 4 * 60 * 60 * 1_000

/** Longer than they cover, so that yesterday's verdicts can be explained. */
export const RECEIPT_KEPT_MS = 24 * 60 * 60 * 1_000

/** More in one day means a program; the newest stay. */
export const MOST_RECEIPTS_KEPT = 500

const MOST_RECEIPT_ENTRIES = 5_000

/** Each takes about 0.2 ms of a hook's 25 ms. */
export const MOST_RECEIPTS_READ = 50

/** 200 changed files, 200 dependents and 100 tests take about 120 kB with long paths. */
export const LARGEST_RECEIPT_BYTES = 1_000_000

type ReceiptsAt = { readonly stateDirectory: string; readonly now: number }

/** Newest first, only those young enough to cover an edit. Never throws; skips other files. */
export async function readReceipts({
  stateDirectory,
  now,
}: ReceiptsAt): Promise<readonly KeptReceipt[]> {
  const folder = folderIn(stateDirectory)
  const names = await namesIn(folder, { maxEntries: MOST_RECEIPT_ENTRIES })
  const young = names.filter((it) => isBetween(now - timeOf(it), LONGEST_COVER_MS))
  const newest = young.slice(0, MOST_RECEIPTS_READ)
  const receipts = await Promise.all(newest.map((name) => readReceipt(join(folder, name))))
  return receipts.flatMap((it) => it ?? [])
}

export async function writeReceipt(stateDirectory: string, receipt: Receipt): Promise<void> {
  const folder = folderIn(stateDirectory)
  await ensureDirectory(folder)
  await writeFileAtomic(join(folder, `${receipt.id}.json`), `${JSON.stringify(receipt)}\n`)
}

export async function sweepReceipts({ stateDirectory, now }: ReceiptsAt): Promise<number> {
  const folder = folderIn(stateDirectory)
  const left = await sweepLeftovers(folder)
  const names = await namesIn(folder)
  const recentNames = names
    .filter((it) => isBetween(now - timeOf(it), RECEIPT_KEPT_MS))
    .slice(0, MOST_RECEIPTS_KEPT)
  const old = names.filter((it) => !recentNames.includes(it))
  for (const name of old) await removeFile(join(folder, name))
  return left + old.length
}

function folderIn(stateDirectory: string): string {
  return join(stateDirectory, "receipts")
}

/** Ids begin with the time in nine characters, so old receipts are skipped unread. */
const RECEIPT_NAME = /^sim_([0-9a-z]{9})[0-9a-z]{10}\.json$/

async function namesIn(
  folder: string,
  options: { readonly maxEntries?: number } = {},
): Promise<readonly string[]> {
  const listed = await listDirectory(folder, options)
  if (listed.kind !== "listed") return []
  const files = listed.entries.filter(
    (it) => it.what === "regular file" && RECEIPT_NAME.test(it.name),
  )
  return files.map((it) => it.name).toReversed()
}

function timeOf(name: string): number {
  return Number.parseInt(RECEIPT_NAME.exec(name)?.[1] ?? "", 36)
}

function isBetween(ageMs: number, longestMs: number): boolean {
  return ageMs < longestMs && ageMs >= -CLOCK_SLACK_MS
}

async function readReceipt(path: string): Promise<KeptReceipt | undefined> {
  const read = await readTextBounded(path, { maxBytes: LARGEST_RECEIPT_BYTES })
  return read.kind === "read" ? parseReceipt(read.text) : undefined
}

/** `blobId` is null if there was no file. */
export type SimulatedFile = { readonly path: string; readonly blobId: string | null }

export type ReachedFile = {
  readonly path: string
  readonly ways: readonly ("imports" | "calls")[]
  readonly hops: number
  readonly via: string | null
  readonly confidence: LinkConfidence
  readonly names: readonly string[]
}

export type RiskReason = { readonly text: string; readonly number: number }

/** Mirrors `ground/contract`, which needs a package. */
export type Receipt = {
  readonly id: string
  readonly paths: readonly SimulatedFile[]
  readonly treeId: string
  readonly reach: readonly ReachedFile[]
  readonly tests: readonly ReachedFile[]
  readonly risk: number
  readonly reasons: readonly RiskReason[]
  readonly at: number
}

type KeptReceipt = Pick<Receipt, "id" | "paths" | "risk" | "at">

/** Undefined for anything but a complete receipt. */
export function parseReceipt(text: string): KeptReceipt | undefined {
  const { id, paths, risk, at } = parseJsonRecord(text) ?? {}
  const isWhole =
    typeof id === "string" && typeof at === "number" && Number.isSafeInteger(at) && isShare(risk)
  if (!isWhole || !Array.isArray(paths)) return undefined
  const files = paths.flatMap((it: unknown) => simulatedFile(it) ?? [])
  // A partly parsed receipt would look like a smaller one.
  return files.length === paths.length ? { id, paths: files, risk, at } : undefined
}

function simulatedFile(value: unknown): SimulatedFile | undefined {
  if (!isRecord(value)) return undefined
  const { path, blobId } = value
  const isHash = blobId === null || (typeof blobId === "string" && blobId !== "")
  return typeof path === "string" && isHash ? { path, blobId } : undefined
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1
}

type OwnEdit = { readonly path: string; readonly hash: string | null; readonly at: number }

export type PlannedEdit = {
  readonly path: string
  readonly hash: string | null
  readonly session: { readonly edits: readonly OwnEdit[] }
  readonly now: number
}

type ReceiptCoverage = Pick<KeptReceipt, "paths" | "at">

/**
 * True if the path is in a receipt younger than four hours, and the file is as simulated or as this
 * session left it since.
 */
export function covers(receipts: readonly ReceiptCoverage[], edit: PlannedEdit): boolean {
  return receipts.some((it) => coversEdit(it, edit))
}

function coversEdit({ paths, at }: ReceiptCoverage, edit: PlannedEdit): boolean {
  const ageMs = edit.now - at
  // Written so that NaN is false too.
  const isYoung = ageMs < LONGEST_COVER_MS && ageMs >= -CLOCK_SLACK_MS
  if (!isYoung) return false
  const simulated = paths.find((it) => it.path === edit.path)
  if (simulated === undefined) return false
  return simulated.blobId === edit.hash || isOwnEdit(edit, at)
}

function isOwnEdit({ path, hash, session }: PlannedEdit, since: number): boolean {
  return session.edits.some((it) => it.path === path && it.hash === hash && it.at >= since)
}

const LARGEST_HASHED_BYTES = 32 * 1024 ** 2

const LARGEST_GIT_CONFIG_BYTES = 1024 ** 2

export type HashFormat = "sha1" | "sha256"

export type FileHash =
  | { readonly kind: "hashed"; readonly hash: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string }

/** Git's blob id. `see/repo` has the same function, but a hook must not load that room. */
export async function hashFile(
  path: string,
  { root, format }: { readonly root: string; readonly format: HashFormat },
): Promise<FileHash> {
  const read = await readBounded(join(root, path), { maxBytes: LARGEST_HASHED_BYTES, root })
  switch (read.kind) {
    case "read":
      return { kind: "hashed", hash: hashOf(read.bytes, format) }
    case "missing":
      return { kind: "absent" }
    case "too-large":
      return { kind: "unknown", why: `it has ${read.sizeBytes} bytes` }
    case "outside-root":
      return { kind: "unknown", why: "it is outside the repository" }
    case "not-regular":
      return { kind: "unknown", why: `it is a ${read.what}, not a regular file` }
    case "unreadable":
      return { kind: "unknown", why: `it cannot be read (${read.reason})` }
    default:
      return read satisfies never
  }
}

function hashOf(bytes: Uint8Array, format: HashFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

/** From the git config beside the state directory. */
export async function hashFormatIn(stateDirectory: string): Promise<HashFormat> {
  const file = join(stateDirectory, "..", "config")
  const read = await readTextBounded(file, { maxBytes: LARGEST_GIT_CONFIG_BYTES })
  const isLong =
    read.kind === "read" && /^[ \t]*objectformat[ \t]*=[ \t]*sha256\b/im.test(read.text)
  return isLong ? "sha256" : "sha1"
}
