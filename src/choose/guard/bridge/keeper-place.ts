import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LONGEST_SOCKET_PATH_BYTES } from "./limits.ts"

export type KeeperPlace = {
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  readonly stateDirectory: string
}

/** Where the keeper of a repository is reached: one for all its worktrees. */
export function keeperSocket({ home, stateDirectory }: KeeperPlace): string {
  const name = hash("sha256", stateDirectory).slice(0, 16)
  if (process.platform === "win32") return `\\\\.\\pipe\\qm-${name}`
  const usual = join(home, "kit", "run", `${name}.sock`)
  // One sign is left for the name it has while it is made.
  if (Buffer.byteLength(usual) < LONGEST_SOCKET_PATH_BYTES) return usual
  return join(tmpdir(), `qm-${process.getuid?.() ?? 0}`, `${name}.sock`)
}
