import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LONGEST_SOCKET_PATH_BYTES } from "./limits.ts"

export type KeeperPlace = {
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  readonly stateDirectory: string
  /** Of the worktree: a package is of its files, not of another branch's. */
  readonly root: string
}

/** Where the keeper of a worktree is reached. */
export function keeperSocket({ home, stateDirectory, root }: KeeperPlace): string {
  const name = hash("sha256", `${stateDirectory}\0${root}`).slice(0, 16)
  if (process.platform === "win32") return `\\\\.\\pipe\\qm-${name}`
  const usual = join(home, "kit", "run", `${name}.sock`)
  // One sign is left for the name it has while it is made.
  if (Buffer.byteLength(usual) < LONGEST_SOCKET_PATH_BYTES) return usual
  return join(tmpdir(), `qm-${process.getuid?.() ?? 0}`, `${name}.sock`)
}
