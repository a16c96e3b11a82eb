import { createHash } from "node:crypto"
import { join } from "node:path"
import {
  ensureDirectory,
  isRecord,
  parseJson,
  type Random,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { type BoardWrite, LOG_FOLDER, readOne } from "../board-files.ts"
import { hashOfLine, type LogRecord, readLog, writeLine } from "./log-record.ts"

/** A log is rewritten with each event, so a longer one continues in another file. */
const MOST_EVENTS_A_FILE = 500

const LARGEST_TAILS_BYTES = 4 * 1024 ** 2
/** Sessions whose log may continue; an older one starts another file. */
const MOST_TAILS = 2_000

type LogTail = { readonly file: string; readonly hash: string }

type WriterDeps = {
  root(): string
  readonly stateDirectory: string
  readonly random: Random
}

/**
 * Chooses the file of a record. A session continues its file only if it ends with the line that
 * this clone wrote last. After a branch switch, a reset or a copy it starts another file, so no two
 * branches append to one and git has nothing to merge.
 */
export function createLogWriter({ root, stateDirectory, random }: WriterDeps) {
  const folder = join(stateDirectory, "board")
  const tailsFile = join(folder, "log-tails.json")

  return {
    /** The file to write, and a function that remembers its end afterwards. */
    async prepare(
      record: LogRecord,
    ): Promise<{ readonly write: BoardWrite; remember(): Promise<void> }> {
      const key = keyOf([stateDirectory, root(), record.actor, record.session])
      const tails = await readTails(tailsFile)
      const own = tails.get(key)
      const text = own === undefined ? undefined : continued(root(), own)
      const file = own !== undefined && text !== undefined ? own.file : newFile(record, random)
      const previous = text === undefined ? undefined : readLog(text).lastLine
      const line = writeLine(record, previous)
      return {
        write: { file, text: `${text ?? ""}${line}\n` },
        async remember() {
          tails.delete(key)
          tails.set(key, { file, hash: hashOfLine(line) })
          const latest = [...tails].slice(-MOST_TAILS)
          await ensureDirectory(folder)
          await writeFileAtomic(tailsFile, JSON.stringify(Object.fromEntries(latest)))
        },
      }
    },
  }
}

function continued(root: string, { file, hash }: LogTail): string | undefined {
  const text = readOne(root, file)?.bytes.toString("utf8")
  if (text === undefined || !text.endsWith("\n")) return undefined
  const log = readLog(text)
  const isOwn = log.brokenAt === undefined && hashOfLine(log.lastLine) === hash
  return isOwn && log.lines < MOST_EVENTS_A_FILE ? text : undefined
}

function newFile({ actor, session }: LogRecord, random: Random): string {
  const suffix = Buffer.from(random.bytes(6)).toString("hex")
  return `${LOG_FOLDER}/${actor}-${keyOf([session]).slice(0, 8)}-${suffix}.jsonl`
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24)
}

async function readTails(file: string): Promise<Map<string, LogTail>> {
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_TAILS_BYTES })
  const value = outcome.kind === "read" ? parseJson(outcome.text) : undefined
  const entries = isRecord(value) ? Object.entries(value) : []
  return new Map(
    entries.flatMap(([key, it]) => {
      const [path, hash] = isRecord(it) ? [it["file"], it["hash"]] : []
      const isTail = typeof path === "string" && typeof hash === "string"
      return isTail && path.startsWith(`${LOG_FOLDER}/`) ? [[key, { file: path, hash }]] : []
    }),
  )
}
