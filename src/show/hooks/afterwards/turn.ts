import path from "node:path"
import { createFile, listDirectory, removeFile, statFile } from "#ground/base"
import { FETCH_EVERY_MS } from "../limits.ts"

/**
 * Whether this process may fetch now. Time is cut into windows and each has one file, which only
 * one can create; whoever comes early in a window looks at the one before. So no file is ever taken
 * from anybody, and it makes no difference whether the fetch worked, failed, or died.
 */
export async function takeTurn(stateDirectory: string, now: number): Promise<boolean> {
  const window = Math.floor(now / FETCH_EVERY_MS)
  const before = await statFile(path.join(stateDirectory, nameOf(window - 1)))
  const ageMs = before.kind === "found" ? now - before.stat.modifiedAtMs : FETCH_EVERY_MS
  if (ageMs < FETCH_EVERY_MS) return false
  const { kind } = await createFile(path.join(stateDirectory, nameOf(window)))
  if (kind === "created") await sweep(stateDirectory, window)
  return kind === "created"
}

function nameOf(window: number): string {
  return `fetch-${window}`
}

async function sweep(stateDirectory: string, window: number): Promise<void> {
  const listed = await listDirectory(stateDirectory)
  if (listed.kind !== "listed") return
  for (const { name } of listed.entries) {
    const number = /^fetch-(\d+)$/.exec(name)?.[1]
    const isOld = number !== undefined && Number(number) < window - 1
    if (isOld) await removeFile(path.join(stateDirectory, name))
  }
}
