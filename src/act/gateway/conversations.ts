import type { WireState } from "./fold/fold-body.ts"
import { LEAST_FOLDED_BYTES, MOST_SESSIONS } from "./limits.ts"
import { type StandAnswer, type StandQuestion, UNKNOWN } from "./stand.ts"

/** Sessions that are folded no more, and why; for all carries of a process. */
export type Latches = Map<string, string>

export type Conversations = ReturnType<typeof createConversations>

/**
 * What the newest request of each conversation showed: sessions by id, and in each the main
 * conversation and its sub-agents, which have message lists of their own.
 */
export function createConversations(latched: Latches) {
  const sessions = new Map<string, Map<string, WireState>>()
  return {
    saw(session: string, agent: string, seen: WireState): void {
      const conversations = sessions.get(session) ?? new Map<string, WireState>()
      // The newest last, of conversations and of sessions.
      conversations.delete(agent)
      conversations.set(agent, seen)
      sessions.delete(session)
      sessions.set(session, conversations)
      const [oldest] = sessions.keys()
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    },
    seen: (session: string, agent: string): WireState | undefined =>
      sessions.get(session)?.get(agent),
    stand({ session, branchId }: StandQuestion): StandAnswer {
      const conversations = sessions.get(session)
      if (conversations === undefined) return UNKNOWN
      const reason = latched.get(session)
      if (reason !== undefined) return no(`folding was switched off: ${reason}`)
      const all = [...conversations.values()]
      return branchId === undefined ? standOfAll(all) : standOfBranch(all, branchId)
    },
  }
}

function no(why: string) {
  return { kind: "no", why } as const
}

const CARRIED = { kind: "carried" } as const

/** Which of its conversations will open a branch is not known: all must be foldable. */
function standOfAll(all: readonly WireState[]) {
  const doubt = all.find((it) => it.doubt !== null)?.doubt
  return doubt === undefined || doubt === null ? CARRIED : no(doubt)
}

/**
 * A return is called by who was answered last. When that is another conversation, a sub-agent ends
 * a branch of its parent: no wire has both ends of it.
 */
function standOfBranch(all: readonly WireState[], branchId: string): StandAnswer {
  const at = all.findIndex((it) => it.branches.some((one) => one.branchId === branchId))
  const found = all[at]
  if (found === undefined) return no("its opening is no longer in the conversation")
  if (found.doubt !== null) return no(found.doubt)
  if (at !== all.length - 1) return no("another conversation of this session spoke last")
  const onWire = found.branches.find((it) => it.branchId === branchId)
  const isEnough = (onWire?.bytesAfter ?? 0) >= LEAST_FOLDED_BYTES
  return isEnough ? CARRIED : no("there is too little to fold")
}
