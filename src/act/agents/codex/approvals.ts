import type { AgentMode } from "#ground/contract"
import type { Answer, Ask, Verdict } from "../agent.ts"
import { QuestionUnknown } from "../wire/errors.ts"
import { checkOrdinaryFile } from "../wire/inside.ts"
import { type Decided, decide, ownAnswer, tellByRule } from "../wire/own-answer.ts"
import type { Telling } from "../wire/telling.ts"
import type { About } from "./hear.ts"
import { type Question, questionOf } from "./questions.ts"
import type { RpcClient } from "./rpc.ts"
import type { RpcId } from "./shapes.ts"

type Deps = {
  readonly telling: Telling
  readonly rpc: RpcClient
  readonly cwd: string
  readonly about: ReadonlyMap<string, About>
  readonly verdict: ((ask: Ask) => Verdict | undefined) | undefined
  mode(): AgentMode
}

/** The host's questions to us: approvals, and what we do not know and therefore refuse. */
export function createApprovals(deps: Deps) {
  const { telling, rpc } = deps
  const waiting = new Map<string, Question>()

  return {
    hear(
      it: { readonly id: RpcId; readonly method: string; readonly params: unknown },
      raw: string,
    ) {
      const question = questionOf(it, { about: deps.about, redact: telling.redact })
      if (question === undefined) {
        rpc.refuse(it.id, `${it.method} is not answered here`)
        return telling.unknown(it.method, raw)
      }
      void decideOn(deps, question).then(({ decision, by }) => {
        const words = wordsOf(question)
        if (decision !== "ask") rpc.respond(it.id, question.response(decision))
        // Nobody waits for an answer when the turn ended while we looked.
        if (!telling.isTurning()) return
        if (decision === "ask") {
          waiting.set(words.approvalId, question)
          telling.say({ event: "approval.requested", ...words }, raw)
        } else if (by !== undefined) tellByRule(telling, words, { decision, by, raw })
      })
    },
    answer(approvalId: string, answer: Answer): void {
      const question = waiting.get(approvalId)
      const isWaiting = question !== undefined && telling.isWaiting(approvalId)
      if (!isWaiting) throw QuestionUnknown({ approvalId })
      waiting.delete(approvalId)
      rpc.respond(question.id, question.response(answer.decision))
      const { decision, by = "answer" } = answer
      telling.say({ event: "approval.resolved", approvalId, decision, by })
    },
    /** The host does not wait for it any more. */
    resolved(id: RpcId): void {
      for (const [approvalId, question] of waiting) {
        if (question.id !== id) continue
        waiting.delete(approvalId)
        telling.say({ event: "approval.resolved", approvalId, decision: "expired", by: "agent" })
      }
    },
  }
}

function wordsOf({ id, turnId, activityId, tool, title, input }: Question) {
  return { approvalId: `${turnId}:${id}`, activityId, tool, title, input }
}

/** What the rules and the mode answer. */
async function decideOn(deps: Deps, question: Question): Promise<Decided> {
  const { tool, kind, input, cwd = deps.cwd, wantsMore } = question
  const verdict = deps.verdict?.({ tool, kind, input, cwd })
  // A rule is about a command or a file, not about what is wanted besides.
  const isTooMuch = verdict?.decision === "allow" && wantsMore
  const own = await ownAnswerTo(deps, question)
  return decide(deps.mode(), isTooMuch ? undefined : verdict, own)
}

/** What the mode answers; a patch is an ordinary edit only when all of its files are. */
async function ownAnswerTo(
  deps: Deps,
  { kind, paths, wantsMore }: Question,
): Promise<"allow" | "deny" | "ask"> {
  const own = ownAnswer(deps.mode(), kind)
  const isEditsOwn = own === "allow" && deps.mode() === "edits"
  if (!isEditsOwn) return own
  const looked = await Promise.all(paths.map((it) => checkOrdinaryFile(deps.cwd, it)))
  const isOrdinary = paths.length > 0 && !wantsMore && looked.every(Boolean)
  return isOrdinary ? "allow" : "ask"
}
