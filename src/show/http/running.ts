import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  isSameProcessAlive,
  processIdentity,
  readTextBounded,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { RECORD_LIMIT_BYTES } from "./limits.ts"

/** A server that runs for a repository on this machine. */
const Running = z.object({
  pid: z.int().positive(),
  startedAt: z.string().optional(),
  port: z.int().positive(),
})
export type Running = z.infer<typeof Running>

const fileIn = (stateDirectory: string): string => path.join(stateDirectory, "server.json")

/** The server of this repository, if it still lives: its process, not only its number. */
export async function findRunning(stateDirectory: string): Promise<Running | undefined> {
  const outcome = await readTextBounded(fileIn(stateDirectory), { maxBytes: RECORD_LIMIT_BYTES })
  if (outcome.kind !== "read") return undefined
  const parsed = Running.safeParse(parseJson(outcome.text))
  if (!parsed.success) return undefined
  const { pid, startedAt } = parsed.data
  return isSameProcessAlive({ pid, startedAt }) ? parsed.data : undefined
}

export async function recordRunning(stateDirectory: string, port: number): Promise<void> {
  const running: Running = { ...processIdentity(), port }
  // With a store elsewhere nothing else has made this folder yet.
  await ensureDirectory(stateDirectory)
  await writeFileAtomic(fileIn(stateDirectory), `${JSON.stringify(running)}\n`)
}

/** Only our own: a server that took over in the meantime keeps its record. */
export async function forgetRunning(stateDirectory: string): Promise<void> {
  const running = await findRunning(stateDirectory)
  if (running?.pid === process.pid) await removeFile(fileIn(stateDirectory))
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
