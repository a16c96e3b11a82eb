import type { JsonRecord } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { Answer, PermissionQuestion, Verdict } from "../agent.ts"
import { QuestionUnknown } from "../errors.ts"
import {
  DENIED,
  decideApproval,
  decideByMode,
  denialReason,
  emitRuleDecision,
} from "../wire/approval-decision.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { inputText } from "../wire/tool-text.ts"
import { emitContextUsage } from "./parse-stream.ts"
import {
  CancelRequest,
  ControlResponse,
  HookCallback,
  InstructionsCallback,
  PermissionRequest,
} from "./schema.ts"
import { kindOf, titleOf } from "./tools.ts"

type Deps = {
  readonly emitter: EventEmitter
  readonly cwd: string
  readonly verdict: ((ask: PermissionQuestion) => Verdict | undefined) | undefined
  mode(): AgentMode
  write(message: object): void
  onUsage(): void
}

export function createControl(deps: Deps) {
  const { emitter, write } = deps
  const inputs = new Map<string, JsonRecord>()
  let requests = 0
  /** The current directory of the host's shell; relative paths start there. */
  let cwd = deps.cwd

  function send(request: object): void {
    requests += 1
    write({ type: "control_request", request_id: `qm-${requests}`, request })
  }
  const verdictOn = (tool: string, input: unknown): Verdict | undefined =>
    deps.verdict?.({ tool, kind: kindOf(tool), input: inputText(input), cwd })

  function handlePermissionRequest(line: JsonRecord, raw: string): boolean {
    const parsed = PermissionRequest.safeParse(line)
    if (!parsed.success) return false
    const { request_id: approvalId, request } = parsed.data
    const { subtype, tool_name: tool = "", input = {}, tool_use_id: activityId } = request
    if (subtype !== "can_use_tool" || tool === "") {
      // The host waits for a response to every request.
      const error = `unsupported control request: ${subtype}`
      const response = { subtype: "error", request_id: approvalId, error }
      write({ type: "control_response", response })
      return true
    }
    // In mode edits the host allows ordinary edits itself. Those it asks about are outside the
    // working directory or in its own settings, so the user decides.
    const byMode = deps.mode() === "edits" ? "ask" : decideByMode(deps.mode(), kindOf(tool))
    const decided = decideApproval(deps.mode(), verdictOn(tool, input), byMode)
    const title = titleOf(tool, input, emitter.redact)
    const approval = { approvalId, activityId, tool, title, input: inputText(input) }
    const { decision, by } = decided
    if (decision === "ask") {
      inputs.set(approvalId, input)
      emitter.emit({ event: "approval.requested", ...approval }, raw)
      return true
    }
    write(permissionResponse(approvalId, { decision, note: denialReason(decided) }, input))
    if (by !== undefined) emitRuleDecision(emitter, approval, { decision, by, raw })
    return true
  }
  function handleHook(line: JsonRecord, raw: string): boolean {
    const hook = HookCallback.safeParse(line)
    if (!hook.success) return false
    const { request_id: approvalId, request } = hook.data
    const { tool_name: tool, tool_input: input, tool_use_id: activityId } = request.input
    cwd = request.input.cwd ?? cwd
    const verdict = verdictOn(tool, input)
    write(success(approvalId, hookResponse(verdict)))
    if (verdict?.decision !== "deny") return true
    const by = `rule: ${verdict.rule}`
    const title = titleOf(tool, input, emitter.redact)
    const approval = { approvalId, activityId, tool, title, input: inputText(input) }
    emitRuleDecision(emitter, approval, { decision: "deny", by, raw })
    return true
  }
  function handleInstructions(line: JsonRecord): boolean {
    const hook = InstructionsCallback.safeParse(line)
    if (!hook.success) return false
    const { file_path: path, load_reason: reason = "" } = hook.data.request.input
    write(success(hook.data.request_id, {}))
    const words = LATER_REASONS[reason]
    if (words !== undefined) emitter.emit({ event: "context.file", path, reason: words })
    return true
  }
  function handleCancel(line: JsonRecord): boolean {
    const cancel = CancelRequest.safeParse(line)
    if (!cancel.success) return false
    const approvalId = cancel.data.request_id
    inputs.delete(approvalId)
    emitter.emit({ event: "approval.resolved", approvalId, decision: "expired", by: "agent" })
    return true
  }
  function handleResponse(line: JsonRecord, raw: string): boolean {
    const parsed = ControlResponse.safeParse(line)
    if (!parsed.success) return false
    const { error, response } = parsed.data.response
    if (error !== undefined) emitter.emit({ event: "error", message: error }, raw)
    const isUsage = emitContextUsage(emitter, response)
    if (isUsage || error !== undefined) deps.onUsage()
    return true
  }
  return {
    /**
     * The host asks only for tools that its mode does not allow. A hook before each tool,
     * registered before the first prompt, applies rules to every tool. Another one reports
     * instruction files that enter the window later.
     */
    registerHooks(): void {
      const hooks = {
        InstructionsLoaded: [{ matcher: null, hookCallbackIds: ["instructions"] }],
        ...(deps.verdict === undefined
          ? {}
          : { PreToolUse: [{ matcher: null, hookCallbackIds: ["rules"] }] }),
      }
      const request = { subtype: "initialize", hooks }
      write({ type: "control_request", request_id: "qm-rules", request })
    },
    handle(line: JsonRecord, raw: string): boolean {
      switch (line["type"]) {
        case "control_request":
          return (
            handleHook(line, raw) || handleInstructions(line) || handlePermissionRequest(line, raw)
          )
        case "control_cancel_request":
          return handleCancel(line)
        case "control_response":
          return handleResponse(line, raw)
        default:
          return false
      }
    },
    answer(approvalId: string, answer: Answer): void {
      const input = inputs.get(approvalId)
      if (input === undefined || !emitter.isApprovalOpen(approvalId)) {
        throw QuestionUnknown({ approvalId })
      }
      inputs.delete(approvalId)
      write(permissionResponse(approvalId, answer, input))
      const { decision, by = "answer" } = answer
      emitter.emit({ event: "approval.resolved", approvalId, decision, by })
    },
    requestContextUsage: () => send({ subtype: "get_context_usage" }),
    setMode: (mode: AgentMode) =>
      send({ subtype: "set_permission_mode", mode: permissionMode(mode) }),
    interrupt: () => send({ subtype: "interrupt" }),
  }
}

