import type { AgentMode } from "#ground/contract"
import type { Answer } from "../agent.ts"
import { QuestionUnknown } from "../wire/errors.ts"
import { isOrdinaryFile } from "../wire/inside.ts"
import { ownAnswer } from "../wire/own-answer.ts"
import type { Telling } from "../wire/telling.ts"
import { inputText, oneLine } from "../wire/text.ts"
import type { About } from "./hear.ts"
import type { RpcClient } from "./rpc.ts"
import { ApprovalOf, type RpcId } from "./shapes.ts"

const KINDS = {
  "item/commandExecution/requestApproval": { kind: "command", tool: "exec_command" },
  "item/fileChange/requestApproval": { kind: "edit", tool: "apply_patch" },
  "item/permissions/requestApproval": { kind: "other", tool: "request_permissions" },
} as const

type Method = keyof typeof KINDS
type Asked = { readonly id: RpcId; readonly method: Method; readonly asked: ApprovalOf }

type Deps = {
  readonly telling: Telling
  readonly rpc: RpcClient
  readonly cwd: string
  readonly about: ReadonlyMap<string, About>
  mode(): AgentMode
}

/** The host's questions to us: approvals, and what we do not know and therefore refuse. */
export function createApprovals(deps: Deps) {
  const { telling, rpc } = deps
  const waiting = new Map<string, Asked>()

  return {
    hear(
      it: { readonly id: RpcId; readonly method: string; readonly params: unknown },
      raw: string,
    ) {
      const asked = ApprovalOf.safeParse(it.params)
      if (!isApproval(it.method) || !asked.success) {
        rpc.refuse(it.id, `${it.method} is not answered here`)
        return telling.unknown(it.method, raw)
      }
      const question = { id: it.id, method: it.method, asked: asked.data }
      void ownAnswerTo(deps, question).then((own) => {
        if (own !== "ask") return rpc.respond(it.id, responseTo(question, own))
        // Nobody waits for an answer when the turn ended while we looked.
        if (!telling.isTurning()) return
        const approvalId = `${asked.data.turnId}:${it.id}`
        waiting.set(approvalId, question)
        telling.say({ event: "approval.requested", approvalId, ...wordsOf(deps, question) }, raw)
      })
    },
    answer(approvalId: string, answer: Answer): void {
      const question = waiting.get(approvalId)
      const isWaiting = question !== undefined && telling.isWaiting(approvalId)
      if (!isWaiting) throw QuestionUnknown({ approvalId })
      waiting.delete(approvalId)
      rpc.respond(question.id, responseTo(question, answer.decision))
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

/** What the mode answers; a patch is an ordinary edit only when all of its files are. */
async function ownAnswerTo(deps: Deps, question: Asked): Promise<"allow" | "deny" | "ask"> {
  const own = ownAnswer(deps.mode(), KINDS[question.method].kind)
  const isEditsOwn = own === "allow" && deps.mode() === "edits"
  if (!isEditsOwn) return own
  const paths = deps.about.get(question.asked.itemId)?.paths ?? []
  const wantsMore = typeof question.asked.grantRoot === "string"
  const looked = await Promise.all(paths.map((it) => isOrdinaryFile(deps.cwd, it)))
  const isOrdinary = paths.length > 0 && !wantsMore && looked.every(Boolean)
  return isOrdinary ? "allow" : "ask"
}

function wordsOf(deps: Deps, { method, asked }: Asked) {
  const { tool } = KINDS[method]
  const { itemId: activityId, command, reason } = asked
  const known = deps.about.get(activityId)
  const title = known?.title ?? oneLine(command ?? reason ?? tool)
  const input = known?.input ?? command ?? inputText(asked)
  return { activityId, tool, title, input }
}

function isApproval(method: string): method is Method {
  return method in KINDS
}

function responseTo(question: Asked, decision: "allow" | "deny"): object {
  if (question.method !== "item/permissions/requestApproval") {
    return { decision: decision === "allow" ? "accept" : "decline" }
  }
  const permissions = decision === "allow" ? (question.asked.permissions ?? {}) : {}
  return { permissions, scope: "turn" }
}
