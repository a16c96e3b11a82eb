import path from "node:path"
import { type DaemonQuestion, listenAsIndexDaemon } from "#choose/guard"
import { type Clock, createFolderWatch, statFile } from "#ground/base"
import { createPackages, type PackagesDeps } from "./packages.ts"

/** An idle daemon holds about 200 MB. */
export const DAEMON_IDLE_MS = 15 * 60_000
export const DAEMON_CHECK_INTERVAL_MS = 15_000

export type IndexDaemonDeps = Omit<PackagesDeps, "signal" | "clock"> & { readonly clock: Clock }

export type IndexDaemon = {
  untilOver(signal: AbortSignal): Promise<"idle" | "displaced" | "gone" | "stopped">
  close(): Promise<void>
}

/**
 * Answers hooks of this repository from a warm index, which a hook has no time to open. Undefined
 * if another process already does.
 */
export async function openIndexDaemon(deps: IndexDaemonDeps): Promise<IndexDaemon | undefined> {
  const { app, clock } = deps
  const closing = new AbortController()
  const packages = createPackages({ ...deps, signal: closing.signal })
  let askedAtMs = clock.monotonicMs()
  const { home, repository } = app.places
  const outcome = await listenAsIndexDaemon({
    home,
    stateDirectory: repository.stateDirectory,
    root: repository.root,
    async answer(question: DaemonQuestion) {
      askedAtMs = clock.monotonicMs()
      if (question.kind === "package") return packages.packageFor(question)
      packages.prepare(question)
      return null
    },
  })
  if (outcome.kind === "refused")
    app.log.warn("index daemon not started", { reason: outcome.reason })
  if (outcome.kind !== "listening") return undefined
  const { server } = outcome
  packages.warm()
  const edits = watchEdits(repository.stateDirectory, () => void packages.edited())
  return {
    async untilOver(signal) {
      const isAwake = () => clock.sleep(DAEMON_CHECK_INTERVAL_MS, signal).then(yes, no)
      while (await isAwake()) {
        if (!(await server.isOurs())) return "displaced"
        if ((await statFile(repository.root)).kind === "missing") return "gone"
        edits.look()
        if (clock.monotonicMs() - askedAtMs >= DAEMON_IDLE_MS) return "idle"
      }
      return "stopped"
    },
    async close() {
      closing.abort()
      edits.stop()
      await server.close()
      await packages.settled()
    },
  }
}

/** Sessions append their edits to ledgers; the folder exists from the first edit on. */
function watchEdits(stateDirectory: string, onChange: () => void) {
  const folder = path.join(stateDirectory, "ledger")
  const watch = createFolderWatch({ root: folder, onChange })
  const look = (): void => void watch.set([folder])
  look()
  return { look, stop: () => watch[Symbol.dispose]() }
}

const yes = (): boolean => true
const no = (): boolean => false
