import type { Log } from "#ground/base"
import type { ActiveRuns } from "./active-runs.ts"
import type { SessionPump } from "./session-pump.ts"
import type { RunCommand } from "./stores/queue-store.ts"
import type { Stores } from "./stores/stores.ts"

type Deps = {
  readonly log: Log
  redact(text: string): string
  readonly activeRuns: ActiveRuns
  readonly stores: Stores
}

export function createCommandHandler(deps: Deps): () => Promise<void> {
  const { activeRuns, stores } = deps
  return async () => {
    // A run that is still starting is left for the next poll.
    for (const { runId, command } of await stores.queue.takeCommands(activeRuns.startedClaims())) {
      const pump = activeRuns.find(runId)?.pump
      try {
        if (pump !== undefined) await execute(command, { ...deps, runId, pump })
      } catch (error) {
        const { kind } = command
        deps.log.warn("a run command failed", { run: runId, kind, error: String(error) })
      }
    }
  }
}

async function execute(
  command: RunCommand,
  it: Deps & { readonly runId: string; readonly pump: SessionPump },
): Promise<void> {
  const { pump, stores } = it
  switch (command.kind) {
    case "stop":
      // Not awaited: the end of a run must not delay other commands.
      void pump.stop("stopped")
      return
    case "mode":
      return pump.setMode(command.mode)
    case "answer": {
      const { approvalId, kind: _, ...answer } = command
      // An answer to another process's request stays unused until the request is repeated.
      const isPassed = await pump.answer(approvalId, answer)
      if (isPassed) await stores.approvals.markUsed(approvalId)
      return
    }
    case "steer": {
      const { text, by } = command
      const isAccepted = await pump.steer(text, {
        type: "user",
        role: "user",
        content: it.redact(text),
        metadata: { isSteered: true, ...(by === undefined ? {} : { by }) },
      })
      if (!isAccepted) await stores.queue.queueTurn(it.runId, text, by)
      return
    }
    default:
      return command satisfies never
  }
}
