import type { Approvals } from "./kept/approvals.ts"
import type { Command, Queue } from "./kept/queue.ts"
import type { Launcher, LauncherDeps } from "./work/launcher.ts"

type Deps = Pick<LauncherDeps, "log" | "redact"> & {
  readonly launcher: Launcher
  readonly queue: Queue
  readonly approvals: Approvals
}

/** Does what others, and we ourselves, have asked of the runs that work in this process. */
export function createObeying(deps: Deps): () => Promise<void> {
  const { launcher, queue } = deps
  return async () => {
    // One that is still starting is left for the next look: nobody is there yet to be told.
    for (const command of await queue.takeCommands(launcher.ready())) {
      try {
        await obey(command, deps)
      } catch (error) {
        const { runId, wanted } = command
        deps.log.warn("a command failed", { run: runId, kind: wanted.kind, error: String(error) })
      }
    }
  }
}

async function obey({ runId, wanted }: Command, deps: Deps): Promise<void> {
  const live = deps.launcher.find(runId)?.live
  if (live === undefined) return
  switch (wanted.kind) {
    case "stop":
      // Not waited for: the end of a run must not hold up what others want.
      void live.stop("stopped")
      return
    case "mode":
      return live.setMode(wanted.mode)
    case "answer": {
      const { approvalId, ...answer } = wanted
      // One that this process did not ask stays unused: it waits for its question to be asked again.
      const isHandedOn = await live.answer(approvalId, answer)
      if (isHandedOn) await deps.approvals.use(approvalId)
      return
    }
    case "steer": {
      const { text } = wanted
      const draft = {
        type: "user",
        role: "user",
        content: deps.redact(text),
        metadata: { isSteered: true },
      } as const
      const isTaken = await live.steer(text, draft)
      if (!isTaken) await deps.queue.queueTurn(runId, text)
      return
    }
    default:
      return wanted satisfies never
  }
}
