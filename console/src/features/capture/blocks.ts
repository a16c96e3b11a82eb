import type { Agreement } from "../../contract.ts"

/** More blocks than this are no longer counted by eye, and find no room. */
const MOST_BLOCKS = 24

export function blocksOf(files: readonly Agreement[]): readonly ("ok" | "warn")[] {
  const count = Math.min(MOST_BLOCKS, files.length)
  const blocks = Array.from({ length: count }, (): "ok" | "warn" => "ok")
  for (const [i, file] of files.entries()) {
    const agrees = file.state === "both" && file.sameText !== false
    if (!agrees) blocks[Math.floor((i * count) / files.length)] = "warn"
  }
  return blocks
}
