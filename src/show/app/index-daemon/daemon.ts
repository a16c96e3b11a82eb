import path from "node:path"
import { type KeeperQuestion, listenAsKeeper } from "#choose/guard"
import { type Clock, createFolderWatch, statFile } from "#ground/base"
import { KEEPER_IDLE_MS, KEEPER_LOOK_EVERY_MS } from "../limits.ts"
import { createPackages, type PackagesDeps } from "./packages.ts"

export type KeeperDeps = Omit<PackagesDeps, "signal" | "clock"> & { readonly clock: Clock }

export type Keeper = {
  /** Waits until nobody asks, another has its place, its repository is gone, or it is told to. */
  untilOver(signal: AbortSignal): Promise<"idle" | "displaced" | "gone" | "stopped">
  close(): Promise<void>
}

/**
 * Answers the hooks of this repository from a warm index, which no hook has the time to open.
 * Undefined when another process does already.
 */
export async function openKeeper(deps: KeeperDeps): Promise<Keeper | undefined> {
  const { app, clock } = deps
  const closing = new AbortController()
  const packages = createPackages({ ...deps, signal: closing.signal })
  let askedAtMs = clock.monotonicMs()
  const { home, repository } = app.places
  const outcome = await listenAsKeeper({
    home,
    stateDirectory: repository.stateDirectory,
    root: repository.root,
    async answer(question: KeeperQuestion) {
      askedAtMs = clock.monotonicMs()
      if (question.kind === "package") return packages.packageFor(question)
      packages.prepare(question)
      return null
    },
  })
  if (outcome.kind === "refused") app.log.warn("no keeper", { reason: outcome.reason })
  if (outcome.kind !== "listening") return undefined
  const { server } = outcome
  packages.warm()
  const edits = watchEdits(repository.stateDirectory, () => void packages.edited())
  return {
    async untilOver(signal) {
      const isAwake = () => clock.sleep(KEEPER_LOOK_EVERY_MS, signal).then(yes, no)
      while (await isAwake()) {
        if (!(await server.isOurs())) return "displaced"
        if ((await statFile(repository.root)).kind === "missing") return "gone"
        edits.look()
        if (clock.monotonicMs() - askedAtMs >= KEEPER_IDLE_MS) return "idle"
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

/** Sessions write their edits into their ledgers; the folder is there from the first one on. */
function watchEdits(stateDirectory: string, onChange: () => void) {
  const folder = path.join(stateDirectory, "ledger")
  const watch = createFolderWatch({ root: folder, onChange })
  const look = (): void => void watch.set([folder])
  look()
  return { look, stop: () => watch[Symbol.dispose]() }
}

const yes = (): boolean => true
const no = (): boolean => false
