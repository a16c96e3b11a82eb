import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  FileExists,
  isSameProcessAlive,
  linkFile,
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
  url: z.string(),
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
  // Outside git the record lies in the working tree, where an archive could plant one. Without a
  // start time any living process would do, and the token would be sent to it.
  const isIdentified = startedAt !== undefined || processIdentity().startedAt === undefined
  return isIdentified && isSameProcessAlive({ pid, startedAt }) ? parsed.data : undefined
}

/** Claim the place of this repository's server; false when another one has it. */
export async function recordRunning(
  stateDirectory: string,
  at: Pick<Running, "port" | "url">,
): Promise<boolean> {
  const file = fileIn(stateDirectory)
  const draft = `${file}.${process.pid}`
  // With a store elsewhere nothing else has made this folder yet.
  await ensureDirectory(stateDirectory)
  if ((await findRunning(stateDirectory)) === undefined) await removeFile(file)
  await writeFileAtomic(draft, `${JSON.stringify({ ...processIdentity(), ...at })}\n`)
  try {
    await linkFile(draft, file)
    return true
  } catch (error) {
    if (FileExists.is(error)) return false
    throw error
  } finally {
    await removeFile(draft)
  }
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
