import { systemClock } from "#ground/base"
import { type App, createApp } from "../app.ts"

/** What the command line hands over when `qm keep` is typed, or a hook starts it. */
export type KeepCall = {
  readonly app: App
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** `qm keep`: keeps the index of a repository warm for its hooks, as long as they ask. */
export async function keep({ app, environment, signal }: KeepCall): Promise<number> {
  // Its own scans come after the answers: the settings of this app begin none.
  await using own = await createApp({
    directory: app.places.repository.root,
    environment,
    settings: ["map.scanInterval=0"],
    writeLog: () => {},
  })
  const { openIndexDaemon } = await import("./daemon.ts")
  const { scanInterval: scanIntervalSeconds } = app.config().map
  const daemon = await openIndexDaemon({ app: own, clock: systemClock, scanIntervalSeconds })
  if (daemon === undefined) return 0
  await daemon.untilOver(signal)
  await daemon.close()
  return 0
}
