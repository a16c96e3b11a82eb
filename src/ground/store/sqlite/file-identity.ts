import { hash } from "node:crypto"
import { readHeadNow, statNow } from "#ground/base"

/** https://sqlite.org/fileformat.html: the header of a database. */
const HEADER_BYTES = 100
const MAGIC = "SQLite format 3\0"
const APPLICATION_ID_AT = 68

/** The application id of a store: positive, never 0, and another one for another history. */
export function applicationIdOf(epoch: string): number {
  return (Number.parseInt(hash("sha256", epoch).slice(0, 8), 16) % 0x7fff_fffe) + 1
}

export type FileIdentity = ReturnType<typeof createFileIdentity>

/**
 * Notices that the files of an open store were deleted, replaced or overwritten: SQLite would go on
 * with the deleted file, and every commit would be lost at the next start. A call costs two stats;
 * the header is read only after a change of the file.
 */
export function createFileIdentity(file: string, epoch: string) {
  const own = statNow(file)
  let checkedStat = ""
  let logInode: number | undefined
  const ownId = applicationIdOf(epoch)
  // The id of the header until the write-ahead log with our id is written back.
  let formerId = idIn(readHeadNow(file, HEADER_BYTES))

  function headerProblem(): string | undefined {
    const head = readHeadNow(file, HEADER_BYTES)
    if (head === undefined) return undefined
    if (head.toString("latin1", 0, MAGIC.length) !== MAGIC) return "the database was overwritten"
    const id = idIn(head)
    if (id === ownId) formerId = ownId
    return id === formerId ? undefined : "another database is in its place"
  }

  function logProblem(): string | undefined {
    const log = statNow(`${file}-wal`)
    if (log === undefined) {
      return logInode === undefined ? undefined : "the write-ahead log was deleted"
    }
    logInode ??= log.inode
    return log.inode === logInode ? undefined : "the write-ahead log was replaced"
  }

  return {
    findProblem(): string | undefined {
      const stat = statNow(file)
      if (stat === undefined) return "the database was deleted or moved"
      if (stat.inode !== own?.inode || stat.device !== own.device)
        return "the database was replaced"
      const current = `${stat.sizeBytes} ${stat.changedAtMs}`
      const problem = current === checkedStat ? undefined : headerProblem()
      if (problem === undefined) checkedStat = current
      return problem ?? logProblem()
    },
  }
}

function idIn(head: Buffer | undefined): number {
  return head !== undefined && head.length === HEADER_BYTES
    ? head.readInt32BE(APPLICATION_ID_AT)
    : 0
}
