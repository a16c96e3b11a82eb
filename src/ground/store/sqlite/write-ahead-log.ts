import { endianness } from "node:os"
import { readBounded } from "#ground/base"

/** Logs are checkpointed at 4 MB; a far larger one is left to SQLite. */
const MAX_EXAMINED_LOG_BYTES = 64_000_000

/**
 * SQLite ends a write-ahead log at its first bad frame: commits after a flipped byte are silently
 * lost. The shared memory file has the number of committed frames and is written after their flush,
 * so a log with fewer frames of the same generation is damaged. After a power cut the shared memory
 * may be stale; then it has fewer frames or another generation, and nothing is concluded.
 */
export async function findLostCommits(file: string): Promise<string | undefined> {
  const [log, memory] = await Promise.all(
    [`${file}-wal`, `${file}-shm`].map((it) =>
      readBounded(it, { maxBytes: MAX_EXAMINED_LOG_BYTES }),
    ),
  )
  if (log?.kind === "read" && isGarbage(log.bytes)) return "its write-ahead log is invalid"
  if (log?.kind !== "read" || memory?.kind !== "read") return undefined
  const committed = readCommitted(memory.bytes)
  if (committed === undefined || !isOfGeneration(log.bytes, committed.salt)) return undefined
  const frames = countGoodFrames(log.bytes)
  if (frames >= committed.frames) return undefined
  return `its write-ahead log has ${frames} of ${committed.frames} committed pages`
}

const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALT = { inLog: 16, inFrame: 8, inMemory: 32, bytes: 8 } as const
const MEMORY_HEADER_BYTES = 48

/** The last bit is the byte order of the checksums. */
const MAGIC = 0x377f0682

/** An unflushed header is all zeros after a power cut. */
function isGarbage(log: Buffer): boolean {
  if (log.length < LOG_HEADER_BYTES) return false
  const magic = log.readUInt32BE(0)
  return magic !== 0 && (magic & ~1) >>> 0 !== MAGIC
}

/** The header is stored twice; the copies differ during a change. */
function readCommitted(memory: Buffer): { frames: number; salt: Buffer } | undefined {
  const first = memory.subarray(0, MEMORY_HEADER_BYTES)
  const second = memory.subarray(MEMORY_HEADER_BYTES, 2 * MEMORY_HEADER_BYTES)
  const isWhole = second.length === MEMORY_HEADER_BYTES && first.equals(second)
  if (!isWhole || first[12] !== 1) return undefined
  const frames = endianness() === "LE" ? first.readUInt32LE(16) : first.readUInt32BE(16)
  return { frames, salt: first.subarray(SALT.inMemory, SALT.inMemory + SALT.bytes) }
}

/** Either salt is sufficient: the other may be damaged. */
function isOfGeneration(log: Buffer, salt: Buffer): boolean {
  const inFirstFrame = LOG_HEADER_BYTES + SALT.inFrame
  return [SALT.inLog, inFirstFrame].some((at) => log.subarray(at, at + SALT.bytes).equals(salt))
}

function countGoodFrames(log: Buffer): number {
  if (log.length < LOG_HEADER_BYTES) return 0
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1
  const pageBytes = log.readUInt32BE(8)
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const salt = log.subarray(SALT.inLog, SALT.inLog + SALT.bytes)
  let sum = addUp(log.subarray(0, 24), { isBigEndian, from: [0, 0] })
  if (pageBytes < 512 || !isSum(log, 24, sum)) return 0

  let frames = 0
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    sum = addUp(log.subarray(at, at + 8), { isBigEndian, from: sum })
    sum = addUp(log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), { isBigEndian, from: sum })
    const isSalted = log.subarray(at + SALT.inFrame, at + SALT.inFrame + SALT.bytes).equals(salt)
    if (!isSalted || !isSum(log, at + 16, sum)) break
    frames++
  }
  return frames
}

type Sum = readonly [number, number]

function isSum(log: Buffer, at: number, sum: Sum): boolean {
  return log.readUInt32BE(at) === sum[0] && log.readUInt32BE(at + 4) === sum[1]
}

function addUp(bytes: Buffer, how: { isBigEndian: boolean; from: Sum }): Sum {
  let [first, second] = how.from
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + view.getUint32(at, !how.isBigEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, !how.isBigEndian) + first) >>> 0
  }
  return [first, second]
}
