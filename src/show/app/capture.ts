import path from "node:path"
import { createIds } from "#ground/base"
import { captureOperations, createHistory, createRedact } from "#see/capture"
import { loadHost, realDisk } from "#see/hosts"
import { directoryProblem, listFiles, projectFolders } from "#see/repo"
import { loadSecrets } from "./known-secrets.ts"
import { LARGEST_LISTED_TREE_FILES } from "./limits.ts"
import type { OperationDeps } from "./operations.ts"

type CounterOf = () => Promise<{ readonly encoding: string; count(text: string): number }>

/** What capture stands on, for the person and the place this process serves. */
export function captureIn(deps: OperationDeps, counter: CounterOf) {
  return captureOperations({
    host: loadHost,
    disk: realDisk(),
    place: (given) => ({
      workingDirectory: deps.resolve(given),
      home: userHome(deps),
      environment: deps.environment(),
      platform: platformHere(),
    }),
    directoryProblem,
    encoding: () => deps.config().tokens.encoding,
    counter,
    redact: async (directory) => createRedact(await loadSecrets(directory, deps)),
    projectFolders: async (directory) => {
      const folders = await projectFolders(directory)
      // A person whose home is a repository has their programs in it all the same.
      return folders.filter((it) => !isInside(it, userHome(deps)))
    },
    history: async () => createHistory((await deps.store()).forRoom("capture")),
    isShared: () => deps.location().kind === "postgres",
    async listFiles(folder, signal) {
      const listed = await listFiles(folder, { maxFiles: LARGEST_LISTED_TREE_FILES, signal })
      return listed.isWhole ? listed.files : undefined
    },
    sizes: () => ({ window: deps.config().tokens.window, ...deps.config().capture }),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}

/** Hosts look in the person's home, which is not where our own files lie when QM_HOME is set. */
function userHome(deps: OperationDeps): string {
  const { HOME, USERPROFILE } = deps.environment()
  return path.resolve(HOME || USERPROFILE || path.dirname(deps.places().home))
}

export function platformHere(): "linux" | "darwin" | "win32" {
  const { platform } = process
  return platform === "darwin" || platform === "win32" ? platform : "linux"
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
