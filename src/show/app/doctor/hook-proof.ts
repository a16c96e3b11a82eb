import { type Installed, type Proof, prove } from "#act/kit"
import type { CallContext, KitHost } from "#ground/contract"
import { loadHost, realDisk } from "#see/hosts"
import { createApp } from "../app.ts"
import { HomeUnknown } from "../errors.ts"
import { openIndexDaemon } from "../index-daemon/daemon.ts"
import type { OperationDeps } from "../operations.ts"
import { platformHere } from "../places.ts"

type Asked = { readonly trustHooks: boolean; readonly installed: Installed }

/** Starts the hosts that have hooks of ours on a model of our own, and says which ran. */
export async function proveKit(
  deps: OperationDeps,
  { trustHooks, installed }: Asked,
  { signal, onProgress }: CallContext,
): Promise<Proof> {
  const environment = deps.environment()
  const userHome = environment["HOME"] ?? environment["USERPROFILE"]
  if (!userHome) throw HomeUnknown({})
  const { home, repository } = deps.places()
  const machine = { userHome, environment }
  const place = {
    workingDirectory: repository.root,
    home: userHome,
    environment,
    platform: platformHere(),
  }
  let done = 0
  return prove(
    {
      installed: installed.hooks,
      trustHooks,
      signal,
      onProgress: (what) => onProgress?.({ what, done: done++, total: installed.hosts.length }),
    },
    {
      machine,
      clock: deps.clock,
      random: deps.random,
      async findProgram(host: KitHost) {
        return (await (await loadHost(host)).findInstalled(place, realDisk()))?.program
      },
      keep: (root) => keepFor(root, { home, environment, clock: deps.clock, signal }),
    },
  )
}

type Keeping = Pick<OperationDeps, "clock"> & {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** An index daemon of this process for the repository of the proof, warm before the host starts. */
async function keepFor(root: string, keeping: Keeping): Promise<AsyncDisposable> {
  const { home, environment, clock, signal } = keeping
  const app = await createApp({
    directory: root,
    environment: { ...environment, QM_HOME: home },
    settings: ["map.scanInterval=0"],
    writeLog: () => {},
  })
  try {
    await app.call("map.scan", {}, { signal })
    const scanIntervalSeconds = app.config().map.scanInterval
    const daemon = await openIndexDaemon({ app, clock, scanIntervalSeconds })
    return {
      async [Symbol.asyncDispose]() {
        await daemon?.close()
        await app[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await app[Symbol.asyncDispose]()
    throw error
  }
}
