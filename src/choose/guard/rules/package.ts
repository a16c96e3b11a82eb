import { createPrompts } from "../agent-prompts.ts"
import type { HookContext, HookEvent, Rule, Verdict } from "../event.ts"
import { cutPrompt, indexDaemonClient } from "../index-daemon.ts"

/**
 * Hosts send the prompt before they start a sub-agent, not when it starts. The prompt is stored
 * between the two events, and the index daemon selects a package for it.
 */
export const packageRule: Rule = {
  name: "package",
  level: 4,
  kinds: ["before-agent", "agent-start"],
  async judge(event, context) {
    if (event.kind === "before-agent") await keepPrompt(event, context)
    return event.kind === "agent-start" ? packageFor(event, context) : SILENT
  },
}

/** `qm doctor` counts these. */
export const LATE = "Package late"

const SILENT: Verdict = { kind: "silent" }

async function keepPrompt(
  event: Extract<HookEvent, { kind: "before-agent" }>,
  context: HookContext,
): Promise<void> {
  const { session, agentType } = event
  const prompt = cutPrompt(event.prompt)
  if (prompt.trim() === "") return
  // In parallel: the sub-agent starts when this hook ends, and the daemon can use the time.
  const [, isHeard] = await Promise.all([
    createPrompts(context).put({ session, agentType }, prompt),
    indexDaemonClient(context, context.signal).announce({ session, agentType, prompt }),
  ])
  // The start of the sub-agent waits for it.
  if (!isHeard) context.afterwards({ kind: "index-daemon" })
}

async function packageFor(
  { session, agentType }: Extract<HookEvent, { kind: "agent-start" }>,
  context: HookContext,
): Promise<Verdict> {
  const prompt = await createPrompts(context).take({ session, agentType })
  return prompt === undefined ? SILENT : ask({ session, agentType, prompt }, context)
}

/** A package for the main task, which costs its tokens at each prompt; hence its own level. */
export const promptRule: Rule = {
  name: "prompt",
  level: 5,
  kinds: ["prompt"],
  async judge(event, context) {
    if (event.kind !== "prompt" || !isTask(event.prompt)) return SILENT
    const prompt = cutPrompt(event.prompt)
    return ask({ session: event.session, agentType: "", prompt }, context)
  },
}

const FEWEST_TASK_WORDS = 4

/** Not a command of the host, and not an answer such as "yes, go on". */
function isTask(prompt: string): boolean {
  const text = prompt.trim()
  return !/^[/!#]/.test(text) && text.split(/\s+/).length >= FEWEST_TASK_WORDS
}

async function ask(
  question: { readonly session: string; readonly agentType: string; readonly prompt: string },
  context: HookContext,
): Promise<Verdict> {
  const answer = await indexDaemonClient(context, context.signal).packageFor(question)
  switch (answer.kind) {
    case "package":
      return { kind: "context", text: answer.text }
    case "none":
      return { kind: "silent", note: "No package: no file fits, or the first scan is running." }
    case "late":
      // It ends after idle minutes, and a second one ends at once.
      context.afterwards({ kind: "index-daemon" })
      return {
        kind: "silent",
        note: `${LATE}: the index daemon did not answer within ${answer.afterMs} ms.`,
      }
    default:
      return answer satisfies never
  }
}
