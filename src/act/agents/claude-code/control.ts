import type { AgentMode } from "#ground/contract"
import type { Answer } from "../agent.ts"
import { QuestionUnknown } from "../wire/errors.ts"
import { DENIED, decide, ownAnswer, tellByRule, whyDenied } from "../wire/own-answer.ts"
import type { Telling } from "../wire/telling.ts"
import { inputText } from "../wire/text.ts"
import { tellContextUsage } from "./counts.ts"
import { permissionMode } from "./modes.ts"
import type { Rules } from "./rules.ts"
import { Question, Reply, Withdrawn } from "./shapes.ts"
import { kindOf, titleOf } from "./tools.ts"

type Line = Readonly<Record<string, unknown>>
type Asked = { readonly input: Readonly<Record<string, unknown>> }

type Deps = {
  readonly telling: Telling
  readonly rules: Rules
  mode(): AgentMode
  write(message: object): void
  /** The host has told what is in its window, or that it cannot. */
  onUsage(): void
}

export type Control = ReturnType<typeof createControl>

/** The second conversation on the same pipes: permissions, modes, interrupts, counts. */
export function createControl(deps: Deps) {
  const { telling, write } = deps
  const asked = new Map<string, Asked>()
  let asks = 0

  function ask(request: object): string {
    asks += 1
    const requestId = `qm-${asks}`
    write({ type: "control_request", request_id: requestId, request })
    return requestId
  }

  return {
    /** True when the line was a control message. */
    hear(line: Line, raw: string): boolean {
      switch (line["type"]) {
        case "control_request":
          return deps.rules.hear(line, raw) || hearQuestion(deps, asked, { line, raw })
        case "control_cancel_request":
          return hearWithdrawn(telling, asked, line)
        case "control_response":
          return hearReply(deps, line, raw)
        default:
          return false
      }
    },
    answer(approvalId: string, answer: Answer): void {
      const question = asked.get(approvalId)
      const isWaiting = question !== undefined && telling.isWaiting(approvalId)
      if (!isWaiting) throw QuestionUnknown({ approvalId })
      asked.delete(approvalId)
      write(decided(approvalId, answer, question))
      const { decision, by = "answer" } = answer
      telling.say({ event: "approval.resolved", approvalId, decision, by })
    },
    askContextUsage: () => ask({ subtype: "get_context_usage" }),
    setMode: (mode: AgentMode) =>
      ask({ subtype: "set_permission_mode", mode: permissionMode(mode) }),
    interrupt: () => ask({ subtype: "interrupt" }),
  }
}

function hearQuestion(
  deps: Deps,
  asked: Map<string, Asked>,
  it: { readonly line: Line; readonly raw: string },
): boolean {
  const question = Question.safeParse(it.line)
  if (!question.success) return false
  const { request_id: approvalId, request } = question.data
  const tool = request.tool_name ?? ""
  if (request.subtype !== "can_use_tool" || tool === "") {
    deps.write(refused(approvalId, `${request.subtype} is not known here`))
    return true
  }
  const input = request.input ?? {}
  const verdict = deps.rules.verdictOn(tool, input)
  const own = decide(deps.mode(), verdict, ownAnswerTo(deps.mode(), tool))
  const { tool_use_id: activityId } = request
  const title = titleOf(tool, input, deps.telling.redact)
  const words = { approvalId, activityId, tool, title, input: inputText(input) }
  const { decision, by } = own
  if (decision === "ask") {
    asked.set(approvalId, { input })
    deps.telling.say({ event: "approval.requested", ...words }, it.raw)
    return true
  }
  deps.write(decided(approvalId, { decision, note: whyDenied(own) }, { input }))
  if (by !== undefined) tellByRule(deps.telling, words, { decision, by, raw: it.raw })
  return true
}

/**
 * In mode edits the host lets ordinary edits through by itself. Those it still asks about lie
 * outside the working directory or are its own settings: they are a person's to decide.
 */
function ownAnswerTo(mode: AgentMode, tool: string): "allow" | "deny" | "ask" {
  return mode === "edits" ? "ask" : ownAnswer(mode, kindOf(tool))
}

function decided(requestId: string, answer: Answer, asked: Asked): object {
  const response =
    answer.decision === "allow"
      ? { behavior: "allow", updatedInput: asked.input }
      : { behavior: "deny", message: answer.note ?? DENIED }
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  }
}

/** The host waits for an answer to whatever it asks, so it gets one. */
function refused(requestId: string, error: string): object {
  return { type: "control_response", response: { subtype: "error", request_id: requestId, error } }
}

function hearWithdrawn(telling: Telling, asked: Map<string, Asked>, line: Line): boolean {
  const withdrawn = Withdrawn.safeParse(line)
  if (!withdrawn.success) return false
  const approvalId = withdrawn.data.request_id
  asked.delete(approvalId)
  telling.say({ event: "approval.resolved", approvalId, decision: "expired", by: "agent" })
  return true
}

function hearReply({ telling, onUsage }: Deps, line: Line, raw: string): boolean {
  const reply = Reply.safeParse(line)
  if (!reply.success) return false
  const { error, response } = reply.data.response
  if (error !== undefined) telling.say({ event: "error", message: error }, raw)
  const isUsage = tellContextUsage(telling, response)
  if (isUsage || error !== undefined) onUsage()
  return true
}
