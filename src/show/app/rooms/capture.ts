import { createIds, isInside } from "#ground/base"
import type { HostName } from "#ground/contract"
import { captureHandlers, createHistory, createRedact } from "#see/capture"
import { type HostWord, loadHost, type Place, realDisk } from "#see/hosts"
import { directoryProblem, listFiles, projectFolders } from "#see/repo"
import { LARGEST_LISTED_TREE_FILES } from "../limits.ts"
import type { OperationDeps } from "../operations.ts"
import { hostPlace, userHome } from "../places.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"

type CounterOf = () => Promise<{ readonly encoding: string; count(text: string): number }>

/** What the gateway saw of the newest session of a host in a place. */
type WireWord = (place: Place, host: HostName) => Promise<HostWord | undefined>

/** What capture stands on, for the person and the place this process serves. */
export function captureIn(deps: OperationDeps, counter: CounterOf, wireWord?: WireWord) {
  return captureHandlers({
    host: loadHost,
    disk: realDisk(),
    place: (given) => hostPlace(deps, given),
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
    ...(wireWord === undefined ? {} : { wireWord: withFiles(wireWord) }),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}

/** Only of Claude Code no file means that none was sent; of others, that none could be told apart. */
function withFiles(wireWord: WireWord): WireWord {
  return async (place, host) => {
    const word = await wireWord(place, host)
    return host === "claude-code" || (word?.files.length ?? 0) > 0 ? word : undefined
  }
}
