import { join } from "node:path"
import {
  ensureDirectory,
  FileExists,
  linkFile,
  openFolder,
  parseJsonRecord,
  type Random,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { ClaimDamaged, ClaimsBusy } from "./errors.ts"
import { KEPT_TURNS } from "./limits.ts"
import { digest } from "./paths.ts"

/** Each failed attempt means that another process succeeded. */
const MOST_TRIES = 64

/** A session id may be long, and escaped six times as long. */
const LARGEST_CLAIM_BYTES = 8 * 1024 ** 2

/** Every claimed path costs about 50 µs when one is taken. */
const MOST_CLAIM_FOLDERS = 20_000

type TurnDecision<Result> =
  | { readonly kind: "put"; readonly record: (turn: number) => ClaimRecord }
  | { readonly kind: "stop"; readonly result: Result }

export type Turns = ReturnType<typeof createTurns>

/**
 * Claims on disk: a folder for each path, a numbered file for each turn of its claim; the highest
 * number is the claim. A turn is made by linking a complete file to the next number, which only one
 * process can do. Older files exist only for readers during a replacement. A process that paused
 * between reading and linking may link a number that was used and deleted; it then sees a higher
 * number and retries. The highest file is never deleted.
 */
export function createTurns(folder: string, random: Random) {
  const folderOf = (path: string) => join(folder, digest(path))

  return {
    current: (path: string) => currentIn(folderOf(path))?.record,

    /**
     * Repeats `decide` until its result is the newest turn. `wasPut` is true if an earlier decision
     * of this call was linked and then superseded.
     */
    async change<Result>(
      path: string,
      decide: (current: ClaimRecord | undefined, wasPut: boolean) => TurnDecision<Result>,
    ): Promise<ClaimRecord | { readonly result: Result }> {
      const own = folderOf(path)
      let wasPut = false
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const current = currentIn(own)
        const next = decide(current?.record, wasPut)
        if (next.kind === "stop") return { result: next.result }
        const turn = (current?.turn ?? 0) + 1
        const record = next.record(turn)
        if (!(await put({ folder, own, turn }, writeClaim(record), random))) continue
        wasPut = true
        if (highestIn(own) !== turn) continue
        await removeOld(own, turn)
        return record
      }
      throw ClaimsBusy({ path })
    },

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

type CurrentTurn = { readonly turn: number; readonly record: ClaimRecord }

function currentIn(own: string): CurrentTurn | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const opened = openFolder(own)
    if (opened.kind === "missing") return undefined
    if (opened.kind !== "open") throw ClaimDamaged({ file: own, problem: opened.kind })
    using held = opened.folder
    const listed = held.list({ maxEntries: MOST_CLAIM_FOLDERS })
    const turn = highestOf(listed.kind === "listed" ? listed.entries.map((it) => it.name) : [])
    if (turn === 0) return undefined
    const read = held.read(String(turn), { maxBytes: LARGEST_CLAIM_BYTES })
    // Other processes wrote newer turns and deleted the file.
    if (read.kind === "missing") continue
    const record = read.kind === "read" ? parseClaim(read.bytes) : undefined
    if (record === undefined)
      throw ClaimDamaged({ file: own, problem: `turn ${turn} is not a claim` })
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

type TurnPlace = { readonly folder: string; readonly own: string; readonly turn: number }

/** False when the number is taken. The file is complete and flushed before it is linked. */
async function put(
  { folder, own, turn }: TurnPlace,
  text: string,
  random: Random,
): Promise<boolean> {
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

export type ClaimRecord = {
  readonly path: string
  readonly session: string
  readonly state: "held" | "released"
  /** Grows with each holder of the path; a write with an older fence number is refused. */
  readonly fence: number
  /** Random: distinguishes two holders even when the files in between were deleted. */
  readonly token: string
  readonly pid: number
  readonly startedAt: string | undefined
  readonly machine: string
  readonly boot: string
  readonly takenAt: number
  readonly heartbeatAt: number
  /** Monotonic; comparable only within one boot of one machine. */
  readonly heartbeatUptimeMs: number
  readonly leaseMs: number
  readonly expiresAt: number
}

export function writeClaim(record: ClaimRecord): string {
  return `${JSON.stringify(record)}\n`
}

export function parseClaim(bytes: Buffer): ClaimRecord | undefined {
  const it = parseJsonRecord(bytes.toString())
  if (it === undefined) return undefined
  const [path, session, token] = [text(it["path"]), text(it["session"]), text(it["token"])]
  const [machine, boot, state] = [text(it["machine"]), text(it["boot"]), it["state"]]
  const [pid, fence] = [count(it["pid"]), count(it["fence"])]
  const [takenAt, heartbeatAt] = [number(it["takenAt"]), number(it["heartbeatAt"])]
  const [leaseMs, expiresAt] = [number(it["leaseMs"]), number(it["expiresAt"])]
  const heartbeatUptimeMs = number(it["heartbeatUptimeMs"])
  const startedAt = text(it["startedAt"])
  if (path === undefined || session === undefined || token === undefined) return undefined
  if (machine === undefined || boot === undefined || pid === undefined) return undefined
  if (fence === undefined || takenAt === undefined || heartbeatAt === undefined) return undefined
  if (leaseMs === undefined || expiresAt === undefined) return undefined
  if (heartbeatUptimeMs === undefined || (state !== "held" && state !== "released"))
    return undefined
  const when = { takenAt, heartbeatAt, heartbeatUptimeMs, leaseMs, expiresAt }
  return { path, session, state, fence, token, pid, startedAt, machine, boot, ...when }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? number(value) : undefined
}
