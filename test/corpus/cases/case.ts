import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export type HostilePlace = {
  readonly root: string
  /** A folder beside the tree, with a file `secret` that contains the canary. */
  readonly outside: string
}

/** For each path below the case's folder: read, left out with a reason, or not seen. */
export type HostileExpectation = Readonly<Record<string, string>>

export type HostileCase = (folder: string, place: HostilePlace) => HostileExpectation

export type HostileCases = Readonly<Record<string, HostileCase>>

export type Files = Readonly<Record<string, string | Buffer>>

export function files(written: Files, expected: HostileExpectation): HostileCase {
  return (folder) => {
    writeFiles(folder, written)
    return expected
  }
}

export function readable(written: Files): HostileCase {
  return files(written, Object.fromEntries(Object.keys(written).map((it) => [it, "read"])))
}

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
