import { join } from "node:path"
import {
  ensureDirectory,
  FileExists,
  linkFile,
  openFolder,
  type Random,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { type ClaimRecord, parseClaim, writeClaim } from "./claim-file.ts"
import { digest } from "./digest.ts"
import { ClaimDamaged, ClaimsBusy } from "./errors.ts"
import { KEPT_TURNS, LARGEST_CLAIM_BYTES, MOST_CLAIM_FOLDERS, MOST_TRIES } from "./limits.ts"

export type Next<Result> =
  | { readonly kind: "put"; readonly record: (turn: number) => ClaimRecord }
  | { readonly kind: "stop"; readonly result: Result }

export type Turns = ReturnType<typeof createTurns>

/**
 * The claims on disk: a folder for each path, a file for each turn of its claim, numbered. The file
 * with the highest number is the claim. A turn is made by linking a whole file to the next number,
 * which one process can do and no other; so whatever two decide at once, one decision counts.
 *
 * A file that is not the highest is only there for those who look while it is replaced. Who was
 * halted between looking and linking may link a number that was used and removed: it then sees a
 * higher one, and knows that it was too late. The highest is never removed.
 */
export function createTurns(folder: string, random: Random) {
  const folderOf = (path: string) => join(folder, digest(path))

  return {
    current: (path: string) => currentIn(folderOf(path))?.record,

    /**
     * Decides on what stands there now, again and again until the decision counts. `wasPut` says
     * that an earlier one was linked and that others have gone on from there since, or before.
     */
    async change<Result>(
      path: string,
      decide: (current: ClaimRecord | undefined, wasPut: boolean) => Next<Result>,
    ): Promise<ClaimRecord | { readonly result: Result }> {
      const own = folderOf(path)
      let wasPut = false
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const seen = currentIn(own)
        const next = decide(seen?.record, wasPut)
        if (next.kind === "stop") return { result: next.result }
        const turn = (seen?.turn ?? 0) + 1
        const record = next.record(turn)
        if (!(await put({ folder, own, turn }, writeClaim(record), random))) continue
        wasPut = true
        if (highestIn(own) !== turn) continue
        await removeOld(own, turn)
        return record
      }
      throw ClaimsBusy({ path })
    },

    /** The newest turn of every path that was ever claimed. Damaged ones are left out. */
    all(): readonly ClaimRecord[] {
      return namesIn(folder, MOST_CLAIM_FOLDERS).flatMap((name) => {
        try {
          return /^[\da-f]{40}$/.test(name) ? (currentIn(join(folder, name))?.record ?? []) : []
        } catch (error) {
          if (ClaimDamaged.is(error)) return []
          throw error
        }
      })
    },
  }
}

type Seen = { readonly turn: number; readonly record: ClaimRecord }

function currentIn(own: string): Seen | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const opened = openFolder(own)
    if (opened.kind === "missing") return undefined
    if (opened.kind !== "open") throw ClaimDamaged({ file: own, problem: opened.kind })
    using held = opened.folder
    const listed = held.list({ maxEntries: MOST_CLAIM_FOLDERS })
    const turn = highestOf(listed.kind === "listed" ? listed.entries.map((it) => it.name) : [])
    if (turn === 0) return undefined
    const read = held.read(String(turn), { maxBytes: LARGEST_CLAIM_BYTES })
    // Others went on so far that the one we saw is gone already.
    if (read.kind === "missing") continue
    const record = read.kind === "read" ? parseClaim(read.bytes) : undefined
    if (record === undefined) throw ClaimDamaged({ file: own, problem: `turn ${turn} is no claim` })
    return { turn, record }
  }
  throw ClaimsBusy({ path: own })
}

function highestIn(own: string): number {
  return highestOf(namesIn(own, MOST_CLAIM_FOLDERS))
}

function highestOf(names: readonly string[]): number {
  const turns = names.filter((it) => /^[1-9]\d{0,14}$/.test(it)).map(Number)
  return turns.reduce((most, it) => Math.max(most, it), 0)
}

function namesIn(path: string, maxEntries: number): readonly string[] {
  const opened = openFolder(path)
  if (opened.kind !== "open") return []
  using held = opened.folder
  const listed = held.list({ maxEntries })
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

type Place = { readonly folder: string; readonly own: string; readonly turn: number }

/** False when another had that number. The file is whole and on the disk before it has its name. */
async function put({ folder, own, turn }: Place, text: string, random: Random): Promise<boolean> {
  await ensureDirectory(own)
  const fresh = join(folder, `.new-${Buffer.from(random.bytes(12)).toString("hex")}`)
  await writeFileAtomic(fresh, text)
  try {
    await linkFile(fresh, join(own, String(turn)))
    return true
  } catch (error) {
    if (FileExists.is(error)) return false
    throw error
  } finally {
    await removeFile(fresh)
  }
}

async function removeOld(own: string, turn: number): Promise<void> {
  const old = namesIn(own, MOST_CLAIM_FOLDERS).filter((it) => Number(it) <= turn - KEPT_TURNS)
  for (const name of old) await removeFile(join(own, name))
}
