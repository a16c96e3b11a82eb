import type { Agents } from "#act/agents"
import type { Clock } from "#ground/base"
import { AgentType, type Config, type Run } from "#ground/contract"

/** What a stage wants of an agent, and what came of it. */
type Wanted = {
  readonly type: string | undefined
  readonly prompt: string
  readonly mode: Run["mode"]
  readonly paths: readonly string[]
  readonly title: string
  readonly budgetUsd: number | undefined
  readonly script: string | undefined
  readonly signal: AbortSignal
}
type Ended = {
  readonly runId: string
  readonly outcome: "completed" | "failed" | "stopped"
  readonly text: string
  readonly usd: number | null
  readonly tokens: number
}

type Deps = {
  agents(): Promise<Agents>
  config(): Pick<Config, "pipeline">
  readonly clock: Clock
}

/** Enough to find the last answer, which follows the last tool closely. */
const LAST_MESSAGES = 200
const LOOK_EVERY_MS = 2_000

/** An agent from its start to its end, in this process; its run is like any other. */
export async function runStageAgent(wanted: Wanted, deps: Deps): Promise<Ended> {
  const agents = await deps.agents()
  const type = AgentType.parse(wanted.type ?? deps.config().pipeline.agent)
  const started = await agents.start(
    {
      type,
      prompt: wanted.prompt,
      configuration: {
        mode: wanted.mode,
        ...(wanted.paths.length === 0 ? {} : { changes: [...wanted.paths] }),
        ...(wanted.budgetUsd === undefined ? {} : { budgetUsd: wanted.budgetUsd }),
        ...(type === "synthetic" && wanted.script !== undefined ? { script: wanted.script } : {}),
      },
    },
    { isHere: true },
  )
  await agents.edit(started.id, { title: wanted.title, isTitleOwn: true })
  const run = await untilEnded(started.id, wanted.signal, { agents, clock: deps.clock })
  return {
    runId: run.id,
    outcome: outcomeOf(run),
    text: await lastWords(run, agents),
    // What plays a script asks no model.
    usd: type === "synthetic" ? 0 : (run.cost.reportedUsd ?? run.cost.computedUsd),
    tokens: run.cost.usage.input + run.cost.usage.output,
  }
}

/** Told by each message of it; a stop of the stage stops the agent and waits for its end. */
async function untilEnded(
  id: string,
  signal: AbortSignal,
  { agents, clock }: { readonly agents: Agents; readonly clock: Clock },
): Promise<Run> {
  const stop = (): void => void agents.stop(id).catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  if (signal.aborted) stop()
  let next = Promise.withResolvers<void>()
  const unhear = agents.onMessages((runId) => {
    if (runId === id) next.resolve()
  })
  try {
    for (;;) {
      const waiting = next
      const run = await agents.get(id)
      if (run.endedAt !== null) return run
      // Looked at now and then, too: another process may have stopped it.
      const slept = new AbortController()
      await Promise.race([
        waiting.promise,
        clock.sleep(LOOK_EVERY_MS, slept.signal).catch(() => {}),
      ])
      slept.abort()
      next = Promise.withResolvers<void>()
    }
  } finally {
    unhear()
    signal.removeEventListener("abort", stop)
  }
}

function outcomeOf({ status }: Run): Ended["outcome"] {
  if (status === "completed") return "completed"
  return status === "stopped" || status === "interrupted" ? "stopped" : "failed"
}

async function lastWords(run: Run, agents: Agents): Promise<string> {
  const after = Math.max(0, run.lastSeq - LAST_MESSAGES)
  const messages = await agents.messages(run.id, { after, limit: LAST_MESSAGES, brief: false })
  const said = messages.filter((it) => it.type === "response" || it.type === "assistant")
  return said.at(-1)?.content ?? run.error ?? ""
}
