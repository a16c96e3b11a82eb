import type { Ask, Verdict } from "../agent.ts"
import { decide, tellByRule, whyDenied } from "../wire/own-answer.ts"
import type { Telling } from "../wire/telling.ts"
import { inputText } from "../wire/text.ts"
import { Hooked } from "./shapes.ts"
import { kindOf, titleOf } from "./tools.ts"

export type RulesDeps = {
  readonly telling: Telling
  readonly cwd: string
  readonly verdict: ((ask: Ask) => Verdict | undefined) | undefined
  write(message: object): void
}

export type Rules = ReturnType<typeof createRules>

/**
 * The host asks us only for what its mode does not let through. So that a rule also holds for the
 * rest, we register for its hook before every tool; the hook denies, or has the host ask.
 */
export function createRules(deps: RulesDeps) {
  const state = { cwd: deps.cwd }

  const verdictOn = (tool: string, input: unknown): Verdict | undefined =>
    deps.verdict?.({ tool, kind: kindOf(tool), input: inputText(input), cwd: state.cwd })

  return {
    /** What is sent before the first prompt. */
    register(): void {
      if (deps.verdict === undefined) return
      const hooks = { PreToolUse: [{ matcher: null, hookCallbackIds: ["rules"] }] }
      const request = { subtype: "initialize", hooks }
      deps.write({ type: "control_request", request_id: "qm-rules", request })
    },
    verdictOn,
    /** True when the line was the hook before a tool. */
    hear(line: unknown, raw: string): boolean {
      const hooked = Hooked.safeParse(line)
      if (!hooked.success) return false
      const { request_id: approvalId, request } = hooked.data
      const { tool_name: tool, tool_input: input, tool_use_id: activityId, cwd } = request.input
      // Where its shell stands now: relative names are meant from there.
      state.cwd = cwd ?? state.cwd
      const verdict = verdictOn(tool, input)
      deps.write(hookAnswer(approvalId, verdict))
      if (verdict?.decision !== "deny") return true
      const by = `rule: ${verdict.rule}`
      const title = titleOf(tool, input, deps.telling.redact)
      const asked = { approvalId, activityId, tool, title }
      const told = { ...asked, input: inputText(input) }
      tellByRule(deps.telling, told, { decision: "deny", by, raw })
      return true
    },
  }
}

/** Nothing for what a rule allows: the host's own denying rules are to hold as well. */
function hookAnswer(requestId: string, verdict: Verdict | undefined): object {
  const isAnswered = verdict !== undefined && verdict.decision !== "allow"
  const response = isAnswered ? { hookSpecificOutput: decisionOf(verdict) } : {}
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  }
}

function decisionOf(verdict: Verdict): object {
  const isDenied = verdict.decision === "deny"
  const reason = isDenied ? whyDenied(decide("ask", verdict, "ask")) : `rule: ${verdict.rule}`
  return {
    hookEventName: "PreToolUse",
    permissionDecision: verdict.decision,
    permissionDecisionReason: reason,
  }
}
