import { z } from "zod"
import { NotRunning } from "./errors.ts"
import { ASK_RUNNING_TIMEOUT_MS } from "./limits.ts"

const Link = z.object({ token: z.string() })

/** Ask a running server of this user for a link. */
export async function askForLink(port: number, bearer: string): Promise<string> {
  const url = `http://127.0.0.1:${port}`
  try {
    const answer = await fetch(`${url}/api/session/link`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}` },
      signal: AbortSignal.timeout(ASK_RUNNING_TIMEOUT_MS),
    })
    const { token } = Link.parse(await answer.json())
    return `${url}/#t=${token}`
  } catch (error) {
    throw NotRunning({ root: url }, error)
  }
}
