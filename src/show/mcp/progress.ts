import type { ServerContext } from "@modelcontextprotocol/server"
import type { Progress } from "#ground/contract"

/**
 * Tells the client how far the work is, if it asked for that. The protocol wants figures that only
 * rise, and our work has phases that each begin at nothing: so steps are counted over all of them,
 * and the words say where in its phase it is. A phase is told of at most once for each percent.
 */
export function progressTo(
  { mcpReq }: ServerContext,
  onLost: (error: unknown) => void,
): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let steps = 0
  let last = ""
  return ({ what, done, total }) => {
    const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
    const phase = `${what} ${percent}`
    if (phase === last) return
    last = phase
    steps += 1
    const message = total === 0 ? what : `${what}: ${done} of ${total}`
    const params = { progressToken, progress: steps, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(onLost)
  }
}
