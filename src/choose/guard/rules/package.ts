import { createPrompts } from "../agent-prompts.ts"
import type { HookEvent, HookWorld, Rule, Verdict } from "../event.ts"
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

const SILENT: Verdict = { kind: "silent" }

async function keepPrompt(
  event: Extract<HookEvent, { kind: "before-agent" }>,
  context: HookWorld,
): Promise<void> {
  const { session, agentType } = event
  const prompt = cutPrompt(event.prompt)
  if (prompt.trim() === "") return
  // In parallel: the sub-agent starts when this hook ends, and the daemon can use the time.
  const [, isHeard] = await Promise.all([
    createPrompts(context).put({ session, agentType }, prompt),
    indexDaemonClient(context, context.signal).announce({ session, agentType, prompt }),
  ])
  // Too late for this sub-agent; the next one gets a package.
  if (!isHeard) context.afterwards({ kind: "index-daemon" })
}

async function packageFor(
  { session, agentType }: Extract<HookEvent, { kind: "agent-start" }>,
  context: HookWorld,
): Promise<Verdict> {
  const prompt = await createPrompts(context).take({ session, agentType })
  if (prompt === undefined) return SILENT
  const text = await indexDaemonClient(context, context.signal).packageFor({
    session,
    agentType,
    prompt,
  })
  return text === undefined ? SILENT : { kind: "context", text }
}
