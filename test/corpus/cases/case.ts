import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Where a case works, and what must never be seen. */
export type HostilePlace = {
  /** The tree that is walked; each case has a folder of its own in it. */
  readonly root: string
  /** A folder beside the tree, with a file `secret` whose text is the canary. */
  readonly outside: string
}

/** Of each path below the case's folder: read, or left out for a reason, or not seen at all. */
export type HostileExpectation = Readonly<Record<string, string>>

/** Makes something in a folder of its own, and says what is to become of it. */
export type HostileCase = (folder: string, place: HostilePlace) => HostileExpectation

export type HostileCases = Readonly<Record<string, HostileCase>>

export type Files = Readonly<Record<string, string | Buffer>>

/** Files that are written, and what becomes of them. */
export function files(written: Files, expected: HostileExpectation): HostileCase {
  return (folder) => {
    writeFiles(folder, written)
    return expected
  }
}

/** Files that are like all others to a reader, whatever they say or are called. */
export function readable(written: Files): HostileCase {
  return files(written, Object.fromEntries(Object.keys(written).map((it) => [it, "read"])))
}

/** Files that are left out, all for the same reason. */
export function leftOut(reason: string, written: Files): HostileCase {
  return files(written, Object.fromEntries(Object.keys(written).map((it) => [it, reason])))
}

export function writeFiles(folder: string, written: Files): void {
  for (const [path, content] of Object.entries(written)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

export const TEXT = "text\n"