/** Files of the start are in the context message already. */
const LATER_REASONS: Readonly<Record<string, string>> = {
  nested_traversal: "loaded with a nearby file",
  path_glob_match: "loaded for a matching file",
  include: "imported by a nearby file",
}

function success(requestId: string, response: object): object {
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  }
}

function permissionResponse(requestId: string, answer: Answer, input: JsonRecord): object {
  return success(
    requestId,
    answer.decision === "allow"
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: answer.note ?? DENIED },
  )
}

/** Empty when a rule allows, so that the host's own deny rules still apply. */
function hookResponse(verdict: Verdict | undefined): object {
  if (verdict === undefined || verdict.decision === "allow") return {}
  const by = `rule: ${verdict.rule}`
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: verdict.decision,
      permissionDecisionReason:
        verdict.decision === "deny" ? denialReason({ decision: "deny", by }) : by,
    },
  }
}

/**
 * The host's own switch. Its bypassPermissions is refused for root and cannot be set on a session
 * that was not started with it (seen on 2.1.325). With `auto` we allow each request ourselves, so
 * the host's deny rules and policies still apply.
 */
export function permissionMode(mode: AgentMode): "plan" | "default" | "acceptEdits" {
  switch (mode) {
    case "plan":
      return "plan"
    case "ask":
      return "default"
    case "edits":
    case "auto":
      return "acceptEdits"
    default:
      return mode satisfies never
  }
}
