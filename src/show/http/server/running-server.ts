import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import path from "node:path"
import { json } from "node:stream/consumers"
import { z } from "zod"
import {
  ensureDirectory,
  FileExists,
  isSameProcessAlive,
  linkFile,
  parseJson,
  processIdentity,
  readTextBounded,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { NotRunning, ServerOfOtherHome } from "../errors.ts"

const RECORD_LIMIT_BYTES = 1_000

export const ASK_RUNNING_TIMEOUT_MS = 5_000

const Running = z.object({
  pid: z.int().positive(),
  startedAt: z.string().optional(),
  port: z.int().positive(),
  url: z.string(),
})
export type RunningServer = z.infer<typeof Running>

const fileIn = (stateDirectory: string): string => path.join(stateDirectory, "server.json")

/** Checks that the process is the same one, not only its number. */
export async function findRunning(stateDirectory: string): Promise<RunningServer | undefined> {
  const outcome = await readTextBounded(fileIn(stateDirectory), { maxBytes: RECORD_LIMIT_BYTES })
  if (outcome.kind !== "read") return undefined
  const parsed = Running.safeParse(parseJson(outcome.text))
  if (!parsed.success) return undefined
  const { pid, startedAt } = parsed.data
  // Outside git the record is in the working tree, where an archive could plant one. Without a
  // start time any living process would match, and would receive the token.
  const isIdentified = startedAt !== undefined || processIdentity().startedAt === undefined
  return isIdentified && isSameProcessAlive({ pid, startedAt }) ? parsed.data : undefined
}

/** False if another server has the record. */
export async function recordRunning(
  stateDirectory: string,
  at: Pick<RunningServer, "port" | "url">,
): Promise<boolean> {
  const file = fileIn(stateDirectory)
  const draft = `${file}.${process.pid}`
  // With a store elsewhere, no other code has created this folder.
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

/** Only our own: a server that took over meanwhile keeps its record. */
export async function forgetRunning(stateDirectory: string): Promise<void> {
  const running = await findRunning(stateDirectory)
  if (running?.pid === process.pid) await removeFile(fileIn(stateDirectory))
}

const Link = z.object({ token: z.string() })

export async function askForLink(url: string, bearer: string): Promise<string> {
  try {
    const { token } = Link.parse(await post(`${url}/api/session/link`, bearer))
    return `${url}/#t=${token}`
  } catch (error) {
    throw ServerOfOtherHome.is(error) ? error : NotRunning({ root: url }, error)
  }
}

const UNAUTHORIZED = 401

async function post(url: string, bearer: string): Promise<unknown> {
  const request = url.startsWith("https:") ? requestTls : requestPlain
  const answer = Promise.withResolvers<unknown>()
  const sent = request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}` },
    timeout: ASK_RUNNING_TIMEOUT_MS,
    // The process is identified by its start time; its certificate may be self-signed.
    rejectUnauthorized: false,
  })
  sent.on("response", (response) => {
    if (response.statusCode !== UNAUTHORIZED) return answer.resolve(json(response))
    response.resume()
    answer.reject(ServerOfOtherHome({ url: new URL(url).origin }))
  })
  sent.on("timeout", () => sent.destroy(new Error("no response in time")))
  sent.on("error", answer.reject)
  sent.end()
  return answer.promise
}
