import type { WireName } from "#ground/contract"
import type { Conversations, Latches } from "./conversations.ts"
import type { Asked } from "./proxy/proxy.ts"
import { agentIn } from "./speaker.ts"

export type NoticeDeps = {
  readonly wire: WireName
  readonly conversations: Conversations
  readonly latches: Latches
  /** This session is folded no more: since now, or since an earlier process. Once for each. */
  latchOff(latched: LatchedOff): void
  /** Something that a person should know, in words. */
  tell(text: string): void
}

export type LatchedOff = {
  readonly session: string
  readonly reason: string
  /** Those that were folded until now. */
  readonly branchIds: readonly string[]
}

/** As hosts name our tool in a request that offers it. */
const BRANCH_TOOLS = { anthropic: '__branch"', openai: '"branch"', gemini: "" } as const

/** Why nothing will be folded is said once a session; whoever asked for folding would wait for it. */
export function createNotices({ wire, conversations, latches, latchOff, tell }: NoticeDeps) {
  const told = new Set<string>()
  const asked = new Map<string, number>()
  return {
    latched: (session: string) => void told.add(session),
    began({ headers, body }: Asked, session: string): void {
      if (told.has(session) || agentIn(headers) !== "") return
      const reason = latches.get(session)
      const doubt = conversations.seen(session, "")?.doubt ?? null
      const times = (asked.get(session) ?? 0) + 1
      asked.set(session, times)
      // At the first request a server of tools may not be there yet.
      const isWithoutTool = times >= 2 && !body.includes(BRANCH_TOOLS[wire])
      if (reason === undefined && doubt === null && !isWithoutTool) return
      told.add(session)
      if (reason !== undefined) latchOff({ session, reason, branchIds: [] })
      else if (doubt !== null) tell(`Nothing is folded in this session: ${doubt}.`)
      else tell(WITHOUT_TOOL)
    },
  }
}

const WITHOUT_TOOL =
  "Nothing can be folded in this session: the host has no tool `branch`. " +
  "Give it ours: `claude mcp add qm -- qm mcp`, or the same for another host."
