import type { Clock } from "#ground/base"
import type { AgentEvent, AgentMode } from "#ground/contract"
import type { Answer, Ask, Verdict } from "../agent.ts"
import { QuestionUnknown } from "../wire/errors.ts"
import { decide, ownAnswer, tellByRule, whyDenied } from "../wire/own-answer.ts"
import type { Telling } from "../wire/telling.ts"
import type { Step } from "./script.ts"

/** What a script may call a change of a file. */
const EDITS: ReadonlySet<string> = new Set(["Edit", "Write"])

type Approval = Extract<AgentEvent, { event: "approval.requested" }>

type Deps = {
  readonly telling: Telling
  readonly clock: Clock
  readonly cwd: string
  readonly verdict: ((ask: Ask) => Verdict | undefined) | undefined
  mode(): AgentMode
}

export type Player = ReturnType<typeof createPlayer>

/** Plays the steps of one turn after another; questions wait for their answer. */
export function createPlayer(deps: Deps) {
  const { telling, clock } = deps
  const waiting = new Map<string, (answer: Answer) => void>()

  async function ask(approval: Approval, signal: AbortSignal): Promise<Answer> {
    const own = answerWithoutPerson(deps, approval)
    if (own !== undefined) return own
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    waiting.set(approval.approvalId, resolve)
    signal.addEventListener("abort", () => reject(new Error("the turn was ended")), { once: true })
    telling.say(approval)
    const answer = await promise.finally(() => waiting.delete(approval.approvalId))
    const { approvalId } = approval
    const { decision, by = "answer" } = answer
    telling.say({ event: "approval.resolved", approvalId, decision, by })
    return answer
  }

  return {
    /** Rejects when the signal ends the turn before its script. */
    async play(steps: readonly Step[], signal: AbortSignal): Promise<void> {
      const denied = new Set<string>()
      for (const { afterMs, event } of steps) {
        if (afterMs > 0) await clock.sleep(afterMs, signal)
        await telling.room()
        signal.throwIfAborted()
        const isSkipped = isOfDenied(event, denied)
        if (isSkipped) continue
        if (event.event === "approval.requested") {
          const { decision, note } = await ask(event, signal)
          if (decision === "deny") deny(telling, denied, { event, note })
        } else if (event.event === "activity.updated") {
          // In whole lines, as the other agents do: half a key is not known for one.
          telling.output(event.activityId, event.output)
          if (event.title !== undefined) telling.say({ ...event, output: "" })
        } else telling.say(event)
      }
    },
    answer(approvalId: string, answer: Answer): void {
      const resolve = waiting.get(approvalId)
      if (resolve === undefined) throw QuestionUnknown({ approvalId })
      // At once, so that a second answer finds nobody waiting.
      waiting.delete(approvalId)
      resolve(answer)
    },
  }
}

/** What the rules or the mode answer; undefined when a person must. */
function answerWithoutPerson(deps: Deps, approval: Approval): Answer | undefined {
  const { telling, cwd } = deps
  const { tool, input } = approval
  const kind = EDITS.has(tool) ? "edit" : "command"
  const verdict = deps.verdict?.({ tool, kind, input, cwd })
  const own = decide(deps.mode(), verdict, ownAnswer(deps.mode(), kind))
  const { decision, by } = own
  if (decision === "ask") return undefined
  if (by === undefined) return { decision }
  tellByRule(telling, approval, { decision, by })
  return { decision, note: whyDenied(own) }
}

/** What the script says about an activity that was denied did not happen. */
function isOfDenied(event: AgentEvent, denied: ReadonlySet<string>): boolean {
  const isOf = "activityId" in event && event.activityId !== undefined
  const isBelow = "parentId" in event && event.parentId !== undefined
  return (
    (isOf && denied.has(event.activityId ?? "")) || (isBelow && denied.has(event.parentId ?? ""))
  )
}

function deny(
  telling: Telling,
  denied: Set<string>,
  it: { readonly event: Approval; readonly note: string | undefined },
): void {
  const { activityId } = it.event
  if (activityId === undefined) return
  denied.add(activityId)
  const output = it.note ?? ""
  telling.say({ event: "activity.ended", activityId, outcome: "denied", output })
}
