import type { Log } from "#ground/base"
import type { ActiveRuns } from "./active-runs.ts"
import type { SessionPump } from "./session-pump.ts"
import type { Claim } from "./stores/claim.ts"
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
    const commands = await stores.queue.takeCommands(activeRuns.startedClaims())
    for (const { id, runId, command } of commands) {
      const { pump, claim } = activeRuns.find(runId) ?? {}
      try {
        if (pump !== undefined && claim !== undefined) {
          await execute(command, { ...deps, id, claim, pump })
        }
      } catch (error) {
        const { kind } = command
        deps.log.warn("a run command failed", { run: runId, kind, error: String(error) })
      }
    }
  }
}

async function execute(
  command: RunCommand,
  it: Deps & { readonly id: string; readonly claim: Claim; readonly pump: SessionPump },
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
      if (isPassed) await stores.approvals.markUsed(approvalId, it.claim)
      return
    }
    case "steer": {
      const { text, by } = command
      const message = {
        type: "user",
        role: "user",
        content: it.redact(text),
        metadata: { isSteered: true, ...(by === undefined ? {} : { by }) },
      } as const
      const isAccepted = await pump.steer(text, message, it.id)
      if (!isAccepted) await stores.queue.turnInto(it.id, it.claim.runId, command)
      return
    }
    default:
      return command satisfies never
  }
}
