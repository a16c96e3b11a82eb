import { systemClock } from "#ground/base"
import { type App, createApp } from "../app.ts"

/** Passed by `qm keep` and by hooks that start it. */
export type KeepCall = {
  readonly app: App
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/**
 * `qm keep`: runs the index daemon of a repository until it is idle.
 */
export async function keep({ app, environment, signal }: KeepCall): Promise<number> {
  await using own = await createApp({
    directory: app.places.repository.root,
    environment,
    settings: [],
    writeLog: () => {},
    watchesTree: true,
  })
  const { openIndexDaemon } = await import("./daemon.ts")
  const daemon = await openIndexDaemon({ app: own, clock: systemClock })
  if (daemon === undefined) return 0
  await daemon.untilOver(signal)
  await daemon.close()
  return 0
}
