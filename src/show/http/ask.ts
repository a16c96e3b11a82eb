import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { NotRunning } from "./errors.ts"
import { ASK_RUNNING_TIMEOUT_MS } from "./limits.ts"

const Link = z.object({ token: z.string() })

/** Ask a running server of this user for a link. */
export async function askForLink(url: string, bearer: string): Promise<string> {
  try {
    const { token } = Link.parse(await post(`${url}/api/session/link`, bearer))
    return `${url}/#t=${token}`
  } catch (error) {
    throw NotRunning({ root: url }, error)
  }
}

async function post(url: string, bearer: string): Promise<unknown> {
  const request = url.startsWith("https:") ? requestTls : requestPlain
  const answer = Promise.withResolvers<unknown>()
  const sent = request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}` },
    timeout: ASK_RUNNING_TIMEOUT_MS,
    // The process behind the record is known by its start time; its certificate may be its own.
    rejectUnauthorized: false,
  })
  sent.on("response", (response) => answer.resolve(json(response)))
  sent.on("timeout", () => sent.destroy(new Error("no answer in time")))
  sent.on("error", answer.reject)
  sent.end()
  return answer.promise
}
