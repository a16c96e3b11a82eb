import { join } from "node:path"
import {
  ensureDirectory,
  listDirectory,
  readTextBounded,
  removeFile,
  sweepLeftovers,
  writeFileAtomic,
} from "#ground/base"
import {
  CLOCK_SLACK_MS,
  LARGEST_RECEIPT_BYTES,
  LONGEST_COVER_MS,
  MOST_RECEIPT_ENTRIES,
  MOST_RECEIPTS_KEPT,
  MOST_RECEIPTS_READ,
  RECEIPT_KEPT_MS,
} from "../limits.ts"
import { type KeptReceipt, parseReceipt, type Receipt } from "./receipt.ts"

type Place = { readonly stateDirectory: string; readonly now: number }

/**
 * The receipts that are young enough to cover anything, the newest first. Nothing that lies in the
 * folder makes it throw: what is no receipt is passed over.
 */
export async function readReceipts({
  stateDirectory,
  now,
}: Place): Promise<readonly KeptReceipt[]> {
  const folder = folderIn(stateDirectory)
  const names = await namesIn(folder, { maxEntries: MOST_RECEIPT_ENTRIES })
  const young = names.filter((it) => isBetween(now - timeOf(it), LONGEST_COVER_MS))
  const newest = young.slice(0, MOST_RECEIPTS_READ)
  const receipts = await Promise.all(newest.map((name) => readReceipt(join(folder, name))))
  return receipts.flatMap((it) => it ?? [])
}

/** Written whole or not at all. */
export async function writeReceipt(stateDirectory: string, receipt: Receipt): Promise<void> {
  const folder = folderIn(stateDirectory)
  await ensureDirectory(folder)
  await writeFileAtomic(join(folder, `${receipt.id}.json`), `${JSON.stringify(receipt)}\n`)
}

/** Removes what is older than a day, or more than is kept, and says how many that were. */
export async function sweepReceipts({ stateDirectory, now }: Place): Promise<number> {
  const folder = folderIn(stateDirectory)
  const left = await sweepLeftovers(folder)
  const names = await namesIn(folder)
  const kept = names
    .filter((it) => isBetween(now - timeOf(it), RECEIPT_KEPT_MS))
    .slice(0, MOST_RECEIPTS_KEPT)
  const old = names.filter((it) => !kept.includes(it))
  for (const name of old) await removeFile(join(folder, name))
  return left + old.length
}

function folderIn(stateDirectory: string): string {
  return join(stateDirectory, "receipts")
}

/** Ids begin with the time in nine signs, so that most are told to be old without reading them. */
const RECEIPT_NAME = /^sim_([0-9a-z]{9})[0-9a-z]{10}\.json$/

/** The newest first. What lies there and has no such name is not ours. */
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
